#include "trace/clock_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "simulated_launch.h"

namespace gwatch::trace {
namespace {

using simulated::SimulatedGpu;
using simulated::SimulatedSm;

/// Readings of one SM at these times of the test's axis.
std::vector<Anchor> readings(const SimulatedGpu& gpu, std::size_t sm,
                             const std::vector<double>& times, double delay_ns = 0) {
    std::vector<Anchor> anchors;
    for (const double ns : times) {
        const auto timer = static_cast<std::int64_t>(gpu.timer(ns) - gpu.timer_at_zero);
        anchors.push_back({gpu.sms[sm].clock(ns + delay_ns), timer});
    }
    return anchors;
}

std::vector<double> spread(double from, double to, int count, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(from, to);
    std::vector<double> times{from, to};
    while (static_cast<int>(times.size()) < count) times.push_back(any(random));
    return times;
}

/// The worst error of a line against the truth, over times of the test's axis.
double worst_error(const ClockLine& line, const SimulatedGpu& gpu, std::size_t sm, double from,
                   double to) {
    double worst = 0;
    for (int i = 0; i <= 1000; ++i) {
        const double ns = from + (to - from) * i / 1000;
        worst = std::max(worst, std::abs(line.ns(gpu.sms[sm].clock(ns)) - ns));
    }
    return worst;
}

TEST(FindTick, IsTheCommonDivisorOfManyReadings) {
    SimulatedGpu gpu;
    for (const std::uint64_t tick : {32u, 1000u, 1024u}) {
        gpu.tick_ns = tick;
        EXPECT_EQ(find_tick({readings(gpu, 0, spread(0, 1e6, 40))}, gpu.timer_at_zero),
                  static_cast<double>(tick));
    }
}

TEST(FindTick, UsesTheTimersOwnValueForFewReadings) {
    const SimulatedGpu gpu;
    const double tick = find_tick({readings(gpu, 0, {0, 20000})}, gpu.timer_at_zero);
    EXPECT_EQ(std::fmod(tick, 32), 0);
    EXPECT_LE(tick, 256);
}

TEST(FindTick, TakesTheSmallestStepOfAnUnevenTimer) {
    std::vector<Anchor> anchors;
    for (std::uint64_t i = 0; i < 50; ++i) {
        anchors.push_back(
            {i * 1000, static_cast<std::int64_t>(31.25 * static_cast<double>(i * i))});
    }
    EXPECT_EQ(find_tick({anchors}, 0), 31);
}

TEST(FindTick, IsOneWithoutASecondReading) {
    EXPECT_EQ(find_tick({}, 7), 1);
    EXPECT_EQ(find_tick({{{100, 64}, {200, 64}}}, 64), 1);
}

TEST(FitClocks, AlignsSmsWithinATick) {
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 1000}, {0.505, 77'000'000'000}, {0.51, 5}, {0.5, 1ull << 47}};
    std::vector<std::vector<Anchor>> anchors;
    for (std::size_t sm = 0; sm < gpu.sms.size(); ++sm) {
        anchors.push_back(readings(gpu, sm, spread(0, 2e6, 200, static_cast<unsigned>(sm))));
    }
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_EQ(fit.tick_ns, 32);
    EXPECT_LE(fit.residual_ns, 4);
    EXPECT_FALSE(fit.rate_assumed);
    EXPECT_NEAR(fit.ns_per_cycle, 0.505, 0.001);
    for (std::size_t sm = 0; sm < gpu.sms.size(); ++sm) {
        EXPECT_LT(worst_error(fit.sms[sm], gpu, sm, 0, 2e6), 8) << "SM " << sm;
        EXPECT_EQ(fit.sms[sm].knots().size(), 1u);
    }
}

TEST(FitClocks, PersistentKernelHasReadingsAtItsEndsOnly) {
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 1000}, {0.506, 9999}};
    std::vector<std::vector<Anchor>> anchors;
    for (std::size_t sm = 0; sm < gpu.sms.size(); ++sm) {
        std::vector<double> times = spread(0, 800, 12, static_cast<unsigned>(sm));
        for (const double ns : spread(3e6, 3e6 + 900, 12, static_cast<unsigned>(sm) + 9))
            times.push_back(ns);
        anchors.push_back(readings(gpu, sm, times));
    }
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 0, 3e6), 16);
    EXPECT_LT(worst_error(fit.sms[1], gpu, 1, 0, 3e6), 16);
}

TEST(FitClocks, ShortKernelsShareARate) {
    SimulatedGpu gpu;
    std::vector<std::vector<Anchor>> anchors;
    gpu.sms.clear();
    for (unsigned sm = 0; sm < 132; ++sm) {
        gpu.sms.push_back({0.505, 1000 + 123456789ull * sm});
        std::vector<double> times = spread(sm, 100 + sm, 8, sm);
        for (const double ns : spread(4800, 5000, 8, sm + 500)) times.push_back(ns);
        anchors.push_back(readings(gpu, sm, times));
    }
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_NEAR(fit.ns_per_cycle, 0.505, 0.001);
    EXPECT_LT(fit.rate_uncertainty, 0.002);
    for (std::size_t sm = 0; sm < gpu.sms.size(); ++sm) {
        EXPECT_LT(worst_error(fit.sms[sm], gpu, sm, 0, 5000), 32) << "SM " << sm;
    }
}

TEST(FitClocks, SmsOfDifferentRatesInAShortKernel) {
    // As on an H200: 20 us, four warps a block, SMs that differ by 1.5 %.
    SimulatedGpu gpu;
    std::vector<std::vector<Anchor>> anchors;
    gpu.sms.clear();
    for (unsigned sm = 0; sm < 64; ++sm) {
        gpu.sms.push_back({0.56 + 0.0001 * sm, 99 + 1234567ull * sm});
        anchors.push_back(readings(gpu, sm, {0, 33, 57, 81, 20'000, 20'001, 20'013, 20'040}));
    }
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_LT(fit.residual_ns, 16);
    for (std::size_t sm = 0; sm < gpu.sms.size(); ++sm) {
        EXPECT_LT(worst_error(fit.sms[sm], gpu, sm, 0, 20'000), 32) << "SM " << sm;
    }
}

TEST(FitClocks, ADelayedReadingInAShortKernelHasNoSay) {
    SimulatedGpu gpu;
    std::vector<std::vector<Anchor>> anchors = {
        readings(gpu, 0, {0, 33, 57, 81, 20'000, 20'001, 20'013, 20'040})};
    anchors[0].push_back(readings(gpu, 0, {10}, 2000)[0]);
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 0, 20'000), 40);
}

TEST(FitClocks, CoarseTimerStillAligns) {
    SimulatedGpu gpu;
    gpu.tick_ns = 1024;
    gpu.sms = {{0.7, 1000}, {0.7, 5'000'000}};
    std::vector<std::vector<Anchor>> anchors = {readings(gpu, 0, spread(0, 5e6, 300, 3)),
                                                readings(gpu, 1, spread(0, 5e6, 300, 4))};
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_EQ(fit.tick_ns, 1024);
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 0, 5e6), 150);
    EXPECT_LT(worst_error(fit.sms[1], gpu, 1, 0, 5e6), 150);
}

TEST(FitClocks, TooFewReadingsAssumeARate) {
    std::vector<std::vector<Anchor>> anchors = {{{1000, 0}}, {{1'000'000, 32}}};
    const ClockFit fit = fit_clocks(anchors, 1024);
    EXPECT_TRUE(fit.rate_assumed);
    EXPECT_DOUBLE_EQ(fit.ns_per_cycle, kAssumedNsPerCycle);
    EXPECT_NEAR(fit.sms[0].ns(1000 + 1500), 1000, 33);
}

TEST(FitClocks, KernelWithinOneTickAssumesARate) {
    std::vector<std::vector<Anchor>> anchors = {{{1000, 0}, {1300, 0}}};
    EXPECT_TRUE(fit_clocks(anchors, 1024).rate_assumed);
}

TEST(FitClocks, FollowsAClockChange) {
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 1000, 40e6, 0.62}};
    std::vector<std::vector<Anchor>> anchors = {readings(gpu, 0, spread(0, 100e6, 2000))};
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    ASSERT_GE(fit.sms[0].knots().size(), 2u);
    EXPECT_LE(fit.sms[0].knots().size(), 12u);
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 0, 39e6), 200);
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 41e6, 100e6), 200);
    // Readings are some 50 us apart, so around the change the line cannot be better than that times
    // the step.
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 39e6, 41e6), 30'000);
    EXPECT_LT(fit.residual_ns, 200);
}

/// A persistent kernel that soon meets the power limit, whose warps read the timer at their ends
/// and once a tile.
TEST(FitClocks, FollowsAClockChangeByReadingsOnTheWay) {
    for (const int warps : {1, 8}) {
        SimulatedGpu gpu;
        gpu.sms = {{1 / 1.98, 1000, 15e3, 1 / 1.52}};
        std::vector<double> times;
        for (int warp = 0; warp < warps; ++warp) {
            for (const double tile : {0.0, 45e3, 90e3, 135e3, 180e3})
                times.push_back(tile + 37.0 * warp);
        }
        std::vector<std::vector<Anchor>> anchors = {readings(gpu, 0, times)};
        const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
        EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 45e3, 180e3), 100) << warps;
        EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 0, 45e3), 3000) << warps;
        EXPECT_NEAR(fit.longest_gap_ns, 45e3, 300) << warps;
    }
}

TEST(FitClocks, PiecesAreContinuousAndAscend) {
    SimulatedGpu gpu;
    gpu.sms = {{0.5, 1000, 10e6, 0.8}};
    std::vector<std::vector<Anchor>> anchors = {readings(gpu, 0, spread(0, 30e6, 3000))};
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    const std::vector<ClockKnot>& knots = fit.sms[0].knots();
    ASSERT_GE(knots.size(), 2u);
    for (std::size_t i = 1; i < knots.size(); ++i) {
        const double end =
            knots[i - 1].ns +
            knots[i - 1].rate * static_cast<double>(knots[i].clock - knots[i - 1].clock);
        EXPECT_NEAR(end, knots[i].ns, 1e-3);
        EXPECT_GT(knots[i].rate, 0);
    }
}

/// The last lanes of a warp may run on long after the exit that read the timer.
TEST(FitClocks, TellsHowFarTimesBehindTheReadingsMayBeOff) {
    SimulatedGpu gpu;
    gpu.tick_ns = 32;
    for (int start = 0; start < 100; ++start) {
        std::vector<std::vector<Anchor>> anchors{readings(gpu, 0, {7.0 * start, 200'000.0})};
        const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
        const double late = 600'000;
        const double ns = fit.sms[0].ns(gpu.sms[0].clock(late));
        const double claimed = fit.miss_behind_readings(0, ns);
        EXPECT_LE(std::abs(ns - late), claimed + gpu.tick_ns) << start;
        EXPECT_EQ(fit.miss_behind_readings(0, 100'000), 0);
        EXPECT_LT(claimed, 2 * fit.tick_ns) << start;
    }
}

TEST(FitClocks, DelayedReadingsDoNotBendTheLine) {
    SimulatedGpu gpu;
    std::vector<Anchor> of_sm = readings(gpu, 0, spread(0, 50e6, 1000));
    // The warp was held up between the two reads: the clock is late by 40 us.
    for (const Anchor& late : readings(gpu, 0, spread(1e6, 49e6, 10, 5), 40'000))
        of_sm.push_back(late);
    std::vector<std::vector<Anchor>> anchors = {of_sm};
    const ClockFit fit = fit_clocks(anchors, gpu.timer_at_zero);
    EXPECT_EQ(fit.sms[0].knots().size(), 1u);
    EXPECT_LT(worst_error(fit.sms[0], gpu, 0, 0, 50e6), 64);
}

TEST(FitClocks, TakesAnyNumbers) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::vector<Anchor>> anchors(3);
        for (auto& of_sm : anchors) {
            for (int i = 0; i < round; ++i) {
                of_sm.push_back({random() >> (random() % 64),
                                 static_cast<std::int64_t>(random() >> (9 + random() % 55))});
            }
        }
        const ClockFit fit = fit_clocks(anchors, random());
        for (const ClockLine& line : fit.sms) {
            for (const ClockKnot& knot : line.knots())
                EXPECT_TRUE(knot.rate > 0 && std::isfinite(knot.ns));
        }
    }
}

}  // namespace
}  // namespace gwatch::trace
