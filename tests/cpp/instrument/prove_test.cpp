// Which sites the uniformity analysis places as proven, and that they record as others do.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "instrument/instrument.h"
#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using instrument::Instrumented;
using instrument::Options;
using instrument::Placement;

Instrumented instrumented(const std::string& text, const Options& options = {}) {
    const auto module = ptx::parse(text, "case");
    EXPECT_TRUE(module.ok());
    auto result = instrument::instrument(*module, "k", options);
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    return std::move(result).value();
}

/// A marker that only threads below `limit` pass.
std::string below(const std::string& limit) {
    return "\tmov.u32 %r2, %tid.x;\n\tsetp.ge.u32 %p1, %r2, " + limit + ";\n\t@%p1 bra END;\n" +
           marker("mark 1") + "END:\n\tret;\n";
}

TEST(Prove, AMarkerThatAllLanesPassIsProvenAndSoIsTheExit) {
    const Instrumented result = instrumented(kernel_text(marker("mark 1") + "\tret;\n"));
    EXPECT_EQ(result.markers[0].placement, Placement::kProven);
    EXPECT_EQ(result.markers[0].placement_reason, "");
    EXPECT_EQ(result.sites.sites[0].placement, Placement::kProven);
    EXPECT_EQ(result.sites.sites[1].placement, Placement::kProven);
}

TEST(Prove, AMarkerOfSomeLanesSaysWhichBranchPartsThem) {
    const Instrumented result = instrumented(kernel_text(below("5")));
    EXPECT_EQ(result.markers[0].placement, Placement::kUnknown);
    EXPECT_NE(result.markers[0].placement_reason.find("%tid.x"), std::string::npos)
        << result.markers[0].placement_reason;
    EXPECT_EQ(result.sites.sites[1].placement, Placement::kProven) << "lanes meet at the exit";
}

TEST(Prove, TheShapeOfTheBlockProvesBranchesBetweenWarps) {
    const std::string text = kernel_text(below("32"));
    Options one_row;
    one_row.shape.block = {128, 1, 1};
    Options two_rows;
    two_rows.shape.block = {48, 2, 1};
    EXPECT_EQ(instrumented(text, one_row).markers[0].placement, Placement::kProven);
    EXPECT_EQ(instrumented(text, two_rows).markers[0].placement, Placement::kUnknown);
}

TEST(Prove, AGuardedMarkerIsNotProven) {
    const std::string guarded =
        "\tsetp.lt.u32 %p1, %r1, 5;\n\t// gwatch:mark 1\n\t@%p1 mov.u32 %r2, 0;\n\tret;\n";
    EXPECT_EQ(instrumented(kernel_text(guarded)).markers[0].placement, Placement::kUnknown);
}

TEST(Prove, CanBeLeftOut) {
    Options options;
    options.prove = false;
    const Instrumented result = instrumented(kernel_text(marker("mark 1") + "\tret;\n"), options);
    EXPECT_EQ(result.markers[0].placement, Placement::kUnknown);
    EXPECT_NE(result.markers[0].placement_reason, "");
}

TEST(Prove, NoSiteOfAKernelWhoseFunctionsMayEndThreads) {
    const std::string leaver = ".func leave\n{\n\t.reg .pred %p<2>;\n\t@%p1 exit;\n\tret;\n}\n";
    const Instrumented result =
        instrumented(kernel_text(marker("mark 1") + "\tcall leave;\n\tret;\n", leaver));
    EXPECT_EQ(result.markers[0].placement, Placement::kUnknown);
    EXPECT_EQ(result.markers[0].placement_reason,
              "a device function that the kernel may call ends threads");
    for (const auto& site : result.sites.sites) EXPECT_NE(site.placement, Placement::kProven);
    const Instrumented without = instrumented(kernel_text(marker("mark 1") + "\tret;\n", leaver));
    EXPECT_EQ(without.markers[0].placement, Placement::kProven) << "nothing calls it";
}

TEST(Prove, AProvenMarkerBranchesOnlyWhereItsRegionIsFull) {
    // In front of the first one, the warp finds its place.
    const std::string text =
        instrumented(kernel_text(marker("mark 0") + "\tadd.u32 %r2, %r1, 1;\n" + marker("mark 1") +
                                 "\tret;\n"))
            .ptx;
    const std::size_t begin = text.find("// gwatch:mark 1");
    const std::size_t end = text.find("%r7, 0;", begin);
    const std::size_t refill = text.find("$gwatch_full2:");
    ASSERT_LT(begin, end);
    ASSERT_LT(end, refill);
    const std::size_t branch = text.find("bra", begin);
    EXPECT_EQ(text.find("@%gwatch_full bra.uni $gwatch_full2;", begin), branch - 14);
    EXPECT_GT(text.find("bra", branch + 1), end);
    EXPECT_GT(text.find("activemask"), refill) << "nor does the exit ask who is there";
}

/// Markers in a row, each a site of its own.
std::string marks(std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
        text += marker("mark 1") + "\tadd.u32 %r2, %r1, 1;\n";
    }
    return text;
}

/// With a region that is almost, just and more than full: one series of eight fits in, and the
/// exit.
TEST(Prove, AFullRegionDropsAndCountsAndHasRoomForTheExit) {
    for (std::uint32_t count = 5; count <= 40; ++count) {
        const TracedKernel kernel(kernel_text(marks(count) + "\tret;\n"), "k", std::nullopt);
        ASSERT_EQ(kernel.sites().sites[0].placement, Placement::kProven);
        Memory layout;
        layout.region_slots = 16;
        layout.pool_chunks = 0;
        const Traced traced = kernel.run(layout, {});
        ASSERT_EQ(traced.failure, "") << count;
        EXPECT_EQ(traced.events.size(), std::min(count, 8u) + 1) << count;
        EXPECT_EQ(traced.cold_count(), 0u) << count;
        EXPECT_EQ(traced.threads_at(static_cast<std::uint16_t>(count + 1)), 32u) << count;
        const std::uint32_t dropped = count - std::min(count, 8u);
        EXPECT_EQ(traced.control.dropped_records, dropped) << count;
        EXPECT_EQ(traced.control.dropped_events, dropped) << count;
        EXPECT_EQ(traced.control.most_overflow, dropped) << count;
    }
}

/// A chunk has 126 slots; 4 and 2 of them are room for the longest record and the exit.
TEST(Prove, AFullRegionGoesOnInThePool) {
    for (std::uint32_t count = 1; count <= 700; count += 1 + count / 9) {
        const TracedKernel kernel(kernel_text(marks(count) + "\tret;\n"), "k", std::nullopt);
        Memory layout;
        layout.region_slots = 16;
        const Traced traced = kernel.run(layout, {});
        ASSERT_EQ(traced.failure, "") << count;
        ASSERT_EQ(traced.events.size(), count + 1) << count;
        for (std::uint32_t i = 0; i <= count; ++i) EXPECT_EQ(traced.events[i].site, i + 1);
        EXPECT_EQ(traced.cold_count(), 0u) << count;
        EXPECT_EQ(traced.control.dropped_records, 0u) << count;
        const std::uint32_t whole = count / 8;
        EXPECT_EQ(traced.control.chunks_taken, whole == 0 ? 0u : 1 + (whole - 1) / 20) << count;
    }
}

Simulation any_order(std::uint32_t seed) {
    Simulation simulation;
    if (seed != 0) simulation.schedule = Schedule::kRandom;
    simulation.seed = seed;
    return simulation;
}

/// Markers of the records that are there.
std::uint64_t events_of(const TracedKernel& kernel, const Traced& traced) {
    std::uint64_t events = 0;
    for (const Event& event : traced.events) {
        events += kernel.sites().sites[event.site - 1].markers;
    }
    return events;
}

/// A loop of `7 * block + 2` turns: three markers at one site, then one, then two, in a record of
/// two slots. Thirteen of these fit in.
TEST(Prove, WhatSeveralWarpsDropIsCountedInRecordsAndInEvents) {
    const std::string text = kernel_text(
        "\tmov.u32 %r2, 0;\n\tmov.u32 %r3, %ctaid.x;\n\tmad.lo.u32 %r3, %r3, 7, 2;\nLOOP:\n" +
        marker("end 1") + marker("start 2") + marker("mark 3") + "\tadd.u32 %r2, %r2, 1;\n" +
        marker("end 2") + "\tsetp.lt.u32 %p2, %r2, %r3;\n" + marker("mark 4") + marker("start 1") +
        "\t@%p2 bra LOOP;\n\tret;\n");
    const TracedKernel kernel(text, "k", std::nullopt);
    for (const auto& site : kernel.sites().sites) ASSERT_EQ(site.placement, Placement::kProven);
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        Memory layout;
        layout.region_slots = 32;
        layout.pool_chunks = 0;
        Simulation simulation = any_order(seed);
        simulation.grid = {4, 1, 1};
        simulation.block = {64, 1, 1};
        const Traced traced = kernel.run(layout, simulation);
        ASSERT_EQ(traced.failure, "") << seed;
        const std::uint32_t turns = 2 * (2 + 9 + 16 + 23);
        EXPECT_EQ(events_of(kernel, traced) + traced.control.dropped_events, 6u * turns) << seed;
        EXPECT_EQ(traced.control.most_overflow, 6u * (23 - 13)) << seed;
        EXPECT_EQ(traced.control.dropped_events, 2u * 6 * (16 - 13 + 23 - 13)) << seed;
        EXPECT_EQ(traced.control.dropped_records, traced.control.dropped_events) << seed;
        for (std::uint32_t region = 0; region < 8; ++region) {
            const std::uint32_t passed = region / 2 * 7 + 2;
            EXPECT_EQ(traced.of_region(region).size(), 3 * std::min(passed, 13u) + 1) << region;
        }
    }
}

/// Lane 0 leaves before the others, or after them, or in the middle with some.
TEST(Prove, DropsAreCountedOnceHoweverTheLanesLeave) {
    // Those that leave first, and the markers that some of the others pass.
    const std::pair<const char*, std::uint32_t> cases[] = {
        {"eq.u32 %p1, %r1, 0", 2}, {"ne.u32 %p1, %r1, 0", 1}, {"lt.u32 %p1, %r1, 9", 2}};
    for (const auto& [leaves, markers] : cases) {
        const std::string text =
            kernel_text(marks(30) + "\tsetp." + std::string(leaves) + ";\n\t@%p1 exit;\n" +
                        marker("mark rest") + "\tsetp.gt.u32 %p2, %r1, 20;\n\t@!%p2 ret;\n" +
                        marker("mark last") + "\tret;\n");
        const TracedKernel kernel(text, "k", std::nullopt);
        ASSERT_EQ(kernel.sites().sites[29].placement, Placement::kProven);
        ASSERT_NE(kernel.sites().sites[31].placement, Placement::kProven);
        for (std::uint32_t seed = 0; seed < 12; ++seed) {
            Memory layout;
            layout.region_slots = 16;
            layout.pool_chunks = 0;
            const Traced traced = kernel.run(layout, any_order(seed));
            ASSERT_EQ(traced.failure, "") << leaves << seed;
            EXPECT_EQ(traced.control.most_overflow, 22u) << leaves << seed;
            EXPECT_GE(traced.control.dropped_events, 22u + markers) << leaves << seed;
            if (seed != 0) continue;
            EXPECT_EQ(traced.control.chunks_taken, 1u) << "the warp tried, and lanes gave back";
            EXPECT_EQ(traced.control.dropped_records, 22 + traced.control.cold_misses);
            EXPECT_EQ(traced.control.dropped_events, 22u + markers) << leaves;
        }
    }
}

/// All lanes pass the second marker too, but a branch by %tid.x leads there.
TEST(Prove, ProvenAndUnknownMarkersOfAFullRegionGoOnInThePool) {
    const std::string text = kernel_text(
        "\tmov.u32 %r2, 0;\nLOOP:\n" + marker("start 1") + marker("start 2") +
        "\tsetp.gt.u32 %p1, %r1, 999;\n\t@%p1 bra MEET;\n" + marker("mark 3") +
        "MEET:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p2, %r2, 90;\n\t@%p2 bra LOOP;\n\tret;\n");
    const TracedKernel kernel(text, "k", std::nullopt);
    ASSERT_EQ(kernel.sites().sites[0].placement, Placement::kProven);
    ASSERT_EQ(kernel.sites().sites[1].placement, Placement::kUnknown);
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
        Memory layout;
        layout.region_slots = 16;
        layout.region_count = 6;
        layout.pool_chunks = 2000;
        Simulation simulation = any_order(seed);
        simulation.grid = {3, 1, 1};
        simulation.block = {64, 1, 1};
        const Traced traced = kernel.run(layout, simulation);
        ASSERT_EQ(traced.failure, "") << seed;
        std::uint64_t recorded = 0;
        for (std::uint32_t region = 0; region < 6; ++region) {
            std::uint64_t unknown = 0, left = 0;
            for (const Event& event : traced.of_region(region)) {
                const auto threads = static_cast<std::uint64_t>(std::popcount(event.mask));
                recorded += event.site == 1;
                unknown += event.site == 2 ? threads : 0;
                left += event.site == 3 ? threads : 0;
            }
            EXPECT_EQ(unknown, 32u * 90) << seed << " " << region;
            EXPECT_EQ(left, 32u) << seed << " " << region;
        }
        EXPECT_EQ(recorded, 6u * 90) << seed;
        EXPECT_EQ(traced.control.dropped_events, 0u) << seed;
        EXPECT_EQ(traced.control.dropped_records, 0u) << seed;
    }
}

TEST(Prove, WarpsThatAreNotRecordedCountNoDrops) {
    const TracedKernel kernel(kernel_text(marks(50) + "\tret;\n"), "k", std::nullopt);
    Memory layout;
    layout.region_slots = 16;
    layout.region_count = 2;
    layout.block_stride = 2;
    layout.block_count = 3;
    layout.warp_mask = 0b10;
    layout.pool_chunks = 0;
    Simulation simulation;
    simulation.grid = {6, 1, 1};
    simulation.block = {96, 1, 1};
    const Traced traced = kernel.run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 2u * 9);
    EXPECT_EQ(traced.control.dropped_records, 2u * 42);
    EXPECT_EQ(traced.control.dropped_events, 2u * 42);
    EXPECT_EQ(traced.control.chunks_taken, 2u) << "each recorded warp tried once";
    EXPECT_EQ(traced.control.most_overflow, 42u);
}

TEST(Prove, WithoutAPoolTheExitIsStillThere) {
    const TracedKernel kernel(kernel_text(marks(9) + "\tret;\n"), "k", std::nullopt);
    Memory layout;
    layout.region_slots = 16;
    layout.pool_chunks = 0;
    const Traced traced = kernel.run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 9u);
    EXPECT_EQ(traced.control.dropped_records, 1u);
    EXPECT_EQ(traced.control.dropped_events, 1u);
    EXPECT_EQ(traced.control.most_overflow, 1u);
}

/// Lanes may pass a proven marker one after the other, and meet an unproven one in any groups.
TEST(Prove, ProvenAndUnprovenSitesOfOneWarpLoseNothingUncountedInAnyOrderOfLanes) {
    const std::string text =
        kernel_text("\tmov.u32 %r2, 0;\n\tsetp.ge.u32 %p1, %r1, 5;\nLOOP:\n" + marker("start 1") +
                    "\t@%p1 bra MEET;\n" + marker("mark 2") + "MEET:\n\tadd.u32 %r2, %r2, 1;\n" +
                    marker("end 1") + "\tsetp.lt.u32 %p2, %r2, 20;\n\t@%p2 bra LOOP;\n\tret;\n");
    const TracedKernel kernel(text, "k", std::nullopt);
    ASSERT_EQ(kernel.sites().sites[0].placement, Placement::kProven);
    ASSERT_EQ(kernel.sites().sites[1].placement, Placement::kUnknown);
    ASSERT_EQ(kernel.sites().sites[2].placement, Placement::kProven);
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        Memory layout;
        layout.region_slots = seed % 2 ? 16 : 128;
        layout.pool_chunks = 256;
        Simulation simulation;
        simulation.schedule = Schedule::kRandom;
        simulation.seed = seed;
        const Traced traced = kernel.run(layout, simulation);
        ASSERT_EQ(traced.failure, "") << seed;
        EXPECT_EQ(traced.control.dropped_records, 0u) << seed;
        EXPECT_EQ(traced.control.dropped_events, 0u) << seed;
        EXPECT_EQ(traced.threads_at(2), 5u * 20) << seed;
        EXPECT_EQ(traced.threads_at(1) + traced.threads_at(3), 32u * 40) << seed;
        EXPECT_EQ(traced.threads_at(4), 32u) << seed;
    }
}

}  // namespace
}  // namespace gwatch::testing
