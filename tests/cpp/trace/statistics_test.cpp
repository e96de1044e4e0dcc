#include "trace/statistics.h"

#include <gtest/gtest.h>

namespace gwatch::trace {
namespace {

/// A run with scopes a, b, c; slices go to the lane added last.
struct RunBuilder {
    trace::Run run;

    RunBuilder() { run.scopes = {{"a", -1, "", 0}, {"b", -1, "", 0}, {"c", -1, "", 0}}; }
    void lane(std::int64_t enter_ns, std::int64_t exit_ns) {
        const std::uint64_t next = run.slices.size();
        run.lanes.push_back({run.lanes.size(), 0, 0, 0, enter_ns, exit_ns, 0, next, next});
    }
    void slice(std::uint32_t scope, std::int64_t start_ns, std::int64_t end_ns) {
        run.slices.start_ns.push_back(start_ns);
        run.slices.duration_ns.push_back(end_ns - start_ns);
        run.slices.scope.push_back(scope);
        run.slices.depth.push_back(0);
        run.slices.mask.push_back(0xffffffff);
        run.lanes.back().end_slice = run.slices.size();
    }
};

TEST(ScopeStatistics, OfOneScope) {
    RunBuilder builder;
    builder.lane(0, 100);
    for (const int duration : {40, 10, 30, 20}) builder.slice(1, 0, duration);
    builder.lane(0, 100);
    builder.slice(1, 0, 100);
    const std::vector<ScopeStatistics> all = scope_statistics(builder.run);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].scope, 1u);
    EXPECT_EQ(all[0].count, 5u);
    EXPECT_EQ(all[0].min_ns, 10);
    EXPECT_EQ(all[0].max_ns, 100);
    EXPECT_EQ(all[0].total_ns, 200);
    EXPECT_DOUBLE_EQ(all[0].mean_ns, 40);
    EXPECT_DOUBLE_EQ(all[0].p50_ns, 30);
    EXPECT_DOUBLE_EQ(all[0].p95_ns, 88);  // rank 3.8 of 10 20 30 40 100
    EXPECT_EQ(all[0].warps, 2u);
}

TEST(ScopeStatistics, PercentilesLieBetweenRanks) {
    RunBuilder builder;
    builder.lane(0, 100);
    builder.slice(0, 0, 10);
    builder.slice(0, 0, 21);
    EXPECT_DOUBLE_EQ(scope_statistics(builder.run)[0].p50_ns, 15.5);
}

TEST(ScopeStatistics, OneSlice) {
    RunBuilder builder;
    builder.lane(0, 100);
    builder.slice(2, 5, 12);
    const ScopeStatistics only = scope_statistics(builder.run)[0];
    EXPECT_EQ(only.min_ns, 7);
    EXPECT_DOUBLE_EQ(only.p50_ns, 7);
    EXPECT_DOUBLE_EQ(only.p95_ns, 7);
    EXPECT_EQ(only.max_ns, 7);
}

TEST(ScopeStatistics, KeepTheOrderOfScopes) {
    RunBuilder builder;
    builder.lane(0, 100);
    builder.slice(2, 5, 12);
    builder.slice(0, 6, 7);
    const std::vector<ScopeStatistics> all = scope_statistics(builder.run);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].scope, 0u);
    EXPECT_EQ(all[1].scope, 2u);
}

TEST(ScopeStatistics, EmptyRun) {
    EXPECT_TRUE(scope_statistics({}).empty());
}

TEST(LaneActivity, IsTheUnionOfSlices) {
    RunBuilder builder;
    builder.lane(100, 1000);
    builder.slice(0, 200, 400);
    builder.slice(1, 250, 300);  // inside
    builder.slice(2, 350, 500);  // overlaps
    builder.slice(0, 700, 800);
    const LaneActivity activity = lane_activity(builder.run)[0];
    EXPECT_EQ(activity.lifetime_ns, 900);
    EXPECT_EQ(activity.active_ns, 400);
    EXPECT_EQ(activity.gap_ns, 500);
    EXPECT_EQ(activity.longest_gap_ns, 200);
    EXPECT_EQ(activity.longest_gap_start_ns, 500);
}

TEST(LaneActivity, WithoutSlicesAllIsGap) {
    RunBuilder builder;
    builder.lane(100, 1000);
    const LaneActivity activity = lane_activity(builder.run)[0];
    EXPECT_EQ(activity.gap_ns, 900);
    EXPECT_EQ(activity.longest_gap_ns, 900);
    EXPECT_EQ(activity.longest_gap_start_ns, 100);
}

TEST(LaneActivity, WithoutExitLivesToTheLastRecord) {
    RunBuilder builder;
    builder.lane(100, kUnknownTime);
    builder.slice(0, 200, 400);
    builder.lane(100, kUnknownTime);
    builder.run.orphan_starts = {{1}, {650}, {0}, {1}};
    const std::vector<LaneActivity> all = lane_activity(builder.run);
    EXPECT_EQ(all[0].lifetime_ns, 300);
    EXPECT_EQ(all[0].gap_ns, 100);
    EXPECT_EQ(all[1].lifetime_ns, 550);
}

TEST(PipelineSummary, AddsUpAndSortsByGap) {
    RunBuilder builder;
    for (int i = 0; i < 4; ++i) {
        builder.lane(0, 1000);
        builder.slice(0, 0, 200 * (1 + i % 3));
    }
    const PipelineSummary summary = pipeline_summary(builder.run, 3);
    EXPECT_EQ(summary.warps, 4u);
    EXPECT_EQ(summary.lifetime_ns, 4000);
    EXPECT_EQ(summary.active_ns, 1400);
    EXPECT_EQ(summary.gap_ns, 2600);
    EXPECT_DOUBLE_EQ(summary.active_ratio, 0.35);
    ASSERT_EQ(summary.most_gap.size(), 3u);
    EXPECT_EQ(summary.most_gap[0].lane, 0u);
    EXPECT_EQ(summary.most_gap[1].lane, 3u);
    EXPECT_EQ(summary.most_gap[2].lane, 1u);
}

TEST(PipelineSummary, EmptyRun) {
    const PipelineSummary summary = pipeline_summary({});
    EXPECT_EQ(summary.warps, 0u);
    EXPECT_EQ(summary.active_ratio, 0);
    EXPECT_TRUE(summary.most_gap.empty());
}

}  // namespace
}  // namespace gwatch::trace
