// Runs instrumented kernels in the simulator: every event is recorded once, or counted as dropped.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

/// `turns` turns of a loop with a start and an end around the store of a thread's own word.
std::string loop(std::uint32_t turns) {
    return "\tmov.u32 %r2, 0;\n\tld.param.u64 %rd1, [out];\n\tmad.wide.u32 %rd1, %r1, 4, "
           "%rd1;\nLOOP:\n" +
           marker("start 1") + "\tst.global.u32 [%rd1], %r2;\n" + marker("end 1") +
           "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, " + std::to_string(turns) +
           ";\n\t@%p1 bra LOOP;\n\tret;\n";
}

std::vector<std::uint16_t> sites_of(const std::vector<Event>& events) {
    std::vector<std::uint16_t> sites;
    for (const Event& event : events) sites.push_back(event.site);
    return sites;
}

bool clocks_rise(const std::vector<Event>& events) {
    return std::is_sorted(events.begin(), events.end(),
                          [](const Event& a, const Event& b) { return a.clock <= b.clock; });
}

TEST(Records, WholeWarpsWriteTheirRegions) {
    const TracedKernel kernel(kernel_text(loop(5)));
    Simulation simulation;
    simulation.grid = {3, 1, 1};
    simulation.block = {64, 1, 1};
    const Traced traced = kernel.run({}, simulation);
    ASSERT_EQ(traced.failure, "");
    for (std::uint32_t region = 0; region < 6; ++region) {
        EXPECT_EQ(sites_of(traced.of_region(region)),
                  (std::vector<std::uint16_t>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3}));
        EXPECT_TRUE(clocks_rise(traced.of_region(region)));
        EXPECT_NE(traced.headers[region].globaltimer, 0u);
        EXPECT_LT(traced.headers[region].clock, traced.of_region(region)[0].clock);
        EXPECT_EQ(traced.headers[region].block, region / 2);
        EXPECT_EQ(traced.headers[region].sm, region / 2);
        EXPECT_EQ(traced.headers[region].cluster_rank, region / 2 % 2);
    }
    EXPECT_EQ(traced.headers[6].globaltimer, 0u);
    EXPECT_EQ(traced.cold_count(), 0u);
    EXPECT_EQ(traced.control.chunks_taken, 0u);
}

TEST(Records, TheKernelItselfComputesTheSame) {
    const Traced traced = TracedKernel(kernel_text(loop(9))).run({}, {});
    ASSERT_EQ(traced.failure, "");
    for (std::size_t thread = 0; thread < 32; ++thread)
        EXPECT_EQ(traced.output[thread * 4], 8) << thread;
}

TEST(Records, ClocksKeep48Bits) {
    Simulation simulation;
    simulation.first_clock = 0x1234'5678'ffff'fc00;
    Memory layout;
    layout.region_slots = 128;
    const Traced traced = TracedKernel(kernel_text(loop(20))).run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.front().clock >> 32, 0x5678u);
    EXPECT_EQ(traced.events.back().clock >> 32, 0x5679u);
    EXPECT_TRUE(clocks_rise(traced.events));
}

TEST(Records, AFullRegionGoesOnInThePool) {
    Memory layout;
    layout.region_slots = 16;
    const Traced traced = TracedKernel(kernel_text(loop(100))).run(layout, {});
    ASSERT_EQ(traced.failure, "");
    ASSERT_EQ(traced.events.size(), 201u);
    EXPECT_EQ(traced.cold_count(), 0u);
    EXPECT_EQ(traced.control.chunks_taken, 4u) << "5 records in the region, 62 in a chunk";
    EXPECT_EQ(traced.events.back().site, 3) << "the exit stands behind the last record";
    EXPECT_TRUE(clocks_rise(traced.events));
    for (const Event& event : traced.events) {
        EXPECT_EQ(event.mask, 0xffffffffu);
        EXPECT_EQ(event.region, 0u);
    }
}

TEST(Records, LanesThatFindNoChunkGiveItsNumberBack) {
    Memory layout;
    layout.pool_chunks = 2;
    const TracedKernel kernel(kernel_text(loop(100)), "k", instrument::Placement::kParted);
    const Traced traced = kernel.run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.control.chunks_taken, 2u);
    EXPECT_EQ(traced.control.cold_misses, 200u - 2 * 63);
    EXPECT_EQ(traced.control.dropped_records, traced.control.cold_misses);
    EXPECT_EQ(traced.events.size(), 2 * 63 + 1u);
}

/// An exit takes two slots, which records never use up.
TEST(Records, AnExitAlwaysHasRoomInTheRegion) {
    for (std::uint32_t marks = 3; marks <= 9; ++marks) {
        std::string body;
        for (std::uint32_t i = 0; i < marks; ++i)
            body += marker("mark m") + "\tadd.u32 %r2, %r1, 1;\n";
        Memory layout;
        layout.region_slots = 16;
        layout.pool_chunks = 0;
        const Traced traced = TracedKernel(kernel_text(body + "\tret;\n")).run(layout, {});
        ASSERT_EQ(traced.failure, "") << marks;
        EXPECT_EQ(traced.events.size(), std::min(marks, 5u) + 1) << marks;
        EXPECT_EQ(traced.headers[0].globaltimer / 1'000'000'000, 1000u);
        const auto exit = std::find_if(traced.events.begin(), traced.events.end(),
                                       [&](const Event& e) { return e.site == marks + 1; });
        ASSERT_NE(exit, traced.events.end()) << marks;
        EXPECT_FALSE(exit->is_cold) << marks;
    }
}

TEST(Records, WhatFindsNoChunkIsCounted) {
    Memory layout;
    layout.region_slots = 16;
    layout.pool_chunks = 2;
    const std::string fused =
        "LOOP:\n" + marker("end 1") + marker("start 2") + marker("mark 3") +
        "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, 200;\n\t@%p1 bra LOOP;\n\tret;\n";
    const Traced traced = TracedKernel(kernel_text("\tmov.u32 %r2, 0;\n" + fused)).run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 5u + 1 + 2 * 62);
    EXPECT_EQ(traced.control.dropped_records, 3 * (201 - traced.events.size()));
    EXPECT_EQ(traced.control.dropped_events, 3 * (201 - traced.events.size()));
    EXPECT_EQ(traced.control.chunks_taken, 3u) << "it is tried once";
}

TEST(Records, WithoutAPoolOnlyTheRegionIsWritten) {
    Memory layout;
    layout.region_slots = 16;
    layout.pool_chunks = 0;
    const Traced traced = TracedKernel(kernel_text(loop(50))).run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 6u);
    EXPECT_EQ(traced.control.dropped_records, 95u);
    EXPECT_EQ(traced.control.dropped_events, 95u);
}

TEST(Records, HalvesOfAWarpKeepTheirEvents) {
    const std::string body = "\tsetp.lt.u32 %p1, %r1, 16;\n\t@%p1 bra LOW;\n" +
                             marker("mark upper") + "\tbra JOIN;\nLOW:\n" + marker("mark lower") +
                             "JOIN:\n" + marker("mark both") + "\tret;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    ASSERT_EQ(traced.events.size(), 4u);
    EXPECT_EQ(sites_of(traced.events), (std::vector<std::uint16_t>{3, 4, 1, 2}));
    EXPECT_EQ(traced.events[2].mask, 0xffff0000u);
    EXPECT_EQ(traced.events[3].mask, 0x0000ffffu);
    EXPECT_EQ(traced.control.chunks_taken, 2u);
}

TEST(Records, LanesLeaveALoopOneAfterTheOther) {
    const std::string body =
        "\tmov.u32 %r2, 0;\nLOOP:\n" + marker("mark turn") +
        "\tadd.u32 %r2, %r2, 1;\n\tsetp.le.u32 %p1, %r2, %r1;\n\t@%p1 bra LOOP;\n\tret;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.threads_at(1), 32u * 33 / 2);
    for (std::uint32_t turn = 1; turn < 32; ++turn) {
        const auto found =
            std::count_if(traced.events.begin(), traced.events.end(), [&](const Event& event) {
                return event.site == 1 && event.mask == 0xffffffffu << turn;
            });
        EXPECT_EQ(found, 1) << turn;
    }
}

TEST(Records, AWarpWithFewerThreadsUsesThePool) {
    Simulation simulation;
    simulation.block = {8, 5, 1};
    const Traced traced = TracedKernel(kernel_text(loop(3))).run({}, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.cold_count(), 7u);
    for (const Event& event : traced.of_region(1)) EXPECT_EQ(event.mask, 0xffu);
    EXPECT_NE(traced.headers[1].globaltimer, 0u);
}

TEST(Records, GuardedExitsAreRecordedByThoseWhoLeave) {
    const std::string body = "\tsetp.gt.u32 %p1, %r1, 9;\n\t@%p1 ret;\n" + marker("mark rest") +
                             "\tsetp.gt.u32 %p2, %r1, 3;\n\t@!%p2 exit;\n\tret.uni;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.threads_at(1), 22u);
    EXPECT_EQ(traced.threads_at(2), 10u);
    EXPECT_EQ(traced.threads_at(3), 4u);
    EXPECT_EQ(traced.threads_at(4), 6u);
}

TEST(Records, AGuardedExitOfTheWholeWarpIsHot) {
    const std::string body =
        "\tsetp.lt.u32 %p1, %r1, 99;\n\t@%p1 exit;\n" + marker("mark never") + "\tret;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    ASSERT_EQ(traced.events.size(), 1u);
    EXPECT_FALSE(traced.events[0].is_cold);
    EXPECT_EQ(traced.events[0].globaltimer / 1'000'000'000, 1000u);
}

TEST(Records, ABodyThatEndsWithoutRetHasAnExit) {
    const Traced traced = TracedKernel(kernel_text(marker("mark 1"))).run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(sites_of(traced.events), (std::vector<std::uint16_t>{1, 2}));
}

TEST(Records, AGuardedMarkerIsRecordedByItsThreads) {
    const std::string body =
        "\tsetp.lt.u32 %p1, %r1, 5;\n\t// gwatch:mark few\n\t@%p1 mov.u32 %r7, 0;\n"
        "\t// gwatch:mark others\n\t@!%p1 mov.u32 %r7, 0;\n\tret;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.threads_at(1), 5u);
    EXPECT_EQ(traced.threads_at(2), 27u);
    EXPECT_EQ(traced.threads_at(3), 32u);
}

TEST(Records, AMarkerInBracesOfItsOwn) {
    const std::string body = "\t{ .reg .b32 t;\n\t// gwatch:mark 1\n\tmov.u32 t, 0; }\n\tret;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 2u);
}

/// Labels of a body are not seen in there, nor the other way round.
TEST(Records, AMarkerInBracesOfItsOwnMayFillTheRegion) {
    const std::string body =
        "\tmov.u32 %r2, 0;\nLOOP:\n\t{ .reg .b32 t;\n\t// gwatch:mark 1\n\tmov.u32 t, 0; }\n"
        "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, 100;\n\t@%p1 bra LOOP;\n\tret;\n";
    for (const auto placement : {instrument::Placement::kProven, instrument::Placement::kUnknown}) {
        const TracedKernel kernel(kernel_text(body), "k", placement);
        Memory layout;
        layout.region_slots = 16;
        for (const std::uint32_t chunks : {0u, 1u, 8u}) {
            layout.pool_chunks = chunks;
            const Traced traced = kernel.run(layout, {});
            ASSERT_EQ(traced.failure, "");
            const std::uint32_t events = std::min(100u, 5 + 62 * chunks);
            EXPECT_EQ(traced.events.size(), events + 1);
            EXPECT_EQ(traced.control.dropped_events, 100u - events);
        }
    }
}

TEST(Records, OldTextHasNoActivemask) {
    std::string text = kernel_text(loop(3));
    text.replace(text.find("8.0\n.target sm_90a"), 18, "3.2\n.target sm_30 ");
    const TracedKernel kernel(text);
    EXPECT_EQ(kernel.text().find("activemask"), std::string::npos);
    EXPECT_EQ(kernel.text().find(".sync"), std::string::npos);
    EXPECT_EQ(kernel.text().find("cluster_ctarank"), std::string::npos);
    const Traced traced = kernel.run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 7u);
}

TEST(Records, AProvenMarkerNeedsNoMask) {
    Memory layout;
    layout.region_slots = 16;
    layout.pool_chunks = 0;
    const TracedKernel kernel(kernel_text(loop(40)), "k", instrument::Placement::kProven);
    const Traced traced = kernel.run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 6u);
    EXPECT_EQ(traced.cold_count(), 0u);
    EXPECT_EQ(traced.control.dropped_records, 75u);
    EXPECT_TRUE(clocks_rise(traced.events));
}

TEST(Records, ATrapRecordsNothing) {
    const TracedKernel kernel(kernel_text(marker("mark 1") + "\ttrap;\n"));
    EXPECT_EQ(kernel.sites().sites.size(), 1u);
}

}  // namespace
}  // namespace gwatch::testing
