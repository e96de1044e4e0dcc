#include "record/plan.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace gwatch::record {
namespace {

constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kGiB = 1ull << 30;

PlanRequest request_of(const Dim3& grid, const Dim3& block, std::uint64_t buffer_bytes = 0) {
    return {grid, block, buffer_bytes, 80 * kGiB, 0, false};
}

Plan plan_of(const PlanRequest& request) {
    auto plan = plan_memory(request);
    EXPECT_TRUE(plan.ok()) << plan.error().to_string();
    return *plan;
}

/// What must hold for every plan, whatever was asked.
void expect_sound(const Plan& plan, const PlanRequest& request) {
    const LaunchConstants& c = plan.constants;
    EXPECT_TRUE(std::has_single_bit(c.region_slots));
    EXPECT_GE(c.region_slots, kMinRegionSlots);
    EXPECT_LE(plan.total_bytes - plan.regions_offset, kReach);
    EXPECT_EQ(c.pool_place, plan.pool_offset - plan.regions_offset);
    EXPECT_LT(std::uint64_t{c.pool_chunks} * kChunkUnits, 1ull << 32);
    EXPECT_GE(c.pool_chunks, 1u);
    EXPECT_EQ(c.region_count, c.block_count * warps_per_region_group(c.warp_mask));
    EXPECT_GE(c.block_stride, 1u);
    EXPECT_LT(c.block_first + std::uint64_t{c.block_count - 1} * c.block_stride,
              plan.blocks_in_grid);
    for (const std::uint64_t offset :
         {plan.control_offset, plan.regions_offset, plan.lane_cursors_offset, plan.pool_offset}) {
        EXPECT_EQ(offset % 256, 0u);
    }
    const std::uint64_t regions_end =
        plan.regions_offset + std::uint64_t{c.region_count} * c.region_slots * sizeof(Slot);
    EXPECT_GE(plan.regions_offset, plan.control_offset + sizeof(Control));
    if (request.uses_lane_cursors) {
        EXPECT_GE(plan.lane_cursors_offset, regions_end);
        EXPECT_GE(plan.pool_offset, plan.lane_cursors_offset + std::uint64_t{c.region_count} * 128);
    } else {
        EXPECT_EQ(plan.lane_cursors_offset, 0u);
        EXPECT_GE(plan.pool_offset, regions_end);
    }
    EXPECT_EQ(plan.total_bytes, plan.pool_offset + std::uint64_t{c.pool_chunks} * kChunkBytes);
    EXPECT_EQ(plan.every_warp, c.region_count == plan.blocks_in_grid * plan.warps_per_block);
    if (request.buffer_bytes != 0) {
        EXPECT_LE(plan.total_bytes, request.buffer_bytes);
    }
}

TEST(Plan, RecordsTheSelectedBlocksOfTheGrid) {
    PlanRequest request = request_of({10, 10, 1}, {64, 1, 1});
    request.blocks = {5, 10, 4};
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_EQ(plan.constants.block_first, 5u);
    EXPECT_EQ(plan.constants.block_stride, 10u);
    EXPECT_EQ(plan.constants.block_count, 4u);
    EXPECT_EQ(plan.blocks_in_grid, 100u);
    EXPECT_FALSE(plan.sampled);
}

TEST(Plan, ASelectionThatReachesBeyondTheGridEndsWithIt) {
    PlanRequest request = request_of({100, 1, 1}, {64, 1, 1});
    request.blocks = {90, 3, 1000};
    EXPECT_EQ(plan_of(request).constants.block_count, 4u);
    request.blocks = {90, 3, 0};
    EXPECT_EQ(plan_of(request).constants.block_count, 4u);
    request.blocks = {99, 7, 1};
    EXPECT_EQ(plan_of(request).constants.block_count, 1u);
}

TEST(Plan, ASelectionOutsideTheGridIsRefused) {
    PlanRequest request = request_of({100, 1, 1}, {64, 1, 1});
    request.blocks = {100, 1, 1};
    const auto plan = plan_memory(request);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().kind, ErrorKind::kUsage);
    EXPECT_NE(plan.error().message.find("none of the 100 blocks"), std::string::npos);
}

TEST(Plan, ASelectionThatIsTooLargeIsSampledFromItsFirstBlock) {
    PlanRequest request = request_of({1'000'000, 1, 1}, {128, 1, 1}, kMiB);
    request.blocks = {7, 2, 0};
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_TRUE(plan.sampled);
    EXPECT_EQ(plan.constants.block_first, 7u);
    EXPECT_EQ(plan.constants.block_stride % 2, 0u);
    EXPECT_GT(plan.constants.block_count, 100u);
}

TEST(Plan, GivesEachWarpAsMuchAsFits) {
    const PlanRequest request = request_of({132, 1, 1}, {384, 1, 1});
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_EQ(plan.constants.region_count, 132u * 12);
    EXPECT_EQ(plan.constants.region_slots, 32768u);
    EXPECT_FALSE(plan.sampled);
    EXPECT_EQ(plan.constants.block_count, 132u);
    EXPECT_EQ(plan.constants.block_stride, 1u);
    EXPECT_EQ(plan.warps_per_block, 12u);
    EXPECT_EQ(plan.constants.warp_mask, 0xfffu);
    EXPECT_GT(plan.total_bytes, kGiB - kChunkBytes - 1);
}

TEST(Plan, TakesAQuarterOfFreeMemory) {
    PlanRequest request = request_of({4, 1, 1}, {32, 1, 1});
    request.free_bytes = 64 * kMiB;
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_LE(plan.total_bytes, 16 * kMiB);
    EXPECT_GT(plan.total_bytes, 15 * kMiB);
}

TEST(Plan, CountsWarpsOfOddBlocks) {
    const PlanRequest request = request_of({2, 3, 4}, {10, 10, 1});
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_EQ(plan.warps_per_block, 4u);
    EXPECT_EQ(plan.constants.warp_mask, 0xfu);
    EXPECT_EQ(plan.blocks_in_grid, 24u);
}

TEST(Plan, RecordsOnlySelectedWarps) {
    PlanRequest request = request_of({8, 1, 1}, {1024, 1, 1}, 64 * kMiB);
    request.warp_mask = 0x80000001;
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_EQ(plan.constants.region_count, 16u);
}

TEST(Plan, RefusesASelectionOfNoWarp) {
    PlanRequest request = request_of({8, 1, 1}, {64, 1, 1});
    request.warp_mask = 0xff00;
    const auto plan = plan_memory(request);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(plan.error().to_string(),
              "the selection of warps names none of the 2 warps that a block of this launch has\n"
              "Pass warps between 0 and 1, or none for all.");
}

TEST(Plan, SamplesFirstAndLastBlockWhenTheStrideAllows) {
    const PlanRequest request = request_of({65536, 1, 1}, {256, 1, 1}, 80 * kMiB);
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_TRUE(plan.sampled);
    EXPECT_EQ(plan.constants.region_slots, 64u);
    EXPECT_EQ(plan.constants.block_first, 0u);
    EXPECT_EQ((plan.constants.block_count - 1) * plan.constants.block_stride, 65535u);
}

TEST(Plan, SampleEndsWithinAStrideOfTheLastBlock) {
    // 8191 is a prime, so no stride but 1 leads from the first block to the last.
    const PlanRequest request = request_of({8192, 1, 1}, {1024, 1, 1}, 32 * kMiB);
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    const LaunchConstants& c = plan.constants;
    EXPECT_TRUE(plan.sampled);
    EXPECT_GT((c.block_count - 1) * c.block_stride + c.block_stride, 8191u);
    EXPECT_GT(c.block_count, 1000u);
}

TEST(Plan, GoesBelowUsefulRegionsForOneBlockOnly) {
    const PlanRequest request = request_of({100, 1, 1}, {1024, 1, 1}, 12 * 1024);
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_EQ(plan.constants.block_count, 1u);
    EXPECT_EQ(plan.constants.region_slots, 32u);
}

TEST(Plan, SaysHowMuchOneBlockNeeds) {
    const auto refused = plan_memory(request_of({100, 1, 1}, {1024, 1, 1}, 4096));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(
        refused.error().message,
        "a trace buffer of 4096 bytes cannot hold the records of one block of 1024x1x1 threads");
    EXPECT_EQ(refused.error().hint,
              "Pass buffer_bytes=5724 or more, or free memory of the device.");
    EXPECT_TRUE(plan_memory(request_of({100, 1, 1}, {1024, 1, 1}, 5724)).ok());
    EXPECT_FALSE(plan_memory(request_of({100, 1, 1}, {1024, 1, 1}, 5723)).ok());
}

TEST(Plan, RefusesImpossibleLaunches) {
    EXPECT_EQ(plan_memory(request_of({1, 0, 1}, {32, 1, 1})).error().message,
              "no launch has a grid of 1x0x1 blocks of 32x1x1 threads");
    EXPECT_FALSE(plan_memory(request_of({1, 1, 1}, {1025, 1, 1})).ok());
}

TEST(Plan, FillsInAddresses) {
    PlanRequest request = request_of({8, 1, 1}, {64, 1, 1}, kMiB);
    request.uses_lane_cursors = true;
    const Plan plan = plan_of(request);
    const LaunchConstants filled = plan.at(0x7000'0000'0000);
    EXPECT_EQ(filled.control, 0x7000'0000'0000 + plan.control_offset);
    EXPECT_EQ(filled.regions, 0x7000'0000'0000 + plan.regions_offset);
    EXPECT_EQ(filled.lane_cursors, 0x7000'0000'0000 + plan.lane_cursors_offset);
    EXPECT_EQ(filled.pool, 0x7000'0000'0000 + plan.pool_offset);
    EXPECT_EQ(filled.region_slots, plan.constants.region_slots);
    request.uses_lane_cursors = false;
    EXPECT_EQ(plan_of(request).at(0x7000'0000'0000).lane_cursors, 0u);
}

TEST(Plan, IsSoundOverManyShapes) {
    for (const bool cursors : {false, true}) {
        for (const std::uint64_t bytes : {8192ull, 65536ull, 1000003ull, 1ull << 30, 1ull << 38}) {
            for (const std::uint32_t blocks :
                 {1u, 2u, 3u, 132u, 4096u, 8192u, 99991u, 0x7fffffffu}) {
                for (const std::uint32_t threads : {1u, 32u, 33u, 256u, 1024u}) {
                    PlanRequest request = request_of({blocks, 1, 1}, {threads, 1, 1}, bytes);
                    request.uses_lane_cursors = cursors;
                    const auto plan = plan_memory(request);
                    EXPECT_TRUE(plan.ok() || bytes < 20000);
                    if (plan.ok()) expect_sound(*plan, request);
                }
            }
        }
    }
}

TEST(Plan, TakesTheLargestGrid) {
    const PlanRequest request = request_of({0x7fffffff, 65535, 65535}, {1024, 1, 1});
    const Plan plan = plan_of(request);
    EXPECT_TRUE(plan.sampled);
    expect_sound(plan, request);
}

/// Whatever a launch lacked, the bytes that are named give it.
TEST(Plan, NamesTheBytesThatWouldHaveDroppedNothing) {
    for (const bool uses_lane_cursors : {false, true}) {
        for (const std::uint32_t blocks : {1u, 3u, 132u, 5000u}) {
            for (const std::uint64_t bytes : {8192ull << 4, 1000003ull, 64ull << 20}) {
                PlanRequest request = request_of({blocks, 1, 1}, {128, 1, 1}, bytes);
                request.uses_lane_cursors = uses_lane_cursors;
                request.warp_mask = 0b1011;
                const Plan plan = plan_of(request);
                for (const std::uint64_t overflow : {0ull, 1ull, 70'000ull, 1'000'000ull}) {
                    for (const std::uint64_t chunks : {0ull, 1ull, 5000ull}) {
                        const Need need{plan.constants.region_slots + overflow, overflow,
                                        plan.constants.pool_chunks + chunks};
                        request.buffer_bytes = 0;
                        const std::uint64_t enough = bytes_for(need, plan, request);
                        EXPECT_TRUE(enough == 0 || enough > plan.total_bytes) << enough;
                        request.buffer_bytes = enough == 0 ? 2 * kReach : enough;
                        const LaunchConstants given = plan_of(request).constants;
                        const bool spills = given.region_slots < need.region_slots;
                        const std::uint64_t needed =
                            need.cold_chunks + (spills ? need.hot_chunks : 0);
                        EXPECT_EQ(std::uint64_t{given.pool_chunks} * plan.constants.block_count >=
                                      needed * given.block_count,
                                  enough != 0)
                            << blocks << " " << overflow << " " << needed;
                    }
                }
            }
        }
    }
}

TEST(Plan, WhatARegionCannotHoldHasToFitInThePool) {
    const PlanRequest request = request_of({1, 1, 1}, {32, 1, 1});
    const Plan plan = plan_of(request);
    const std::uint64_t all_chunks = kReach / kChunkBytes;
    EXPECT_NE(bytes_for({1ull << 24, all_chunks, 1}, plan, request), 0u);
    EXPECT_NE(bytes_for({(1ull << 24) + 1, all_chunks / 2, 1}, plan, request), 0u);
    EXPECT_EQ(bytes_for({(1ull << 24) + 1, all_chunks, 1}, plan, request), 0u);
}

TEST(Plan, UsesNoMoreBytesThanACursorCounts) {
    const PlanRequest request = request_of({132, 1, 1}, {1024, 1, 1}, 1ull << 39);
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    EXPECT_EQ(plan.constants.region_count, 132u * 32);
    EXPECT_EQ(plan.constants.region_slots, 1u << 16)
        << "3/4 of 2^29 / 4224, down to a power of two";
}

TEST(Plan, TellsWhetherEveryWarpIsRecorded) {
    PlanRequest request = request_of({100, 1, 1}, {96, 1, 1});
    EXPECT_TRUE(plan_of(request).every_warp);
    request.warp_mask = 0b101;
    EXPECT_FALSE(plan_of(request).every_warp);
    request.warp_mask = 0b111;
    EXPECT_TRUE(plan_of(request).every_warp);
    request.blocks = {0, 2, 0};
    EXPECT_FALSE(plan_of(request).every_warp);
    request.blocks = {1, 1, 0};
    EXPECT_FALSE(plan_of(request).every_warp);
    request.blocks = {0, 1, 100};
    EXPECT_TRUE(plan_of(request).every_warp);
    request = request_of({10'000'000, 1, 1}, {96, 1, 1});
    EXPECT_FALSE(plan_of(request).every_warp);
}

TEST(Plan, TakesNoBlockBeyond32Bits) {
    PlanRequest request = request_of({0x7fffffff, 65535, 1}, {32, 1, 1});
    const Plan plan = plan_of(request);
    expect_sound(plan, request);
    const LaunchConstants& c = plan.constants;
    EXPECT_LT(c.block_first + std::uint64_t{c.block_count - 1} * c.block_stride, 0xffffffffull);
    EXPECT_TRUE(plan.sampled);
}

TEST(Plan, GivesTheReciprocalOfTheStride) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 100'000; ++round) {
        const auto divisor = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1u;
        const auto any = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
        for (const std::uint32_t number : {any, any / divisor * divisor, 0u, 0xfffffffeu}) {
            if (number == 0xffffffff) continue;
            const auto high =
                static_cast<unsigned __int128>(number + 1ull) * reciprocal_of(divisor);
            EXPECT_EQ(static_cast<std::uint64_t>(high >> 64), number / divisor) << divisor;
        }
    }
}

}  // namespace
}  // namespace gwatch::record
