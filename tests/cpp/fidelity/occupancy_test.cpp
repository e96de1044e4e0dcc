#include <gtest/gtest.h>

#include "fidelity/fidelity.h"

namespace gwatch::fidelity {

namespace {

Occupancy computed(int capability, int registers, int shared_bytes, std::uint32_t threads) {
    return occupancy(capability, {registers, shared_bytes, threads}, -1);
}

// Figures of CUDA's occupancy calculator.
TEST(Occupancy, IsLimitedByWhatRunsOutFirst) {
    const Occupancy registers = computed(90, 168, 0, 128);
    EXPECT_EQ(registers.blocks_per_sm, 3);
    EXPECT_EQ(registers.warps_per_sm, 12);
    EXPECT_EQ(registers.max_warps_per_sm, 64);
    EXPECT_EQ(registers.limited_by, "registers");
    const Occupancy shared = computed(90, 32, 100 * 1024, 128);
    EXPECT_EQ(shared.blocks_per_sm, 2);
    EXPECT_EQ(shared.limited_by, "shared memory");
    const Occupancy threads = computed(80, 32, 0, 1024);
    EXPECT_EQ(threads.blocks_per_sm, 2);
    EXPECT_EQ(threads.limited_by, "registers") << "32 registers and 2,048 threads: both run out";
    EXPECT_EQ(computed(80, 16, 0, 1024).limited_by, "threads");
    const Occupancy blocks = computed(90, 16, 0, 32);
    EXPECT_EQ(blocks.blocks_per_sm, 32);
    EXPECT_EQ(blocks.limited_by, "blocks");
}

TEST(Occupancy, RegistersAreGivenOutInUnitsOfAWarp) {
    EXPECT_EQ(computed(90, 169, 0, 128).blocks_per_sm, 2) << "169 count as 176";
    EXPECT_EQ(computed(90, 255, 0, 128).blocks_per_sm, 2);
    EXPECT_EQ(computed(90, 128, 0, 256).blocks_per_sm, 2);
}

TEST(Occupancy, TheDriverKnowsBest) {
    const Occupancy other = occupancy(90, {168, 0, 128}, 2);
    EXPECT_EQ(other.blocks_per_sm, 2);
    EXPECT_EQ(other.warps_per_sm, 8);
    EXPECT_EQ(other.limited_by, "") << "the table does not explain it";
    EXPECT_EQ(occupancy(90, {168, 0, 128}, 3).limited_by, "registers");
}

TEST(Occupancy, WhatIsNotKnownIsNotSaid) {
    const Occupancy future = computed(999, 32, 0, 128);
    EXPECT_EQ(future.blocks_per_sm, -1);
    EXPECT_EQ(future.max_warps_per_sm, -1);
    EXPECT_EQ(computed(90, -1, 0, 128).blocks_per_sm, -1);
    EXPECT_EQ(computed(90, 32, -1, 128).warps_per_sm, -1);
    EXPECT_EQ(occupancy(999, {32, 0, 96}, 5).warps_per_sm, 15);
}

}  // namespace

}  // namespace gwatch::fidelity
