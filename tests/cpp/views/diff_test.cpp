#include "views/diff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "random_run.h"

namespace gwatch::views {

namespace {

using testing::add_lane;
using testing::make_run;
using testing::SliceSpec;

/// Warps that load and compute in turns; `slower` is added to every load.
trace::Run noisy_run(std::uint32_t seed, std::size_t blocks, std::int64_t slower = 0,
                     int slices = 20, std::uint32_t warps = 2) {
    std::mt19937 random(seed);
    trace::Run run = make_run();
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::int64_t of_block = testing::below(random, 20);
        for (std::uint32_t warp = 0; warp < warps; ++warp) {
            std::vector<SliceSpec> specs;
            std::int64_t now = 5;
            for (int i = 0; i < slices; ++i) {
                const std::int64_t load = 100 + of_block + testing::below(random, 30) + slower;
                specs.push_back({now, now + load, 0});
                specs.push_back({now + load, now + load + 50 + testing::below(random, 10), 1});
                now = specs.back().end_ns;
            }
            add_lane(run, block, warp, 0, now + 5, specs);
        }
    }
    return run;
}

TEST(Diff, FindsNothingBetweenEqualRuns) {
    int wrong = 0;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const RunDiff diff = diff_runs(noisy_run(2 * seed, 40), noisy_run(2 * seed + 1, 40));
        EXPECT_EQ(diff.unit, SamplingUnit::kBlocks);
        ASSERT_TRUE(diff.scopes[0].p50_ns.difference.has_value());
        if (diff.scopes[0].p50_ns.difference->excludes_zero()) ++wrong;
    }
    // An interval of 95 % misses in one of twenty; seven or more are as rare as 1 in 40,000.
    EXPECT_LT(wrong, 7);
}

TEST(Diff, FindsAScopeThatGrew) {
    const RunDiff diff = diff_runs(noisy_run(1, 40), noisy_run(2, 40, 30));
    const ScopeChange& load = diff.scopes[0];
    EXPECT_EQ(load.name, "load");
    EXPECT_GT(load.p50_ns.difference->low, 15);
    EXPECT_LT(load.p50_ns.difference->low, 30);
    EXPECT_GT(load.p50_ns.difference->high, 30);
    EXPECT_GT(load.total_ns.difference->low, 0);
    EXPECT_GT(load.share.difference->low, 0);
    EXPECT_GT(diff.lifetime_ns.difference->low, 0);
    EXPECT_FALSE(diff.scopes[1].p50_ns.difference->excludes_zero());
    EXPECT_LT(diff.scopes[1].share.difference->high, 0);
}

TEST(Diff, DrawsTheSameBlocksOfRunsThatHaveTheSame) {
    // Blocks differ by far more than what each of them lost.
    trace::Run before = make_run();
    trace::Run after = make_run();
    for (std::uint64_t block = 0; block < 30; ++block) {
        const auto work = static_cast<std::int64_t>(1000 * (block % 10 + 1));
        const auto lost = static_cast<std::int64_t>(20 + block % 3);
        add_lane(before, block, 0, 0, work + 10, {{0, work, 0}});
        add_lane(after, block, 0, 0, work + 30, {{0, work + lost, 0}});
    }
    const RunDiff paired = diff_runs(before, after);
    EXPECT_TRUE(paired.is_paired);
    EXPECT_NEAR(paired.scopes[0].total_ns.difference->low, 30 * 21, 30);
    EXPECT_NEAR(paired.scopes[0].total_ns.difference->high, 30 * 21, 30);
    EXPECT_NEAR(paired.lifetime_ns.difference->low, 20, 1e-6);

    after.lanes.back().block = 99;
    const RunDiff apart = diff_runs(before, after);
    EXPECT_FALSE(apart.is_paired);
    EXPECT_FALSE(apart.scopes[0].total_ns.difference->excludes_zero());
}

TEST(Diff, IsTheSameForTheSameSeed) {
    const trace::Run before = noisy_run(1, 12);
    const trace::Run after = noisy_run(2, 12);
    const Interval first = *diff_runs(before, after, {200, 7}).scopes[0].p95_ns.difference;
    const Interval again = *diff_runs(before, after, {200, 7}).scopes[0].p95_ns.difference;
    const Interval other = *diff_runs(before, after, {200, 8}).scopes[0].total_ns.difference;
    EXPECT_EQ(first.low, again.low);
    EXPECT_EQ(first.high, again.high);
    EXPECT_NE(other.low, diff_runs(before, after, {200, 7}).scopes[0].total_ns.difference->low);
}

TEST(Diff, DrawsTheLargestUnitsOfWhichThereAreEnough) {
    EXPECT_EQ(common_unit(noisy_run(1, 8), noisy_run(1, 9)), SamplingUnit::kBlocks);
    EXPECT_EQ(common_unit(noisy_run(1, 7), noisy_run(1, 9)), SamplingUnit::kWarps);
    EXPECT_EQ(common_unit(noisy_run(1, 1), noisy_run(1, 9)), SamplingUnit::kStretches);
    EXPECT_EQ(common_unit(noisy_run(1, 1, 0, 1), noisy_run(1, 9)), SamplingUnit::kNone);
    EXPECT_EQ(common_unit(trace::Run(), trace::Run()), SamplingUnit::kNone);
    EXPECT_EQ(name_of(SamplingUnit::kStretches), "stretches");
}

TEST(Diff, OfOneWarpDrawsStretchesOfIt) {
    const RunDiff diff = diff_runs(noisy_run(1, 1, 0, 200, 1), noisy_run(2, 1, 40, 200, 1));
    EXPECT_EQ(diff.unit, SamplingUnit::kStretches);
    EXPECT_GT(diff.scopes[0].p50_ns.difference->low, 0);
    EXPECT_FALSE(diff.lifetime_ns.difference.has_value());
}

TEST(Diff, OfTooLittleHasNoIntervals) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{0, 50, 0}});
    const RunDiff diff = diff_runs(run, run);
    EXPECT_EQ(diff.unit, SamplingUnit::kNone);
    EXPECT_EQ(diff.scopes[0].p50_ns.before, 50);
    EXPECT_EQ(diff.scopes[0].share.after, 0.5);
    EXPECT_FALSE(diff.scopes[0].p50_ns.difference.has_value());
    EXPECT_EQ(diff.scopes[2].count_after, 0u);
}

TEST(Diff, OfARareScopeHasNoInterval) {
    trace::Run before = noisy_run(1, 20);
    before.slices.scope[0] = 2;
    const RunDiff diff = diff_runs(before, before);
    EXPECT_EQ(diff.scopes[2].count_before, 1u);
    EXPECT_FALSE(diff.scopes[2].p50_ns.difference.has_value());
}

TEST(Diff, MatchesScopesByNameAndThenByOrder) {
    trace::Run before = make_run();
    before.scopes = {{"a", 1, "", 0}, {"b", 2, "", 0}, {"a", 3, "", 0}};
    trace::Run after = make_run();
    after.scopes = {{"b", 2, "", 0}, {"a", 1, "", 0}, {"new", 9, "", 0}};
    const RunDiff diff = diff_runs(before, after);

    ASSERT_EQ(diff.scopes.size(), 4u);
    EXPECT_EQ(diff.scopes[0].after, 1u);
    EXPECT_EQ(diff.scopes[1].after, 0u);
    EXPECT_EQ(diff.scopes[2].after, std::nullopt);
    EXPECT_EQ(diff.scopes[3].name, "new");
    EXPECT_EQ(diff.scopes[3].before, std::nullopt);
}

TEST(Bootstrap, WeightedPercentilesAreThoseOfTheDrawnItems) {
    const WeightedDurations durations({{30, 1}, {10, 0}, {20, 1}, {40, 2}}, 3);
    std::vector<double> values;
    const std::uint32_t weights[] = {1, 2, 0};  // 10, 20, 20, 30, 30
    durations.percentiles(weights, {0, 0.5, 1}, values);
    EXPECT_EQ(values, (std::vector<double>{10, 20, 30}));
    const std::uint32_t nothing[] = {0, 0, 0};
    durations.percentiles(nothing, {0.5}, values);
    EXPECT_TRUE(std::isnan(values[0]));
}

TEST(Bootstrap, BinsKeepPercentilesOfManyItems) {
    std::vector<WeightedDurations::Item> items;
    for (std::uint32_t i = 0; i < 200000; ++i) items.push_back({i, i % 128});
    const WeightedDurations durations(items, 128);
    std::vector<double> values;
    const std::vector<std::uint32_t> weights(128, 1);
    durations.percentiles(weights.data(), {0.5, 0.95}, values);
    EXPECT_NEAR(values[0], 100000, 2);
    EXPECT_NEAR(values[1], 190000, 2);
}

TEST(Bootstrap, IntervalOfNothingOrOfNoNumberIsNone) {
    EXPECT_FALSE(interval_of({}).has_value());
    EXPECT_FALSE(interval_of({1, std::nan("")}).has_value());
    EXPECT_TRUE(interval_of({1, 1, 1})->excludes_zero());
    EXPECT_FALSE(interval_of({-1, 0, 1})->excludes_zero());
}

TEST(Bootstrap, EveryResampleDrawsAsManyGroupsAsThereAre) {
    const Draws draws(10, 50, 3);
    for (std::size_t resample = 0; resample < draws.resamples(); ++resample)
        EXPECT_EQ(draws.sum(std::vector<double>(10, 1), resample), 10);
    EXPECT_EQ(Draws(0, 50, 3).resamples(), 0u);
}

}  // namespace

}  // namespace gwatch::views
