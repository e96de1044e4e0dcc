#include <gtest/gtest.h>

#include <cmath>

#include "simulated_launch.h"
#include "trace/decode.h"

namespace gwatch::trace {
namespace {

using namespace simulated;  // NOLINT: the simulated GPU

const instrument::SiteTable kSites = simple_sites(1);

trace::Run decoded(SimulatedLaunch& launch) {
    auto run = decode(launch.records(), kSites);
    EXPECT_TRUE(run.ok()) << run.error().to_string();
    return *run;
}

TEST(DecodeTime, PutsAllSmsOnOneAxis) {
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 12345}, {0.505, 1ull << 40}, {0.505, 99}};
    SimulatedLaunch launch(small_request(30, 32), gpu, exit_site(kSites));
    for (std::uint32_t region = 0; region < 30; ++region) {
        const double start = 1000 + 37 * region;
        launch.enter(region, region % 3, start);
        launch.hot(region, start_site(0), start + 1000);
        launch.hot(region, end_site(0), start + 3000);
        launch.exit(region, start + 100'000);
    }
    const trace::Run run = decoded(launch);
    ASSERT_EQ(run.lanes.size(), 30u);
    EXPECT_EQ(run.lanes[0].enter_ns, 0);
    for (std::uint32_t i = 0; i < 30; ++i) {
        EXPECT_NEAR(run.lanes[i].enter_ns, 37 * i, 32) << i;
        EXPECT_NEAR(run.slices.start_ns[i], 1000 + 37 * i, 34) << i;
        EXPECT_NEAR(run.slices.duration_ns[i], 2000, 3) << i;
        EXPECT_EQ(run.lanes[i].sm, i % 3);
    }
    EXPECT_NEAR(run.time.clock_mhz, 1980, 3);
    EXPECT_EQ(run.time.resolution_ns, 1);
    EXPECT_LE(run.time.alignment_ns, 40);
    EXPECT_NEAR(run.time.span_ns, 100'000 + 29 * 37, 40);
    EXPECT_NEAR(static_cast<double>(run.time.start_globaltimer_ns - gpu.timer_at_zero), 1000, 40);
}

TEST(DecodeTime, ClockLowWordsWrap) {
    SimulatedGpu gpu;
    gpu.sms = {{0.5, 0xffff'f000}};  // 2 us before the low word wraps
    SimulatedLaunch launch(small_request(1, 32), gpu, exit_site(kSites));
    launch.enter(0, 0, 0);
    launch.hot(0, start_site(0), 1000);
    launch.hot(0, end_site(0), 30'000);
    launch.exit(0, 60'000);
    const trace::Run run = decoded(launch);
    EXPECT_NEAR(run.slices.duration_ns[0], 29'000, 60);
}

TEST(DecodeTime, Clock48BitsWrap) {
    SimulatedGpu gpu;
    gpu.sms = {{0.5, (1ull << 48) - 4000}};
    SimulatedLaunch launch(small_request(1, 32), gpu, exit_site(kSites));
    launch.enter(0, 0, 0);
    launch.hot(0, start_site(0), 1000);
    launch.cold(0, 0, end_site(0), 0xffffffff, 30'000);
    launch.exit(0, 60'000);
    const trace::Run run = decoded(launch);
    ASSERT_EQ(run.slices.size(), 1u);
    EXPECT_NEAR(run.slices.duration_ns[0], 29'000, 60);
}

TEST(DecodeTime, KernelOfMinutesWithTimerLowWordsOnly) {
    // Every warp leaves in two halves, so there is no hot exit: the rate has to come from low words
    // of the timer that wrap every 4.3 s.
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 1000}};
    SimulatedLaunch launch(small_request(60, 32, 4 << 20), gpu, exit_site(kSites));
    const auto leaving_ns = [](std::uint32_t region) {
        return 1e9 * (region + 1) * (region + 1) / 10;
    };
    for (std::uint32_t region = 0; region < 60; ++region) {
        launch.enter(region, 0, 100.0 * region);
        launch.hot(region, start_site(0), leaving_ns(region) - 2e6);
        launch.hot(region, end_site(0), leaving_ns(region) - 1e6);
        launch.cold(region, 0, start_site(0), 0xffff, leaving_ns(region) - 1000);
        launch.cold(region, 16, start_site(0), 0xffff0000, leaving_ns(region) - 1000);
        launch.cold_exit(region, 0, 0xffff, leaving_ns(region));
        launch.cold_exit(region, 16, 0xffff0000, leaving_ns(region));
    }
    const trace::Run run = decoded(launch);
    ASSERT_EQ(run.slices.size(), 60u);
    for (std::uint32_t region = 0; region < 60; ++region) {
        EXPECT_NEAR(static_cast<double>(run.lanes[region].exit_ns), leaving_ns(region), 100)
            << region;
        EXPECT_NEAR(static_cast<double>(run.slices.start_ns[region]), leaving_ns(region) - 2e6, 100)
            << region;
    }
    EXPECT_NEAR(run.time.clock_mhz, 1980.2, 0.1);
}

TEST(DecodeTime, LateTimersOfChunkTakersHaveNoSay) {
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 12345}, {0.505, 987654321}};
    SimulatedLaunch launch(small_request(20, 32, 4 << 20), gpu, exit_site(kSites));
    launch.chunk_delay_ns = 1500;
    for (std::uint32_t region = 0; region < 20; ++region) {
        const double start = 500.0 * region;
        launch.enter(region, region % 2, start);
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            launch.cold(region, lane, start_site(0), 1u << lane, start + 100 + lane);
        }
        launch.hot(region, end_site(0), start + 20'000);
        launch.exit(region, start + 40'000);
    }
    const trace::Run run = decoded(launch);
    EXPECT_NEAR(run.time.clock_mhz, 1980.2, 3);
    EXPECT_LE(run.time.alignment_ns, 40);
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_NEAR(run.lanes[i].enter_ns, 500 * i, 32) << i;
}

TEST(DecodeTime, LateTimersAreBetterThanNone) {
    // Every warp leaves in two halves, so there is no other reading after the entries.
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 12345}};
    SimulatedLaunch launch(small_request(4, 32), gpu, exit_site(kSites));
    launch.chunk_delay_ns = 1500;
    for (std::uint32_t region = 0; region < 4; ++region) {
        launch.enter(region, 0, 10.0 * region);
        launch.cold_exit(region, 0, 0xffff, 1e6);
        launch.cold_exit(region, 16, 0xffff0000, 1e6 + 500);
    }
    const trace::Run run = decoded(launch);
    EXPECT_NEAR(run.time.clock_mhz, 1980.2, 5);
    EXPECT_NEAR(run.lanes[3].exit_ns, 1e6, 3000);
}

TEST(DecodeTime, FollowsAClockChange) {
    SimulatedGpu gpu;
    gpu.sms = {{0.505, 1000, 20e6, 0.6}, {0.505, 777, 20e6, 0.6}};
    SimulatedLaunch launch(small_request(1600, 32, 8 << 20), gpu, exit_site(kSites));
    for (std::uint32_t region = 0; region < 1600; ++region) {
        const double start = 25'000.0 * region;
        launch.enter(region, region % 2, start);
        launch.hot(region, start_site(0), start + 1000);
        launch.hot(region, end_site(0), start + 11'000);
        launch.exit(region, start + 20'000);
    }
    const trace::Run run = decoded(launch);
    for (std::uint32_t i = 0; i < 1600; ++i) {
        const bool at_change = i > 780 && i < 820;
        EXPECT_NEAR(run.slices.start_ns[i], 25'000 * i + 1000, at_change ? 12'000 : 150) << i;
        EXPECT_NEAR(run.slices.duration_ns[i], 10'000, at_change ? 1500 : 50) << i;
    }
}

/// Warps of persistent kernels, which read the timer on entry and exit alone: all SMs on one axis
/// to within what the run claims, a tick and a bit, whatever the tick, the length and the clocks.
TEST(DecodeTime, PersistentKernelsAreAlignedWithinATick) {
    for (const std::uint64_t tick : {32u, 1000u, 1024u}) {
        for (const double length : {2e5, 5e7, 9.5e9}) {
            SCOPED_TRACE(::testing::Message() << "tick " << tick << ", " << length << " ns");
            SimulatedGpu gpu;
            gpu.tick_ns = tick;
            gpu.sms.clear();
            for (std::uint32_t sm = 0; sm < 12; ++sm) {
                const double rate = 0.505 + 0.0001 * (sm % 4);
                gpu.sms.push_back({rate, 0xffff'0000ull * sm * sm + (1ull << (30 + sm))});
            }
            SimulatedLaunch launch(small_request(96, 32, 4 << 20), gpu, exit_site(kSites));
            for (std::uint32_t region = 0; region < 96; ++region) {
                const double start = 13.7 * region;
                launch.enter(region, region % 12, start);
                for (int i = 1; i < 8; ++i) {
                    launch.hot(region, start_site(0), start + length * i / 10);
                    launch.hot(region, end_site(0), start + length * i / 10 + length / 20);
                }
                launch.exit(region, start + length);
            }
            const trace::Run run = decoded(launch);
            EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
            EXPECT_EQ(run.time.resolution_ns, 1);
            EXPECT_GE(run.time.alignment_ns, static_cast<double>(tick));
            EXPECT_LE(run.time.alignment_ns, 1.25 * static_cast<double>(tick));
            const auto zero = static_cast<double>(
                static_cast<std::int64_t>(run.time.start_globaltimer_ns - gpu.timer_at_zero));
            for (const trace::Lane& lane : run.lanes) {
                for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
                    const double start =
                        13.7 * static_cast<double>(lane.block) +
                        length * static_cast<double>(i - lane.first_slice + 1) / 10;
                    EXPECT_NEAR(static_cast<double>(run.slices.start_ns[i]) + zero, start,
                                run.time.alignment_ns);
                    EXPECT_NEAR(static_cast<double>(run.slices.duration_ns[i]), length / 20,
                                2 + length / 20 * 1.1 * static_cast<double>(tick) / length);
                }
            }
        }
    }
}

/// Four tiles of a persistent kernel: the clock falls in the first, and readings in front of each
/// tell it.
TEST(DecodeTime, ReadingsOnTheWayFollowTheClock) {
    instrument::SiteTable sites = simple_sites(1);
    sites.sites.emplace_back().actions = {
        {instrument::ActionKind::kTimer, ptx::kNone, record::PayloadKind::kUnsigned64}};
    const auto timer = static_cast<std::uint16_t>(sites.sites.size());
    for (const bool reads : {false, true}) {
        SimulatedGpu gpu;
        gpu.sms = {{1 / 1.98, 1000, 15e3, 1 / 1.52}};
        SimulatedLaunch launch(small_request(1, 32), gpu, exit_site(kSites));
        launch.enter(0, 0, 0);
        for (const double start : {1e3, 46e3, 91e3, 136e3}) {
            if (reads) launch.read_timer(0, timer, start - 10);
            launch.hot(0, start_site(0), start);
            launch.hot(0, end_site(0), start + 40e3);
        }
        launch.exit(0, 180e3);
        const auto run = decode(launch.records(), sites);
        ASSERT_TRUE(run.ok()) << run.error().to_string();
        EXPECT_EQ(run->counts.events, 8u);
        EXPECT_EQ(run->slices.size(), 4u);
        EXPECT_EQ(run->marks.size(), 0u);
        EXPECT_EQ(run->sites.back().actions, std::vector<std::string>{"timer"});
        EXPECT_EQ(run->sites.back().records, reads ? 4u : 0u);
        const double worst = reads ? 60 : 5000;
        EXPECT_NEAR(run->slices.duration_ns[2], 40e3, worst);
        EXPECT_EQ(std::abs(run->slices.start_ns[2] - 91e3) <= 60, reads);
        EXPECT_NEAR(static_cast<double>(*run->time.timer_gap_ns), reads ? 45e3 : 180e3, 40);
    }
}

TEST(DecodeTime, TimesNeverGoBackInAWarp) {
    SimulatedGpu gpu;
    gpu.sms = {{0.5, 5000}};
    SimulatedLaunch launch(small_request(1, 32), gpu, exit_site(kSites));
    launch.enter(0, 0, 1000);
    launch.hot(0, start_site(0), 3000);
    launch.hot(0, end_site(0), 2000);   // the clock went back
    launch.hot(0, start_site(0), 500);  // even before the entry
    launch.hot(0, end_site(0), 4000);
    launch.exit(0, 60'000);
    const trace::Run run = decoded(launch);
    EXPECT_NEAR(run.slices.start_ns[0], 2000, 20);
    EXPECT_EQ(run.slices.duration_ns[0], 0);
    EXPECT_EQ(run.slices.start_ns[1], run.slices.start_ns[0]);
    EXPECT_NEAR(run.slices.duration_ns[1], 1000, 20);
    EXPECT_EQ(run.warnings,
              std::vector<std::string>{
                  "2 records had an earlier clock than the one before and were moved to its "
                  "time: the device may have been reset or the warp moved to another SM."});
}

TEST(DecodeTime, TrappedKernelOfOneWarpSaysThatTheClockIsAssumed) {
    SimulatedLaunch launch(small_request(1, 32), SimulatedGpu{}, exit_site(kSites));
    launch.enter(0, 0, 0);
    launch.hot(0, start_site(0), 1000);
    const trace::Run run = decoded(launch);
    ASSERT_EQ(run.warnings.size(), 3u);
    EXPECT_EQ(run.warnings[2],
              "The launch was too short to measure the SM clock against the device's timer (one "
              "tick is 1 ns): "
              "ns assume a clock of 1500 MHz.");
    EXPECT_EQ(run.orphan_starts.size(), 1u);
}

TEST(DecodeTime, ShortKernelSaysHowWellTheClockIsKnown) {
    SimulatedGpu gpu;
    gpu.tick_ns = 1024;
    gpu.sms.assign(8, SimulatedSm{});
    SimulatedLaunch launch(small_request(8, 32), gpu, exit_site(kSites));
    for (std::uint32_t region = 0; region < 8; ++region) {
        launch.enter(region, region, 300 * region);
        launch.exit(region, 300 * region + 5000);
    }
    const trace::Run run = decoded(launch);
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_EQ(run.warnings[0],
              "The launch was short against a tick of the device's timer (1024 ns): the SM clock, "
              "and with it every "
              "duration, is known to 6 %.");
    EXPECT_NEAR(run.time.clock_mhz, 2000, 200);
    EXPECT_GE(run.time.alignment_ns, 1024);
}

}  // namespace
}  // namespace gwatch::trace
