#include "trace/clock_warnings.h"

#include <cstdio>

namespace gwatch::trace {

namespace {

constexpr double kNotableShare = 0.95;        // of the highest clock
constexpr std::int64_t kShortGapNs = 50'000;  // a tick of 1 us makes the clock 2 % unsure there

}  // namespace

std::vector<std::string> clock_warnings(const Run& run) {
    const double highest = run.launch.max_clock_mhz.value_or(0);
    const double clock = run.time.clock_mhz;
    const std::int64_t gap = run.time.timer_gap_ns.value_or(run.time.span_ns);
    if (clock <= 0 || clock >= kNotableShare * highest || gap < kShortGapNs) return {};
    char text[320];
    std::snprintf(text, sizeof text,
                  "The SM clock was %.0f MHz on average, of at most %.0f MHz: the GPU lowers it at "
                  "its power limit, or it is locked. It may have changed within the launch; "
                  "between readings of the device's timer, up to %.0f us apart, ns take it as "
                  "even. Cycles are exact.",
                  clock, highest, static_cast<double>(gap) / 1000);
    return {text};
}

}  // namespace gwatch::trace
