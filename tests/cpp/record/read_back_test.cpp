#include <gtest/gtest.h>

#include <random>

#include "memory_image.h"

namespace gwatch::record {
namespace {

constexpr Dim3 kGrid{64, 1, 1};
constexpr Dim3 kBlock{128, 1, 1};

Plan plan_of_bytes(std::uint64_t bytes) {
    return plan_memory({kGrid, kBlock, bytes, 0, 0, false}).value();
}

/// Reads back regions with these numbers of records and checks every slot.
RawRecords expect_regions(MemoryImage& memory, const Plan& plan,
                          const std::vector<std::uint32_t>& records) {
    auto raw = read_records(plan, kGrid, kBlock, memory);
    EXPECT_TRUE(raw.ok());
    const std::uint64_t* at = raw->slots.data();
    for (std::uint32_t region = 0; region < records.size(); ++region) {
        // Pairs of slots.
        EXPECT_EQ(raw->region_slots[region], kHeaderSlots + (records[region] + 1) / 2 * 2)
            << region;
        EXPECT_EQ(at[0], 1'000'000u + region);
        for (std::uint32_t i = 0; i < records[region]; ++i) {
            const std::uint64_t expected = i | 1ull << 32 | std::uint64_t{region} << 48;
            if (at[kHeaderSlots + i] != expected) {
                ADD_FAILURE() << "region " << region << ", record " << i;
                return *raw;
            }
        }
        at += raw->region_slots[region];
    }
    EXPECT_EQ(at, raw->slots.data() + raw->slots.size());
    return *raw;
}

TEST(ReadBack, EmptyMemory) {
    const Plan plan = plan_of_bytes(1 << 20);
    MemoryImage memory(plan);
    const auto raw = read_records(plan, kGrid, kBlock, memory);
    ASSERT_TRUE(raw.ok());
    EXPECT_EQ(raw->region_slots, std::vector<std::uint32_t>(256, 0));
    EXPECT_TRUE(raw->slots.empty());
    EXPECT_TRUE(raw->pool.empty());
    EXPECT_EQ(memory.bytes_read, sizeof(Control) + 256u * 128);
}

TEST(ReadBack, HeaderOfZeroWordsCounts) {
    // Block 0 on SM 0: two of the header's four slots are zero.
    const Plan plan = plan_of_bytes(1 << 20);
    MemoryImage memory(plan);
    std::vector<std::uint32_t> records(256, 0);
    for (std::uint32_t region = 0; region < 256; ++region) memory.fill_region(region, 0);
    expect_regions(memory, plan, records);
}

TEST(ReadBack, RegionsOfAllLengths) {
    const Plan plan = plan_of_bytes(8 << 20);
    MemoryImage memory(plan);
    std::mt19937 random(1);
    std::vector<std::uint32_t> records;
    const std::uint32_t most = plan.constants.region_slots - kHeaderSlots;
    for (std::uint32_t region = 0; region < 256; ++region) {
        records.push_back(region == 7   ? most
                          : region == 8 ? most - 1
                                        : random() % (1u << (random() % 11)));
        memory.fill_region(region, records.back());
    }
    expect_regions(memory, plan, records);
}

TEST(ReadBack, LengthsAtTheEdgesOfRounds) {
    const Plan plan = plan_of_bytes(8 << 20);
    MemoryImage memory(plan);
    std::vector<std::uint32_t> records;
    for (std::uint32_t region = 0; region < 256; ++region) {
        records.push_back((16u << (region % 4)) - kHeaderSlots - 1 + region / 4 % 3);
        memory.fill_region(region, records.back());
    }
    expect_regions(memory, plan, records);
}

TEST(ReadBack, ReadsAboutTwiceWhatIsUsedAtMost) {
    const Plan plan = plan_of_bytes(64 << 20);
    MemoryImage memory(plan);
    std::vector<std::uint32_t> records(256, 0);
    std::uint64_t used = 0;
    for (std::uint32_t region = 0; region < 256; ++region) {
        records[region] = region % 12 == 5 ? 5000 : 3;  // one busy warp in each dozen
        memory.fill_region(region, records[region]);
        used += (records[region] + kHeaderSlots) * sizeof(Slot);
    }
    expect_regions(memory, plan, records);
    EXPECT_LT(memory.bytes_read, 2 * used + 256 * 128 + sizeof(Control));
    // The busy regions are evenly spaced: one read a round.
    EXPECT_LE(memory.calls, 13);
}

TEST(ReadBack, TakesOnlyUsedChunks) {
    const Plan plan = plan_of_bytes(1 << 20);
    MemoryImage memory(plan);
    Control control{};
    control.chunks_taken = 3;
    memory.set_control(control);
    memory.fill_chunk(0, 5, 63);
    memory.fill_chunk(1, 6, 1);
    memory.fill_chunk(2, 5, 10);
    const auto raw = read_records(plan, kGrid, kBlock, memory);
    ASSERT_TRUE(raw.ok());
    ASSERT_EQ(raw->pool.size(), 3u * kChunkUnits);
    EXPECT_EQ(raw->pool[63].clock_low, 62u);
    EXPECT_EQ(raw->pool[2 * kChunkUnits + 10].word, 2u);
    EXPECT_EQ(raw->pool[2 * kChunkUnits + 11].site, 0u);
    EXPECT_EQ(raw->control.chunks_taken, 3u);
}

TEST(ReadBack, PoolThatRanOut) {
    const Plan plan = plan_of_bytes(1 << 20);
    MemoryImage memory(plan);
    Control control{};
    control.chunks_taken = 0xffffffff;
    control.dropped_records = 17;
    memory.set_control(control);
    const auto raw = read_records(plan, kGrid, kBlock, memory);
    ASSERT_TRUE(raw.ok());
    EXPECT_EQ(raw->pool.size(), std::size_t{plan.constants.pool_chunks} * kChunkUnits);
    EXPECT_EQ(raw->control.dropped_records, 17u);
}

TEST(ReadBack, EveryFailedReadIsTheError) {
    const Plan plan = plan_of_bytes(1 << 20);
    for (int call = 1; call <= 4; ++call) {
        MemoryImage memory(plan);
        Control control{};
        control.chunks_taken = 1;
        memory.set_control(control);
        memory.fill_region(9, 20);
        memory.failing_call = call;
        const auto raw = read_records(plan, kGrid, kBlock, memory);
        ASSERT_FALSE(raw.ok()) << call;
        EXPECT_EQ(raw.error().message, "the device is gone");
    }
}

}  // namespace
}  // namespace gwatch::record
