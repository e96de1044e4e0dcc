#include <gtest/gtest.h>

#include <numeric>

#include "random_run.h"
#include "trace/statistics.h"
#include "views/concurrency.h"
#include "views/critical.h"
#include "views/segments.h"
#include "views/time_shares.h"

namespace gwatch::views {

namespace {

using testing::add_lane;
using testing::make_run;
using testing::random_run;

constexpr std::uint32_t kNobody = ~0u;
constexpr std::int64_t kLongest = 400;

/// [lane][ns]: the innermost scope.
std::vector<std::vector<std::uint32_t>> innermost(const trace::Run& run) {
    std::vector<std::vector<std::uint32_t>> rows;
    for (const trace::Lane& lane : run.lanes) {
        std::vector<report::Segment> segments;
        report::flatten_lane(run, lane, segments);
        rows.emplace_back(kLongest, kNobody);
        for (const report::Segment& segment : segments)
            for (std::int64_t ns = segment.start_ns; ns < segment.end_ns; ++ns)
                rows.back()[ns] = run.slices.scope[segment.slice];
    }
    return rows;
}

TEST(TimeShares, CountEachNanosecondOnce) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const trace::Run run = random_run(seed, seed % 2 == 0);
        const TimeShares shares = time_shares(run);
        std::vector<std::int64_t> expected(run.scopes.size(), 0);
        for (const auto& row : innermost(run))
            for (const std::uint32_t scope : row)
                if (scope != kNobody) ++expected[scope];
        EXPECT_EQ(shares.self_ns, expected);
        const std::int64_t in_scopes = std::accumulate(expected.begin(), expected.end(), 0l);
        EXPECT_EQ(shares.gap_ns + in_scopes, shares.lifetime_ns);
    }
}

TEST(WarpGroups, AreByTheSetOfScopes) {
    trace::Run run = make_run();
    for (std::uint64_t block = 0; block < 2; ++block) {
        add_lane(run, block, 0, 0, 50, {{0, 30, 0}});
        add_lane(run, block, 1, 0, 100, {{0, 10, 1}, {10, 40, 2}});
        add_lane(run, block, 3, 0, 100, {{0, 10, 2}, {10, 40, 1}, {50, 60, 2}});
    }
    const std::vector<WarpGroup> groups = warp_groups(run);

    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].scopes, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(groups[0].warps, (std::vector<std::uint32_t>{1, 3}));
    EXPECT_EQ(groups[0].count, 4u);
    EXPECT_EQ(groups[0].time.lifetime_ns, 400);
    EXPECT_EQ(groups[0].time.self_ns, (std::vector<std::int64_t>{0, 80, 100}));
    EXPECT_EQ(groups[0].time.gap_ns, 220);
    EXPECT_EQ(groups[1].warps, (std::vector<std::uint32_t>{0}));
    EXPECT_FALSE(groups[1].is_rest);
}

TEST(WarpGroups, BeyondTheLimitAreOne) {
    trace::Run run = make_run();
    run.scopes.resize(70);
    for (std::uint32_t scope = 0; scope < 70; ++scope)
        add_lane(run, 0, scope, 0, 100 + scope, {{0, 10, scope}});
    const std::vector<WarpGroup> groups = warp_groups(run, 3);

    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].scopes, (std::vector<std::uint32_t>{69}));
    EXPECT_TRUE(groups[2].is_rest);
    EXPECT_EQ(groups[2].count, 68u);
    EXPECT_EQ(groups[2].warps.size(), 68u);
    EXPECT_EQ(groups[2].time.self_ns[5], 10);
    EXPECT_EQ(groups[2].time.self_ns[69], 0);
}

TEST(Concurrency, CellsAreMeansOfWarps) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const trace::Run run = random_run(seed, seed % 2 == 0);
        const Concurrency made = concurrency(run, {13, 20, 150});
        const auto rows = innermost(run);
        for (std::uint32_t scope = 0; scope < run.scopes.size(); ++scope) {
            std::int64_t expected = 0;
            for (const auto& row : rows)
                expected += std::count(row.begin() + 20, row.begin() + 150, scope);
            double in_cells = 0;
            for (const double cell : made.scopes[scope].cells) in_cells += cell * made.cell_ns;
            EXPECT_EQ(made.scopes[scope].time_ns, expected);
            EXPECT_NEAR(in_cells, static_cast<double>(expected), 1e-6);
            EXPECT_NEAR(made.scopes[scope].mean, static_cast<double>(expected) / 130, 1e-9);
        }
    }
}

TEST(Concurrency, PairsAreOfDifferentWarpsOfABlock) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const trace::Run run = random_run(seed, seed % 2 == 0);
        const auto rows = innermost(run);
        std::int64_t expected[3][3] = {};
        for (std::size_t lane = 0; lane < rows.size(); lane += 3) {
            for (std::int64_t ns = 0; ns < kLongest; ++ns) {
                bool is_in[3] = {};
                for (std::size_t warp = 0; warp < 3; ++warp)
                    if (rows[lane + warp][ns] != kNobody) is_in[rows[lane + warp][ns]] = true;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        if (is_in[i] && is_in[j]) ++expected[i][j];
            }
        }
        for (const ScopeOverlap& pair : concurrency(run, {}).pairs) {
            EXPECT_EQ(pair.both_ns, expected[pair.first][pair.second]);
            EXPECT_EQ(pair.first_ns, expected[pair.first][pair.first]);
            EXPECT_EQ(pair.second_ns, expected[pair.second][pair.second]);
            expected[pair.first][pair.second] = 0;
        }
        EXPECT_EQ(expected[0][1] + expected[0][2] + expected[1][2], 0) << "a pair is missing";
    }
}

TEST(Concurrency, OfNothingIsEmpty) {
    const Concurrency made = concurrency(trace::Run(), {});
    EXPECT_EQ(made.alive.time_ns, 0);
    EXPECT_TRUE(made.pairs.empty());
    EXPECT_EQ(made.end_ns, made.begin_ns + 1);
}

TEST(Concurrency, CellsHoldLivesAndGaps) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{0, 50, 0}});
    add_lane(run, 0, 1, 50, 100, {});
    const Concurrency made = concurrency(run, {4, {}, {}});
    EXPECT_EQ(made.alive.cells, (std::vector<double>{1, 1, 2, 2}));
    EXPECT_EQ(made.in_no_scope.cells, (std::vector<double>{0, 0, 2, 2}));
    EXPECT_EQ(made.scopes[0].cells, (std::vector<double>{1, 1, 0, 0}));
}

TEST(Critical, NamesTheLongestWarpOfEachBlock) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 50, {{0, 40, 0}});
    add_lane(run, 0, 1, 20, 100, {{20, 70, 1}, {30, 40, 2, 1}});
    add_lane(run, 5, 0, 0, 90, {{0, 10, 0}});
    const CriticalPaths paths = critical_paths(run, 1);

    EXPECT_EQ(paths.blocks, 2u);
    EXPECT_EQ(paths.led_blocks, (std::vector<std::uint64_t>{0, 1, 0}));
    EXPECT_EQ(paths.led_by_no_scope, 1u);
    EXPECT_EQ(paths.time.lifetime_ns, 170);
    ASSERT_EQ(paths.slowest.size(), 1u);
    EXPECT_EQ(paths.slowest[0].block, 0u);
    EXPECT_EQ(paths.slowest[0].block_ns, 100);
    EXPECT_EQ(paths.slowest[0].lane, 1u);
    EXPECT_EQ(paths.slowest[0].time.self_ns, (std::vector<std::int64_t>{0, 40, 10}));
    EXPECT_EQ(critical_paths(trace::Run(), 5).blocks, 0u);
}

}  // namespace

}  // namespace gwatch::views
