#include "trace/decode.h"

#include <gtest/gtest.h>

#include "simulated_launch.h"

namespace gwatch::trace {
namespace {

using namespace simulated;  // NOLINT: the simulated GPU

constexpr std::uint32_t kAll = 0xffffffff;

/// One warp of one block on one SM, with two scopes.
struct OneWarp {
    instrument::SiteTable sites = simple_sites(2);
    SimulatedLaunch launch;

    explicit OneWarp(std::uint32_t threads = 32)
        : launch(small_request(1, threads), SimulatedGpu{}, exit_site(sites)) {
        launch.enter(0, 0, 0);
    }
    trace::Run decode() {
        auto run = trace::decode(launch.records(), sites);
        EXPECT_TRUE(run.ok()) << run.error().to_string();
        return *run;
    }
};

struct Row {
    std::int64_t start_ns;
    std::int64_t duration_ns;
    std::uint32_t scope;
    std::uint32_t depth;
    std::uint32_t mask;
};

std::vector<Row> rows_of(const Slices& slices) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        rows.push_back({slices.start_ns[i], slices.duration_ns[i], slices.scope[i], slices.depth[i],
                        slices.mask[i]});
    }
    return rows;
}

/// The simulated times are whole ns, the fit's rate is good to some parts in a thousand.
void expect_rows(const Run& run, const std::vector<Row>& expected) {
    const std::vector<Row> rows = rows_of(run.slices);
    ASSERT_EQ(rows.size(), expected.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(rows[i].start_ns, expected[i].start_ns, 1 + expected[i].start_ns / 200) << i;
        EXPECT_NEAR(rows[i].duration_ns, expected[i].duration_ns, 1 + expected[i].duration_ns / 200)
            << i;
        EXPECT_EQ(rows[i].scope, expected[i].scope) << i;
        EXPECT_EQ(rows[i].depth, expected[i].depth) << i;
        EXPECT_EQ(rows[i].mask, expected[i].mask) << i;
    }
}

TEST(Decode, NestedScopes) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    warp.launch.hot(0, start_site(1), 2000);
    warp.launch.hot(0, end_site(1), 5000);
    warp.launch.hot(0, end_site(0), 9000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, {{1000, 8000, 0, 0, kAll}, {2000, 3000, 1, 1, kAll}});
    ASSERT_EQ(run.lanes.size(), 1u);
    EXPECT_EQ(run.lanes[0].enter_ns, 0);
    EXPECT_NEAR(run.lanes[0].exit_ns, 20000, 64);
    EXPECT_EQ(run.lanes[0].events, 4u);
    EXPECT_EQ(run.lanes[0].first_slice, 0u);
    EXPECT_EQ(run.lanes[0].end_slice, 2u);
    EXPECT_EQ(run.counts.events, 4u);
    EXPECT_EQ(run.counts.records, 5u);
    EXPECT_EQ(run.counts.warps_in_grid, 1u);
    EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
    EXPECT_EQ(run.sites[0].actions, std::vector<std::string>{"start scope0"});
    EXPECT_EQ(run.sites.back().actions, std::vector<std::string>{"exit"});
    EXPECT_EQ(run.sites.back().records, 1u);
}

TEST(Decode, SameScopeInsideItself) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    warp.launch.hot(0, start_site(0), 2000);
    warp.launch.hot(0, end_site(0), 3000);
    warp.launch.hot(0, end_site(0), 7000);
    warp.launch.exit(0, 20000);
    expect_rows(warp.decode(), {{1000, 6000, 0, 0, kAll}, {2000, 1000, 0, 1, kAll}});
}

TEST(Decode, OverlappingScopesStayAsTheyAre) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    warp.launch.hot(0, start_site(1), 2000);
    warp.launch.hot(0, end_site(0), 3000);
    warp.launch.hot(0, end_site(1), 7000);
    warp.launch.exit(0, 20000);
    expect_rows(warp.decode(), {{1000, 2000, 0, 0, kAll}, {2000, 5000, 1, 1, kAll}});
}

/// Scope 0 goes on from the end of a turn into the next; scope 1 is in one turn, and overlaps it.
TEST(Decode, ScopeThatIsEndedInALaterTurn) {
    OneWarp warp;
    std::vector<Row> expected;
    constexpr int kTurns = 4;
    for (int turn = 0; turn < kTurns; ++turn) {
        const std::int64_t begin = 1000 + 3000 * turn;
        if (turn > 0) warp.launch.hot(0, end_site(0), begin);
        warp.launch.hot(0, start_site(1), begin + 500);
        warp.launch.hot(0, start_site(0), begin + 1000);
        warp.launch.hot(0, end_site(1), begin + 1500);
        expected.push_back({begin + 500, 1000, 1, 0, kAll});
        if (turn + 1 < kTurns) expected.push_back({begin + 1000, 2000, 0, 1, kAll});
    }
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, expected);
    EXPECT_EQ(run.counts.orphan_starts, 1u);
    EXPECT_EQ(run.counts.orphan_ends, 0u);
}

TEST(Decode, FusedSwitchEndsBeforeItStarts) {
    OneWarp warp;
    instrument::Site& site = warp.sites.sites[0];
    site.actions = {{instrument::ActionKind::kEnd, 0}, {instrument::ActionKind::kStart, 0}};
    site.markers = 2;
    site.placement = instrument::Placement::kProven;
    warp.launch.hot(0, 1, 1000);
    warp.launch.hot(0, 1, 2000);
    warp.launch.hot(0, end_site(0), 4000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, {{1000, 1000, 0, 0, kAll}, {2000, 2000, 0, 0, kAll}});
    EXPECT_EQ(run.counts.events, 5u);
    EXPECT_EQ(run.counts.records, 4u);
    EXPECT_EQ(run.counts.orphan_ends, 1u);
    EXPECT_EQ(run.sites[0].actions, (std::vector<std::string>{"end scope0", "start scope0"}));
    EXPECT_EQ(run.sites[0].placement, "proven");
}

TEST(Decode, MarksAreInstants) {
    OneWarp warp;
    warp.launch.hot(0, mark_site(1), 3000);
    warp.launch.cold(0, 4, mark_site(0), 0x10, 4000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    ASSERT_EQ(run.marks.size(), 2u);
    EXPECT_EQ(run.marks.scope, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(run.marks.mask, (std::vector<std::uint32_t>{kAll, 0x10}));
    EXPECT_NEAR(run.marks.time_ns[1], 4000, 20);
}

TEST(Decode, EndOfSomeThreadsClosesForThemAlone) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    warp.launch.cold(0, 0, end_site(0), 0x0000ffff, 3000);
    warp.launch.cold(0, 16, end_site(0), 0xffff0000, 6000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, {{1000, 2000, 0, 0, 0x0000ffff}, {1000, 5000, 0, 0, 0xffff0000}});
    EXPECT_EQ(run.counts.orphan_starts, 0u);
}

TEST(Decode, EndOfAllClosesWhatPartsOpened) {
    OneWarp warp;
    warp.launch.cold(0, 0, start_site(0), 0x000000ff, 1000);
    warp.launch.cold(0, 8, start_site(0), 0x0000ff00, 2000);
    warp.launch.hot(0, end_site(0), 4000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, {{1000, 3000, 0, 0, 0x000000ff}, {2000, 2000, 0, 0, 0x0000ff00}});
    ASSERT_EQ(run.orphan_ends.size(), 1u);
    EXPECT_EQ(run.orphan_ends.mask[0], 0xffff0000u);
    EXPECT_EQ(run.orphan_ends.scope[0], 0u);
    EXPECT_EQ(run.orphan_ends.lane[0], 0u);
    EXPECT_NEAR(run.orphan_ends.time_ns[0], 4000, 20);
}

TEST(Decode, DepthCountsOnlySharedThreads) {
    OneWarp warp;
    warp.launch.cold(0, 0, start_site(0), 0x000000ff, 1000);
    warp.launch.cold(0, 8, start_site(1), 0x0000ff00, 2000);
    warp.launch.cold(0, 0, start_site(1), 0x0000000f, 3000);
    warp.launch.cold(0, 0, end_site(1), 0x0000000f, 4000);
    warp.launch.cold(0, 8, end_site(1), 0x0000ff00, 5000);
    warp.launch.cold(0, 0, end_site(0), 0x000000ff, 6000);
    warp.launch.exit(0, 20000);
    expect_rows(warp.decode(), {{1000, 5000, 0, 0, 0x000000ff},
                                {2000, 3000, 1, 0, 0x0000ff00},
                                {3000, 1000, 1, 1, 0x0000000f}});
}

TEST(Decode, DepthOfAPartIgnoresTheOtherPartsScopes) {
    OneWarp warp;
    warp.launch.cold(0, 0, start_site(0), 0x1, 1000);
    warp.launch.cold(0, 0, start_site(1), 0x3, 2000);
    warp.launch.cold(0, 0, end_site(1), 0x1, 3000);
    warp.launch.cold(0, 1, end_site(1), 0x2, 4000);
    warp.launch.cold(0, 0, end_site(0), 0x1, 5000);
    warp.launch.exit(0, 20000);
    expect_rows(warp.decode(),
                {{1000, 4000, 0, 0, 0x1}, {2000, 1000, 1, 1, 0x1}, {2000, 2000, 1, 0, 0x2}});
}

TEST(Decode, OrphanStartIsNoSlice) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    warp.launch.hot(0, start_site(1), 2000);
    warp.launch.hot(0, end_site(1), 3000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, {{2000, 1000, 1, 0, kAll}});
    ASSERT_EQ(run.orphan_starts.size(), 1u);
    EXPECT_EQ(run.orphan_starts.mask[0], kAll);
    EXPECT_NEAR(run.orphan_starts.time_ns[0], 1000, 20);
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_EQ(run.warnings[0],
              "1 scope start met no end: the scope is left by a way without scope_end (an early "
              "return, a "
              "break), or the end was dropped; they are kept as orphan_starts.");
}

TEST(Decode, OrphanStartOfSomeThreads) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    warp.launch.cold(0, 0, end_site(0), 0x7fffffff, 3000);
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    expect_rows(run, {{1000, 2000, 0, 0, 0x7fffffff}});
    ASSERT_EQ(run.orphan_starts.size(), 1u);
    EXPECT_EQ(run.orphan_starts.mask[0], 0x80000000u);
}

TEST(Decode, LastWarpOfABlockHasFewerThreads) {
    instrument::SiteTable sites = simple_sites(1);
    SimulatedLaunch launch(small_request(1, 40), SimulatedGpu{}, exit_site(sites));
    for (const std::uint32_t region : {0u, 1u}) {
        launch.enter(region, 0, 0);
        launch.hot(region, start_site(0), 1000);
        launch.hot(region, end_site(0), 2000);
        launch.exit(region, 20000);
    }
    const auto run = trace::decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->slices.mask, (std::vector<std::uint32_t>{kAll, 0xff}));
    EXPECT_NE(run->lanes[1].exit_ns, kUnknownTime);
}

TEST(Decode, ColdAndHotMergeByClock) {
    OneWarp warp;
    warp.launch.hot(0, start_site(0), 1000);
    for (int i = 0; i < 200; ++i) {  // more than one chunk a lane
        warp.launch.cold(0, 0, start_site(1), 0x0000ffff, 2000 + 100 * i);
        warp.launch.cold(0, 16, start_site(1), 0xffff0000, 2020 + 100 * i);
        warp.launch.cold(0, 16, end_site(1), 0xffff0000, 2050 + 100 * i);
        warp.launch.cold(0, 0, end_site(1), 0x0000ffff, 2060 + 100 * i);
    }
    warp.launch.hot(0, end_site(0), 40000);
    warp.launch.exit(0, 50000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.slices.size(), 401u);
    EXPECT_EQ(run.counts.events, 802u);
    EXPECT_EQ(run.counts.orphan_starts + run.counts.orphan_ends, 0u);
    for (std::size_t i = 1; i < run.slices.size(); ++i) {
        EXPECT_EQ(run.slices.depth[i], 1u);
        EXPECT_LE(run.slices.start_ns[i - 1], run.slices.start_ns[i]);
        EXPECT_EQ(run.slices.mask[i], i % 2 == 1 ? 0x0000ffffu : 0xffff0000u);
        EXPECT_NEAR(run.slices.duration_ns[i], i % 2 == 1 ? 60 : 30, 2);
    }
}

TEST(Decode, FullRegionGoesOnInThePool) {
    instrument::SiteTable sites = simple_sites(1);
    record::PlanRequest request = small_request(1, 1024, 128 << 10);
    SimulatedLaunch launch(request, SimulatedGpu{}, exit_site(sites));
    launch.enter(5, 0, 0);
    const std::uint32_t slots = launch.plan().constants.region_slots;
    for (std::uint32_t i = 0; i < slots; ++i) {
        launch.hot(5, start_site(0), 100 + 100 * i);
        launch.hot(5, end_site(0), 150 + 100 * i);
    }
    launch.exit(5, 1e6);
    const auto run = trace::decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->slices.size(), slots);
    EXPECT_EQ(run->lanes.size(), 1u);
    EXPECT_EQ(run->lanes[0].warp, 5u);
    EXPECT_NEAR(run->lanes[0].exit_ns, 1e6, 1000);
    EXPECT_EQ(run->warnings,
              std::vector<std::string>{
                  "31 selected warps left no records: the launch ended before they began."});
}

TEST(Decode, ExitNeedsAllThreads) {
    OneWarp warp;
    warp.launch.cold_exit(0, 0, 0x0000ffff, 50000);
    EXPECT_EQ(warp.decode().lanes[0].exit_ns, kUnknownTime);
    EXPECT_EQ(warp.decode().warnings,
              std::vector<std::string>{"1 warp left no record of the exit: the kernel trapped or "
                                       "was stopped, or the record was "
                                       "dropped; their lifetime counts to their last record."});
    warp.launch.cold_exit(0, 16, 0xffff0000, 90000);
    const trace::Run run = warp.decode();
    EXPECT_NEAR(run.lanes[0].exit_ns, 90000, 64);
    EXPECT_TRUE(run.warnings.empty());
}

TEST(Decode, DropsAreToldWithTheSizeThatWouldDo) {
    instrument::SiteTable sites = simple_sites(1);
    record::PlanRequest request = small_request(1, 32, 8192);
    const auto record_with = [&](std::uint64_t bytes) {
        request.buffer_bytes = bytes;
        SimulatedLaunch launch(request, SimulatedGpu{}, exit_site(sites));
        launch.enter(0, 0, 0);
        for (int i = 0; i < 3000; ++i) {
            launch.cold(0, i % 7, i % 14 < 7 ? start_site(0) : end_site(0), 1u << (i % 7), 100 * i);
        }
        launch.exit(0, 1e6);
        return decode(launch.records(), sites).value();
    };
    const trace::Run dropped = record_with(8192);
    EXPECT_GT(dropped.counts.dropped_records, 2000u);
    EXPECT_EQ(dropped.counts.dropped_records + dropped.counts.records, 3001u);
    EXPECT_GT(dropped.counts.buffer_bytes_needed, 8192u);
    EXPECT_LT(dropped.counts.buffer_bytes_needed, 300'000u);
    EXPECT_EQ(
        dropped.warnings[0],
        "2,811 events (2,811 records) were dropped: the buffer of 7,424 bytes was too small; pass "
        "buffer_bytes=" +
            std::to_string(dropped.counts.buffer_bytes_needed) + ".");
    const trace::Run whole = record_with(dropped.counts.buffer_bytes_needed);
    EXPECT_EQ(whole.counts.dropped_records, 0u);
    EXPECT_EQ(whole.counts.records, 3001u);
    EXPECT_EQ(whole.counts.buffer_bytes_needed, 0u);
}

/// Warps that fill their region, and with records of some lanes and of all the pool.
TEST(Decode, WhatARegionDroppedTellsTheBytesThatAreNeeded) {
    instrument::SiteTable sites = simple_sites(1);
    for (const int hot : {700, 3000, 100'000}) {
        for (const int cold : {0, 1, 700, 9000}) {
            const auto record_with = [&](std::uint64_t bytes) {
                SimulatedLaunch launch(small_request(2, 64, bytes), SimulatedGpu{},
                                       exit_site(sites));
                for (std::uint32_t region = 0; region < 4; ++region) {
                    launch.enter(region, 0, 0);
                    double ns = 0;
                    for (int i = 0; i < hot / 2; ++i) launch.hot(region, mark_site(0), ++ns);
                    for (int i = 0; i < cold; ++i)
                        launch.cold(region, 3, mark_site(0), 1u << 3, ++ns);
                    for (int i = hot / 2; i < hot; ++i) launch.hot(region, mark_site(0), ++ns);
                    launch.exit(region, 1e6);
                }
                return decode(launch.records(), sites).value();
            };
            const trace::Run dropped = record_with(16384);
            ASSERT_GT(dropped.counts.dropped_records, 0u);
            EXPECT_EQ(dropped.counts.dropped_records + dropped.counts.records,
                      4u * (1 + hot + cold));
            ASSERT_GT(dropped.counts.buffer_bytes_needed, 16384u);
            EXPECT_NE(dropped.warnings[0].find("pass buffer_bytes=" +
                                               std::to_string(dropped.counts.buffer_bytes_needed)),
                      std::string::npos);
            const trace::Run whole = record_with(dropped.counts.buffer_bytes_needed);
            EXPECT_EQ(whole.counts.dropped_records, 0u) << hot << " " << cold;
            EXPECT_EQ(whole.counts.records, 4u * (1 + hot + cold));
        }
    }
}

TEST(Decode, SamplingIsTold) {
    instrument::SiteTable sites = simple_sites(1);
    SimulatedLaunch launch(small_request(1000, 32, 64 << 10), SimulatedGpu{}, exit_site(sites));
    const std::uint32_t regions = launch.plan().constants.region_count;
    for (std::uint32_t region = 0; region < regions; ++region) {
        launch.enter(region, 0, 100 * region);
        launch.exit(region, 100 * region + 5000);
    }
    const auto run = trace::decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->lanes[1].block, launch.plan().constants.block_stride);
    EXPECT_EQ(run->counts.blocks_in_grid, 1000u);
    EXPECT_EQ(run->counts.blocks_selected, regions);
    EXPECT_EQ(run->warnings,
              std::vector<std::string>{
                  "Only " + std::to_string(regions) +
                  " of 1,000 blocks were recorded, evenly spaced over the grid: the buffer of " +
                  "65,280 bytes has no room for all; pass a larger buffer_bytes."});
}

TEST(Decode, EmptyLaunch) {
    instrument::SiteTable sites = simple_sites(1);
    SimulatedLaunch launch(small_request(2, 64), SimulatedGpu{}, exit_site(sites));
    const auto run = trace::decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->lanes.size(), 0u);
    EXPECT_EQ(run->time.span_ns, 0);
    EXPECT_EQ(run->warnings,
              std::vector<std::string>{
                  "4 selected warps left no records: the launch ended before they began."});
}

TEST(Decode, ManyOrphanStartsStayLinear) {
    instrument::SiteTable sites = simple_sites(2);
    SimulatedLaunch launch(small_request(1, 32, 64 << 20), SimulatedGpu{}, exit_site(sites));
    launch.enter(0, 0, 0);
    for (int i = 0; i < 300'000; ++i) {
        launch.hot(0, start_site(0), 100 * i + 10);
        launch.hot(0, start_site(1), 100 * i + 20);
        launch.hot(0, end_site(1), 100 * i + 30);
    }
    launch.exit(0, 4e7);
    const auto run = trace::decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->counts.orphan_starts, 300'000u);
    EXPECT_EQ(run->slices.size(), 300'000u);
    EXPECT_EQ(run->slices.depth.back(), 0u);
}

TEST(Decode, NamesInLatin1BecomeUtf8) {
    OneWarp warp;
    warp.sites.scopes[0].name =
        "gr\xf6\xdf"
        "e";
    warp.sites.scopes[1].source.file = "k\xc3\xa4se.py";
    warp.launch.exit(0, 20000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.scopes[0].name,
              "gr\xc3\xb6\xc3\x9f"
              "e");
    EXPECT_EQ(run.scopes[1].file, "k\xc3\xa4se.py");
    EXPECT_EQ(run.sites[0].actions[0],
              "start gr\xc3\xb6\xc3\x9f"
              "e");
}

}  // namespace
}  // namespace gwatch::trace
