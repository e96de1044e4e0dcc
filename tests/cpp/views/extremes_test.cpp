#include <gtest/gtest.h>

#include <map>

#include "random_run.h"
#include "trace/statistics.h"
#include "views/bubbles.h"
#include "views/outliers.h"

namespace gwatch::views {

namespace {

using testing::add_lane;
using testing::make_run;
using testing::random_run;

TEST(Bubbles, StandBetweenTheScopesAroundThem) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{10, 30, 0}, {15, 30, 1, 1}, {50, 60, 2}});
    const Bubbles bubbles = find_bubbles(run, 10);

    ASSERT_EQ(bubbles.longest.size(), 3u);
    EXPECT_EQ(bubbles.longest[0].duration_ns, 40);
    EXPECT_EQ(bubbles.longest[0].before, 2u);
    EXPECT_EQ(bubbles.longest[0].after, kNoScope);
    // Both of the nested scopes end there: the outer one is named.
    EXPECT_EQ(bubbles.longest[1].before, 0u);
    EXPECT_EQ(bubbles.longest[1].after, 2u);
    EXPECT_EQ(bubbles.longest[1].start_ns, 30);
    EXPECT_EQ(bubbles.longest[2].before, kNoScope);
    EXPECT_EQ(bubbles.longest[2].after, 0u);
    EXPECT_EQ(bubbles.total_ns, 70);
    EXPECT_EQ(bubbles.lifetime_ns, 100);
}

TEST(Bubbles, AddUpToTheGapsOfTheWarps) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const trace::Run run = random_run(seed, seed % 2 == 0);
        const Bubbles bubbles = find_bubbles(run, 1000);
        EXPECT_EQ(bubbles.total_ns, trace::pipeline_summary(run).gap_ns);
        EXPECT_EQ(bubbles.longest.size(), bubbles.count);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> totals;
        for (const Bubble& bubble : bubbles.longest)
            totals[{bubble.before, bubble.after}] += bubble.duration_ns;
        EXPECT_EQ(totals.size(), bubbles.kinds.size());
        for (const BubbleKind& kind : bubbles.kinds)
            EXPECT_EQ(kind.total_ns, (totals[{kind.before, kind.after}]));
        for (std::size_t i = 1; i < bubbles.longest.size(); ++i)
            EXPECT_GE(bubbles.longest[i - 1].duration_ns, bubbles.longest[i].duration_ns);
    }
}

TEST(Bubbles, AreOnlyThoseBesideTheScopesAskedFor) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{10, 30, 0}, {50, 60, 2}, {70, 80, 1}});
    const Bubbles bubbles = find_bubbles(run, 10, {0});
    EXPECT_EQ(bubbles.count, 2u);
    EXPECT_EQ(bubbles.total_ns, 30);
}

TEST(Bubbles, KeepOnlyTheLongest) {
    const trace::Run run = random_run(7, true);
    const Bubbles all = find_bubbles(run, 1000);
    const Bubbles some = find_bubbles(run, 3);
    ASSERT_EQ(some.longest.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(some.longest[i].lane, all.longest[i].lane);
        EXPECT_EQ(some.longest[i].start_ns, all.longest[i].start_ns);
    }
    EXPECT_EQ(some.count, all.count);
    EXPECT_TRUE(find_bubbles(run, 0).longest.empty());
}

TEST(Outliers, AreAgainstTheMedianOfTheirOwnScope) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 1000,
             {{0, 10, 0}, {20, 30, 0}, {40, 61, 0}, {70, 90, 0}, {100, 200, 1}});
    add_lane(run, 3, 1, 0, 1000, {{0, 10, 0}, {300, 350, 0}, {400, 500, 1}});
    const std::vector<ScopeOutliers> outliers = find_outliers(run, 1);

    // The median of 10, 10, 21, 20, 10, 50 is 15: only 50 is more than twice as long.
    ASSERT_EQ(outliers.size(), 2u);
    EXPECT_EQ(outliers[0].scope, 0u);
    EXPECT_EQ(outliers[0].p50_ns, 15);
    EXPECT_EQ(outliers[0].slow_count, 1u);
    EXPECT_EQ(outliers[0].excess_ns, 35);
    ASSERT_EQ(outliers[0].slowest.size(), 1u);
    EXPECT_EQ(outliers[0].slowest[0].lane, 1u);
    EXPECT_EQ(outliers[0].slowest[0].start_ns, 300);
    EXPECT_EQ(outliers[1].slow_count, 0u);
    EXPECT_TRUE(outliers[1].slowest.empty());
    EXPECT_TRUE(find_outliers(trace::Run(), 5).empty());
}

}  // namespace

}  // namespace gwatch::views
