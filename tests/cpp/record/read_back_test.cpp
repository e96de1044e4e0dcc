#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <utility>

#include "memory_image.h"

namespace gwatch::record {
namespace {

constexpr Dim3 kGrid{64, 1, 1};
constexpr Dim3 kBlock{128, 1, 1};

Plan plan_of_bytes(std::uint64_t bytes) {
    return plan_memory({kGrid, kBlock, bytes, 0, 0, false}).value();
}

ChunkHeader header_of(const RawRecords& raw, std::uint32_t chunk) {
    return std::bit_cast<ChunkHeader>(raw.pool[std::size_t{chunk} * kChunkUnits]);
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
    memory.take_chunks(3);
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
    EXPECT_EQ(header_of(*raw, 0).owner, 5u + 1);
    EXPECT_EQ(header_of(*raw, 1).owner, 6u + 1);
}

TEST(ReadBack, ARegionGoesOnInItsHotChunks) {
    const Plan plan = plan_of_bytes(1 << 20);
    MemoryImage memory(plan);
    memory.take_chunks(5);
    for (const std::uint32_t region : {3u, 9u, 255u}) memory.fill_region(region, 20);
    memory.fill_hot_chunk(0, memory.place_in_region(9), kHotChunkSlots);
    memory.fill_chunk(1, 3, 5);
    memory.fill_hot_chunk(2, memory.place_in_region(255), 0);
    memory.fill_hot_chunk(3, memory.place_in_chunk(0), 10);
    memory.fill_hot_chunk(4, memory.place_in_chunk(3), 4);
    const auto raw = read_records(plan, kGrid, kBlock, memory);
    ASSERT_TRUE(raw.ok());
    EXPECT_EQ(raw->region_slots[3], kHeaderSlots + 20);
    EXPECT_EQ(raw->region_slots[9], kHeaderSlots + 20 + kHotChunkSlots + 10 + 4);
    EXPECT_EQ(raw->region_slots[255], kHeaderSlots + 20);
    ASSERT_EQ(raw->slots.size(), 3 * (kHeaderSlots + 20u) + kHotChunkSlots + 10 + 4);
    const std::uint64_t* at = raw->slots.data() + 2 * (kHeaderSlots + 20);
    for (const auto& [chunk, slots] : {std::pair{0u, kHotChunkSlots}, {3u, 10u}, {4u, 4u}}) {
        for (std::uint32_t i = 0; i < slots; ++i, ++at)
            ASSERT_EQ(*at, i | 1ull << 32 | std::uint64_t{chunk} << 48) << chunk << " " << i;
    }
    EXPECT_EQ(at[0], 1'000'000u + 255) << "the next region";
    ASSERT_EQ(raw->pool.size(), std::size_t{kChunkUnits});
    EXPECT_EQ(header_of(*raw, 0).owner, 3u + 1);
}

TEST(ReadBack, AHotChunkOfNoWarpIsLeftToTheDecoder) {
    const Plan plan = plan_of_bytes(1 << 20);
    MemoryImage memory(plan);
    memory.take_chunks(5);
    memory.fill_region(3, 20);
    memory.fill_hot_chunk(0, memory.place_in_region(4), 10);  // which has no header
    memory.fill_chunk(1, 3, 5);
    memory.fill_hot_chunk(2, memory.place_in_chunk(1), 10);  // some lanes' chunk
    memory.fill_hot_chunk(3, memory.place_in_chunk(4), 10);  // a later one
    memory.fill_hot_chunk(4, 0xfffffff0, 10);
    const auto raw = read_records(plan, kGrid, kBlock, memory);
    ASSERT_TRUE(raw.ok());
    EXPECT_EQ(raw->slots.size(), kHeaderSlots + 20u);
    ASSERT_EQ(raw->pool.size(), 5u * kChunkUnits);
    EXPECT_EQ(header_of(*raw, 0).owner, 4u + 1);
    for (const std::uint32_t chunk : {2u, 3u, 4u})
        EXPECT_EQ(header_of(*raw, chunk).owner, 0xffffffffu) << chunk;
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
        memory.take_chunks(1);
        memory.fill_region(9, 20);
        memory.failing_call = call;
        const auto raw = read_records(plan, kGrid, kBlock, memory);
        ASSERT_FALSE(raw.ok()) << call;
        EXPECT_EQ(raw.error().message, "the device is gone");
    }
}

}  // namespace
}  // namespace gwatch::record
