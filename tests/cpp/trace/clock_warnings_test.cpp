#include "trace/clock_warnings.h"

#include <gtest/gtest.h>

namespace gwatch::trace {
namespace {

Run run_of(double clock_mhz, std::optional<std::uint32_t> highest, std::int64_t span_ns) {
    Run run;
    run.time.clock_mhz = clock_mhz;
    run.time.span_ns = span_ns;
    run.launch.max_clock_mhz = highest;
    return run;
}

TEST(ClockWarnings, AClockThatTheGpuLowered) {
    const auto warnings = clock_warnings(run_of(1521.4, 1980, 180'000));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(
        warnings[0].starts_with("The SM clock was 1521 MHz on average, of at most 1980 MHz"))
        << warnings[0];
}

TEST(ClockWarnings, NoneWhereThereIsNothingToSay) {
    EXPECT_TRUE(clock_warnings(run_of(1970, 1980, 180'000)).empty());
    EXPECT_TRUE(clock_warnings(run_of(1882, 1980, 180'000)).empty()) << "95 %";
    EXPECT_TRUE(clock_warnings(run_of(1521, std::nullopt, 180'000)).empty());
    EXPECT_TRUE(clock_warnings(run_of(0, 1980, 180'000)).empty()) << "a clock not known";
    EXPECT_TRUE(clock_warnings(run_of(1521, 1980, 20'000)).empty()) << "too short to tell";
    trace::Run often = run_of(1521, 1980, 180'000);
    often.time.timer_gap_ns = 30'000;
    EXPECT_TRUE(clock_warnings(often).empty()) << "the readings follow the clock";
    often.time.timer_gap_ns = 90'000;
    ASSERT_EQ(clock_warnings(often).size(), 1u);
    EXPECT_NE(clock_warnings(often)[0].find("up to 90 us apart"), std::string::npos);
}

}  // namespace
}  // namespace gwatch::trace
