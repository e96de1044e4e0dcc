// Records of several sites: their clocks, pauses of seconds among them, and how they end.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_launch.h"
#include "trace/decode.h"
#include "trace/site_actions.h"

namespace gwatch::trace {
namespace {

using namespace simulated;  // NOLINT: the simulated GPU

constexpr double kTurn = 4294967296.0 / 2;  ///< ns in which the low word of the clock goes round
constexpr char kUnsure[] =
    "1 pause of more than two seconds may stand one scope earlier or later than shown: a warp "
    "passed several markers around it, and their short clocks do not tell.";

/// One warp whose sites are marks of scopes 0, 1, ..., in series of these lengths.
struct SeriesWarp {
    instrument::SiteTable sites;
    SimulatedLaunch launch;

    explicit SeriesWarp(const std::vector<std::uint32_t>& lengths, std::uint64_t first_clock = 1000,
                        std::uint64_t bytes = 1 << 20)
        : sites(series_sites(lengths)),
          launch(small_request(1, 32, bytes), gpu_from(first_clock), exit_site(sites)) {
        for (const std::uint32_t length : lengths) {
            launch.longest_record = std::max(launch.longest_record, record::series_slots(length));
        }
        launch.enter(0, 0, 0);
    }
    static SimulatedGpu gpu_from(std::uint64_t first_clock) {
        SimulatedGpu gpu;
        gpu.sms = {{0.5, first_clock}};
        return gpu;
    }
    trace::Run decode() {
        auto run = trace::decode(launch.records(), sites);
        EXPECT_TRUE(run.ok()) << run.error().to_string();
        return *run;
    }
};

void expect_marks(const Run& run, const std::vector<double>& times) {
    ASSERT_EQ(run.marks.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_EQ(run.marks.scope[i], i);
        EXPECT_EQ(run.marks.mask[i], 0xffffffffu);
        EXPECT_NEAR(static_cast<double>(run.marks.time_ns[i]), times[i], 40) << i;
    }
}

/// The steps before each site, in ns, summed up.
std::vector<double> times_of(std::vector<double> steps) {
    for (std::size_t i = 1; i < steps.size(); ++i) steps[i] += steps[i - 1];
    return steps;
}

std::vector<double> even_steps(std::uint32_t count, double step) {
    return std::vector<double>(count, step);
}

TEST(DecodeSeries, OfEveryLengthWhereverTheLowWordWraps) {
    for (std::uint32_t length = 1; length <= record::kMaxSeriesSites; ++length) {
        for (std::uint32_t wrap = 0; wrap <= length; ++wrap) {
            SCOPED_TRACE(::testing::Message() << length << " sites, wraps at " << wrap);
            SeriesWarp warp({length}, 0x3'ffff'ffff - std::uint64_t{wrap} * 20'000);
            const auto times = times_of(even_steps(length, 10'000));
            warp.launch.series(0, 1, times);
            warp.launch.exit(0, 500'000);
            const trace::Run run = warp.decode();
            expect_marks(run, times);
            EXPECT_EQ(run.counts.records, length + 1);
            EXPECT_EQ(run.counts.events, length);
            EXPECT_EQ(run.sites[length - 1].records, 1u);
            EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
        }
    }
}

TEST(DecodeSeries, OneBehindTheOtherAndMergedWithColdRecords) {
    instrument::SiteTable sites = series_sites({3, 4, 1, 2});
    SimulatedLaunch launch(small_request(1, 32), SeriesWarp::gpu_from(1ull << 47),
                           exit_site(sites));
    launch.enter(0, 0, 0);
    std::vector<std::pair<double, std::uint32_t>> expected;
    double ns = 0;
    for (int turn = 0; turn < 20; ++turn) {
        std::uint16_t site = 1;
        for (const std::uint32_t length : {3, 4, 1, 2}) {
            std::vector<double> times;
            for (std::uint32_t i = 0; i < length; ++i) {
                times.push_back(ns += 500);
                expected.push_back({ns, site - 1 + i});
            }
            launch.series(0, site, times);
            launch.cold(0, 7, 8, 0x80, ns += 500);
            expected.push_back({ns, 7});
            site = static_cast<std::uint16_t>(site + length);
        }
    }
    launch.exit(0, ns + 500);
    const auto run = decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    ASSERT_EQ(run->marks.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(run->marks.scope[i], expected[i].second) << i;
        EXPECT_NEAR(static_cast<double>(run->marks.time_ns[i]), expected[i].first, 40) << i;
    }
    EXPECT_TRUE(run->warnings.empty());
}

constexpr double kPauses[] = {kTurn, kTurn + 100, 2 * kTurn - 1000, 3 * kTurn + 123'456,
                              100 * kTurn};

TEST(DecodeSeries, APauseStandsBeforeTheSiteThatWaits) {
    for (const std::uint32_t length : {2u, 4u, 6u, 8u}) {
        for (std::uint32_t waiting = 1; waiting < length; ++waiting) {
            for (const double pause : kPauses) {
                SCOPED_TRACE(::testing::Message() << length << ", before " << waiting);
                SeriesWarp warp({length});
                warp.sites.sites[waiting].waits_before = true;
                auto steps = even_steps(length, 10'000);
                steps[waiting] += pause;
                const auto times = times_of(steps);
                warp.launch.series(0, 1, times);
                warp.launch.exit(0, times.back() + 10'000);
                const trace::Run run = warp.decode();
                expect_marks(run, times);
                EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
            }
        }
    }
}

TEST(DecodeSeries, APauseBeforeNoSiteThatWaitsIsUnsure) {
    for (const std::uint32_t length : {4u, 6u, 8u}) {
        SeriesWarp warp({length});
        auto steps = even_steps(length, 10'000);
        steps[length - 1] += kTurn;
        warp.launch.series(0, 1, times_of(steps));
        warp.launch.exit(0, 3 * kTurn);
        const trace::Run run = warp.decode();
        expect_marks(run, times_of(steps));
        EXPECT_EQ(run.warnings, std::vector<std::string>{kUnsure}) << length;
    }
}

TEST(DecodeSeries, APauseBetweenTwoSitesIsSure) {
    SeriesWarp warp({2});
    const std::vector<double> times = {10'000, 20'000 + 5 * kTurn};
    warp.launch.series(0, 1, times);
    warp.launch.exit(0, 6 * kTurn);
    const trace::Run run = warp.decode();
    expect_marks(run, times);
    EXPECT_TRUE(run.warnings.empty());
}

TEST(DecodeSeries, APauseBeforeOneOfSeveralThatWaitIsUnsure) {
    SeriesWarp warp({8});
    for (const std::uint32_t place : {3u, 5u}) warp.sites.sites[place].waits_before = true;
    auto steps = even_steps(8, 10'000);
    steps[3] += kTurn;
    warp.launch.series(0, 1, times_of(steps));
    warp.launch.exit(0, 3 * kTurn);
    const trace::Run run = warp.decode();
    expect_marks(run, times_of(steps));
    EXPECT_EQ(run.warnings, std::vector<std::string>{kUnsure});
}

/// An odd series has no whole clock: what its low words do not tell shows before the next record.
TEST(DecodeSeries, APauseInOrBehindAnOddSeriesThatWaitsIsUnsure) {
    for (const std::uint32_t length : {3u, 5u, 7u}) {
        for (std::uint32_t at = 1; at <= length; ++at) {
            SCOPED_TRACE(::testing::Message() << length << ", pause at " << at);
            SeriesWarp warp({length, 1});
            warp.sites.sites[1].waits_before = true;
            auto steps = even_steps(length + 1, 10'000);
            steps[at] += 2 * kTurn;
            const auto times = times_of(steps);
            warp.launch.series(0, 1, {times.begin(), times.end() - 1});
            warp.launch.series(0, static_cast<std::uint16_t>(length + 1), {times.back()});
            warp.launch.exit(0, 5 * kTurn);
            const trace::Run run = warp.decode();
            ASSERT_EQ(run.marks.size(), length + 1);
            EXPECT_NEAR(static_cast<double>(run.marks.time_ns.back()), times.back(), 40);
            EXPECT_TRUE(std::is_sorted(run.marks.time_ns.begin(), run.marks.time_ns.end()));
            EXPECT_EQ(std::count(run.warnings.begin(), run.warnings.end(), kUnsure), 1);
        }
    }
}

TEST(DecodeSeries, APauseBehindAnOddSeriesThatNeverWaitsIsSure) {
    for (const std::uint32_t length : {1u, 3u, 5u, 7u}) {
        SeriesWarp warp({length});
        const auto times = times_of(even_steps(length, 10'000));
        warp.launch.series(0, 1, times);
        warp.launch.exit(0, 7 * kTurn);
        const trace::Run run = warp.decode();
        expect_marks(run, times);
        EXPECT_NEAR(static_cast<double>(run.lanes[0].exit_ns), 7 * kTurn, 64);
        EXPECT_TRUE(run.warnings.empty());
    }
}

TEST(DecodeSeries, UnsurePausesAreCounted) {
    SeriesWarp warp({4});
    double ns = 0;
    for (int i = 0; i < 3; ++i) {
        warp.launch.series(0, 1, {ns + 100, ns + 200, ns + 300, ns + 400 + kTurn});
        ns += 2 * kTurn;
    }
    warp.launch.exit(0, ns);
    const trace::Run run = warp.decode();
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_TRUE(run.warnings[0].starts_with("3 pauses of more than two seconds"));
}

/// A warp that is stopped inside a series: what stands in the memory is shown, and no more.
TEST(DecodeSeries, OfAStoppedWarpEndsWhereItsSlotsEnd) {
    for (std::uint32_t length = 2; length <= record::kMaxSeriesSites; ++length) {
        for (std::uint32_t slots = 1; slots < record::used_series_slots(length); ++slots) {
            SCOPED_TRACE(::testing::Message() << length << ", " << slots << " slots");
            SeriesWarp warp({length, 1});
            const auto times = times_of(even_steps(length, 10'000));
            warp.launch.series(0, static_cast<std::uint16_t>(length + 1), {5'000});
            warp.launch.series(0, 1, times, slots);
            const trace::Run run = warp.decode();
            ASSERT_EQ(run.marks.size(), 2 * slots);
            EXPECT_EQ(run.counts.records, 2 * slots);
            EXPECT_EQ(run.counts.events, 2 * slots);
            EXPECT_EQ(run.sites[2 * slots - 2].records, 1u);
            EXPECT_EQ(run.sites[2 * slots - 1].records, 0u);
            EXPECT_EQ(run.sites[length].records, 1u);
            EXPECT_EQ(run.lanes[0].exit_ns, kUnknownTime);
        }
    }
}

TEST(DecodeSeries, DropsAreExactAndTheExitIsThere) {
    for (std::uint32_t turns = 1; turns < 40; ++turns) {
        SeriesWarp warp({8, 3, 1}, 1000, 4096);
        const std::uint32_t slots = warp.launch.plan().constants.region_slots;
        ASSERT_LE(slots, 256u);
        double ns = 0;
        for (std::uint32_t i = 0; i < turns; ++i) {
            warp.launch.series(0, 1, times_of({ns + 10, 10, 10, 10, 10, 10, 10, 10}));
            warp.launch.series(0, 9, times_of({ns + 100, 10, 10}));
            warp.launch.series(0, 12, {ns + 200});
            ns += 1000;
        }
        warp.launch.exit(0, ns + 10'000);
        const trace::Run run = warp.decode();
        EXPECT_EQ(run.counts.events + run.counts.dropped_events, 12u * turns);
        EXPECT_EQ(run.counts.dropped_records, run.counts.dropped_events);
        EXPECT_NEAR(static_cast<double>(run.lanes[0].exit_ns), ns + 10'000, 64);
    }
}

/// A long record that reaches over the end of what short ones may fill, then short ones alone,
/// which find nothing left: they fill twice the memory to where the long one would not fit again.
TEST(DecodeSeries, TheBytesThatAreNeededHoldTheLongestRecordToo) {
    std::uint32_t singles = 0;
    const auto run_with = [&](std::uint64_t bytes, std::uint32_t dropped) {
        SeriesWarp warp({8, 1}, 1000, bytes);
        double ns = 0;
        for (std::uint32_t i = 0; i < singles; ++i) warp.launch.series(0, 9, {ns += 10});
        warp.launch.series(0, 1, times_of({ns + 10, 1, 1, 1, 1, 1, 1, 1}));
        for (std::uint32_t i = 0; i < dropped; ++i) warp.launch.series(0, 9, {ns += 10});
        warp.launch.exit(0, 1e6);
        return warp.decode();
    };
    for (SeriesWarp warp({8, 1}, 1000, 4096); !warp.launch.is_dropping(0); ++singles)
        warp.launch.series(0, 9, {10.0 * singles});
    ASSERT_GT(singles-- * record::series_slots(1), record::kHotChunkSlots);
    for (std::uint32_t dropped = 1; dropped < 600; ++dropped) {
        const trace::Run run = run_with(4096, dropped);
        ASSERT_EQ(run.counts.dropped_events, dropped);
        const trace::Run whole = run_with(run.counts.buffer_bytes_needed, dropped);
        EXPECT_EQ(whole.counts.dropped_events, 0u) << dropped;
        EXPECT_EQ(whole.counts.events, singles + 8 + dropped);
    }
}

/// The words of two clocks that look like the record of an exit are none: they are no reading of
/// the timer.
TEST(DecodeSeries, ClocksThatLookLikeAnExitAreNone) {
    instrument::SiteTable sites = series_sites({7});
    SimulatedGpu gpu = SeriesWarp::gpu_from(0);
    SimulatedLaunch launch(small_request(8, 32), gpu, exit_site(sites));
    for (std::uint32_t region = 0; region < 8; ++region) {
        launch.enter(region, 0, 100.0 * region);
        // Two low words a slot: of the slot before the last the upper one is the exit's number, and
        // the last one is a time of the timer, two years after the launch and a half before.
        const double site_ns = (4294967296.0 + exit_site(sites)) / 2;
        const auto timer = gpu.timer_at_zero + 1'000'000'000'000;
        const double low = static_cast<double>(timer & 0xffffffff) / 2;
        const double high = static_cast<double>(timer >> 32) / 2;
        launch.series(region, 1,
                      {1000, 2000, 3000, 4000, site_ns, 2 * kTurn + low, 4 * kTurn + high});
        launch.cold_exit(region, 0, 0xffff, 100'000);
        launch.cold_exit(region, 16, 0xffff0000, 100'000);
    }
    const auto run = decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    EXPECT_NEAR(run->time.clock_mhz, 2000, 5);
    for (const Lane& lane : run->lanes) EXPECT_NEAR(static_cast<double>(lane.exit_ns), 1e5, 100);
}

/// A table of series of 3, 2 and 8 sites, with a change.
template <class Change>
void expect_refused(Change&& change, std::uint32_t site) {
    instrument::SiteTable table = series_sites({3, 2, 8});
    ASSERT_TRUE(SiteActions::make(table).ok());
    change(table.sites);
    const auto sites = SiteActions::make(table);
    ASSERT_FALSE(sites.ok()) << site;
    EXPECT_EQ(sites.error().kind, ErrorKind::kArchive);
    EXPECT_EQ(sites.error().message,
              "site " + std::to_string(site) +
                  " of the site table is part of a series that is not whole");
}

TEST(DecodeSeries, BrokenSeriesAreRefused) {
    using Sites = std::vector<instrument::Site>;
    expect_refused([](Sites& sites) { sites[0].place = 1; }, 1);
    expect_refused([](Sites& sites) { sites[1].place = 2; }, 1);
    expect_refused([](Sites& sites) { sites[2].series = 4; }, 2);
    expect_refused([](Sites& sites) { sites[3].series = 9; }, 4);
    expect_refused([](Sites& sites) { sites[1].series = 0; }, 2);
    expect_refused([](Sites& sites) { sites[4].place = 0; }, 4);
    expect_refused([](Sites& sites) { sites[2] = sites.back(); }, 2);  // an exit
    expect_refused([](Sites& sites) { sites.resize(11); }, 11);
    expect_refused([](Sites& sites) { sites.erase(sites.begin()); }, 1);
    expect_refused([](Sites& sites) { std::swap(sites[5], sites[6]); }, 6);
}

TEST(DecodeSeries, ARecordThatBeginsInsideASeriesIsRefused) {
    SeriesWarp warp({3});
    warp.launch.series(0, 2, {100, 200, 300});
    const auto run = trace::decode(warp.launch.records(), warp.sites);
    ASSERT_FALSE(run.ok());
    EXPECT_EQ(run.error().message,
              "the raw records contradict themselves: a record begins inside a series");
}

}  // namespace
}  // namespace gwatch::trace
