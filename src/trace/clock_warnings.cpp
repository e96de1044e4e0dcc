#include "trace/clock_warnings.h"

#include <cstdio>

namespace gwatch::trace {

namespace {

constexpr double kNotableShare = 0.95;         // of the highest clock
constexpr std::int64_t kShortSpanNs = 50'000;  // a tick of 1 us makes the clock 2 % unsure there

}  // namespace

std::vector<std::string> clock_warnings(const Run& run) {
    const double highest = run.launch.max_clock_mhz.value_or(0);
    const double clock = run.time.clock_mhz;
    if (clock <= 0 || clock >= kNotableShare * highest || run.time.span_ns < kShortSpanNs)
        return {};
    char text[320];
    std::snprintf(text, sizeof text,
                  "The SM clock was %.0f MHz on average, of at most %.0f MHz: the GPU lowers it at "
                  "its power limit, or it is locked. It may have changed within the launch; "
                  "between readings of the device's timer, at the ends of warps, ns take it as "
                  "even. Cycles are exact.",
                  clock, highest);
    return {text};
}

}  // namespace gwatch::trace
