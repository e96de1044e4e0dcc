// Which blocks and warps are recorded, and where.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "instrument/instrument.h"
#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

const TracedKernel& one_mark() {
    static const TracedKernel kernel(kernel_text(marker("mark 1") + "\tret;\n"));
    return kernel;
}

/// The region of a warp by the formula of the layout, or -1 for one that is not recorded.
std::int64_t expected_region(const Memory& layout, std::uint64_t block, std::uint32_t warp) {
    if (block >> 32 != 0 || block < layout.block_first ||
        (block - layout.block_first) % layout.block_stride != 0)
        return -1;
    const std::uint64_t index = (block - layout.block_first) / layout.block_stride;
    if (index >= layout.block_count || (layout.warp_mask >> warp & 1) == 0) return -1;
    const std::uint32_t below = layout.warp_mask & ((1u << warp) - 1);
    return static_cast<std::int64_t>(index * record::warps_per_region_group(layout.warp_mask) +
                                     record::warps_per_region_group(below));
}

std::vector<std::int64_t> entered(const Traced& traced) {
    std::vector<std::int64_t> regions;
    for (std::size_t i = 0; i < traced.headers.size(); ++i) {
        if (traced.headers[i].globaltimer != 0) regions.push_back(static_cast<std::int64_t>(i));
    }
    return regions;
}

TEST(Selection, BlocksAndWarpsOfA3dLaunch) {
    Simulation simulation;
    simulation.grid = {2, 3, 2};
    simulation.block = {16, 2, 4};
    Memory layout;
    layout.region_count = 9;
    layout.block_first = 1;
    layout.block_stride = 4;
    layout.block_count = 3;
    layout.warp_mask = 0b1011;
    const Traced traced = one_mark().run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(entered(traced), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    for (std::uint32_t region = 0; region < 9; ++region) {
        EXPECT_EQ(traced.headers[region].block, 1 + region / 3 * 4) << region;
        EXPECT_EQ(traced.of_region(region).size(), 2u) << region;
    }
}

TEST(Selection, WarpsBehindTheLastRegionWriteNothing) {
    Simulation simulation;
    simulation.grid = {4, 1, 1};
    simulation.block = {64, 1, 1};
    Memory layout;
    layout.region_count = 5;
    layout.warp_mask = 0b111;
    const Traced traced = one_mark().run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(entered(traced), (std::vector<std::int64_t>{0, 1, 3, 4}));
    EXPECT_EQ(traced.events.size(), 8u);
}

/// One block of a huge grid.
void expect_place(const Memory& layout, std::uint64_t block) {
    Simulation simulation;
    simulation.seen_grid = {0x7fffffff, 0xffff, 0xffff};
    const std::uint64_t row = block / simulation.seen_grid[0];
    simulation.first_block = {static_cast<std::uint32_t>(block % simulation.seen_grid[0]),
                              static_cast<std::uint32_t>(row % 0xffff),
                              static_cast<std::uint32_t>(row / 0xffff)};
    const Traced traced = one_mark().run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    const std::int64_t region = expected_region(layout, block, 0);
    const bool is_placed = region >= 0 && region < layout.region_count;
    EXPECT_EQ(entered(traced),
              is_placed ? std::vector<std::int64_t>{region} : std::vector<std::int64_t>{})
        << "block " << block << ", first " << layout.block_first << ", stride "
        << layout.block_stride;
    if (is_placed) {
        EXPECT_EQ(traced.headers[static_cast<std::size_t>(region)].block, block);
    }
    EXPECT_EQ(traced.events.size(), is_placed ? 2u : 0u);
}

TEST(Selection, BlocksBeyond32BitsAreNotTakenForOthers) {
    Memory layout;
    layout.warp_mask = 1;
    for (const std::uint32_t first : {0u, 5u}) {
        layout.block_first = first;
        for (const std::uint32_t stride : {1u, 2u, 0xfffffff0u, 0xffffffffu}) {
            layout.block_stride = stride;
            for (const std::uint64_t block : {0xfffffffeull, 0x1'0000'0000ull, 0x1'0000'0005ull,
                                              0x1'0000'0007ull, 0x7'0000'0000ull}) {
                expect_place(layout, block);
            }
        }
    }
}

TEST(Selection, AnyBlockAnyStride) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 150; ++round) {
        Memory layout;
        layout.warp_mask = 1;
        layout.block_stride = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1;
        layout.block_first = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
        layout.block_count = 0xffffffff;
        const std::uint64_t limit = (0xfffffffeull - layout.block_first) / layout.block_stride;
        const std::uint64_t index = (random() >> random() % 64) % (limit + 1);
        const std::uint64_t block = layout.block_first + index * layout.block_stride;
        expect_place(layout, block);
        expect_place(layout, block + 1);
        if (block > 0) expect_place(layout, block - 1);
    }
}

std::string every_warp_of(const std::array<std::uint32_t, 3>& block) {
    const auto module = ptx::parse(kernel_text(marker("mark 1") + "\tret;\n"));
    instrument::Options options;
    options.shape.block = block;
    options.every_warp = true;
    return instrument::instrument(*module, "k", options)->ptx;
}

TEST(Selection, IsLeftOutWhereEveryWarpIsRecorded) {
    const TracedKernel& chosen = one_mark();
    Simulation simulation;
    simulation.grid = {3, 2, 2};
    simulation.block = {20, 2, 2};
    Memory layout;
    layout.region_count = 36;
    layout.block_count = 12;
    layout.warp_mask = 0b111;
    const Traced expected = chosen.run(layout, simulation);
    const Traced traced = chosen.run(layout, simulation, every_warp_of(simulation.block));
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(entered(traced), entered(expected));
    for (std::size_t region = 0; region < 36; ++region) {
        EXPECT_EQ(traced.headers[region].block, region / 3) << region;
        EXPECT_EQ(traced.of_region(static_cast<std::uint32_t>(region)).size(), 2u) << region;
    }
}

TEST(Selection, AGridThatHasGrownStaysInTheMemory) {
    Simulation simulation;
    simulation.grid = {9, 1, 1};
    simulation.block = {64, 1, 1};
    Memory layout;
    layout.region_count = 8;
    layout.block_count = 4;
    const Traced traced = one_mark().run(layout, simulation, every_warp_of(simulation.block));
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(entered(traced).size(), 8u);
}

}  // namespace
}  // namespace gwatch::testing
