#include "trace/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "trace/clock_pieces.h"

namespace gwatch::trace {

namespace {

constexpr double kLargestTick = 2048;
/// So many differences have hardly a common divisor by chance.
constexpr int kEnoughSteps = 8;
/// A smaller divisor shared with the timer's value says nothing: the value need not be a multiple
/// of the tick.
constexpr std::int64_t kLeastKnownTick = 16;
/// How much the clocks of SMs differ, relative: 1.5 % were seen on an H200.
constexpr double kRateSpread = 0.01;
constexpr double kFastestNsPerCycle = 0.1;  // 10 GHz
constexpr double kSlowestNsPerCycle = 20;   // 50 MHz
constexpr double kUselessUncertainty = 0.5;

/// Sums of a least-squares slope over groups that each have an offset of their own.
struct SlopeSums {
    double clock_clock = 0;
    double clock_timer = 0;

    void add(const std::vector<Anchor>& anchors) {
        if (anchors.size() < 2) return;
        const Anchor& origin = anchors.front();
        double mean_clock = 0;
        double mean_timer = 0;
        for (const Anchor& anchor : anchors) {
            mean_clock += static_cast<double>(anchor.clock - origin.clock);
            mean_timer += static_cast<double>(anchor.timer_ns - origin.timer_ns);
        }
        mean_clock /= static_cast<double>(anchors.size());
        mean_timer /= static_cast<double>(anchors.size());
        for (const Anchor& anchor : anchors) {
            const double clock = static_cast<double>(anchor.clock - origin.clock) - mean_clock;
            const double timer =
                static_cast<double>(anchor.timer_ns - origin.timer_ns) - mean_timer;
            clock_clock += clock * clock;
            clock_timer += clock * timer;
        }
    }
    double slope() const { return clock_clock > 0 ? clock_timer / clock_clock : 0; }
};

/// Twice the standard deviation that readings rounded to a tick give the slope.
double uncertainty_of(const SlopeSums& sums, double rate, double tick) {
    if (sums.clock_clock <= 0) return 1;
    return 2 * tick / std::sqrt(12.0 * sums.clock_clock) / rate;
}

void fit_common_rate(const std::vector<std::vector<Anchor>>& anchors, ClockFit* fit) {
    SlopeSums sums;
    for (const auto& of_sm : anchors) sums.add(of_sm);
    fit->ns_per_cycle = sums.slope();
    const bool plausible =
        fit->ns_per_cycle >= kFastestNsPerCycle && fit->ns_per_cycle <= kSlowestNsPerCycle;
    fit->rate_uncertainty = plausible ? uncertainty_of(sums, fit->ns_per_cycle, fit->tick_ns) : 1;
    if (!plausible || fit->rate_uncertainty > kUselessUncertainty) {
        fit->ns_per_cycle = kAssumedNsPerCycle;
        fit->rate_uncertainty = 1;
        fit->rate_assumed = true;
    }
}

/// How far a time lies outside of what a reading says: 0 inside [v, v + tick).
double miss(double ns, double timer, double tick) {
    return std::max({0.0, timer - ns, ns - (timer + tick)});
}

double percentile_99(std::vector<double> values) {
    if (values.empty()) return 0;
    const std::size_t rank = (values.size() - 1) * 99 / 100;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                     values.end());
    return values[rank];
}

double residual_of(const ClockFit& fit, const std::vector<std::vector<Anchor>>& anchors) {
    std::vector<double> misses;
    for (std::size_t sm = 0; sm < anchors.size(); ++sm) {
        for (const Anchor& anchor : anchors[sm]) {
            misses.push_back(miss(fit.sms[sm].ns(anchor.clock),
                                  static_cast<double>(anchor.timer_ns), fit.tick_ns));
        }
    }
    return percentile_99(std::move(misses));
}

/// The rate of an SM: its own as far as its readings tell it, the common one as far as they do not.
/// This is the most likely rate when readings err by what a tick rounds off and SMs differ by
/// kRateSpread.
double rate_of_sm(const std::vector<Anchor>& anchors, const ClockFit& fit) {
    SlopeSums sums;
    sums.add(anchors);
    const double spread = kRateSpread * fit.ns_per_cycle;
    const double weight_of_common = fit.tick_ns * fit.tick_ns / 12 / (spread * spread);
    const double rate = (sums.clock_timer + weight_of_common * fit.ns_per_cycle) /
                        (sums.clock_clock + weight_of_common);
    return rate >= kFastestNsPerCycle && rate <= kSlowestNsPerCycle ? rate : fit.ns_per_cycle;
}

ClockLine fit_sm(const std::vector<Anchor>& anchors, const ClockFit& fit) {
    if (anchors.empty()) return ClockLine({{0, 0, fit.ns_per_cycle}});
    const ClockKnot first = line_of_slope(anchors, rate_of_sm(anchors, fit), fit.tick_ns);
    const std::vector<Anchor> sound = without_outliers(anchors, first, fit.tick_ns);
    const ClockKnot line = line_of_slope(sound, rate_of_sm(sound, fit), fit.tick_ns);
    return split_where_bent(anchors, line, fit.tick_ns);
}

ClockReach reach_of(const std::vector<Anchor>& anchors, const ClockFit& fit) {
    if (anchors.empty()) return {0, fit.rate_uncertainty};
    SlopeSums sums;
    sums.add(anchors);
    const double own = uncertainty_of(sums, fit.ns_per_cycle, fit.tick_ns);
    return {anchors.back().clock, std::min(own, fit.rate_uncertainty + kRateSpread)};
}

double longest_gap_of(const std::vector<std::vector<Anchor>>& anchors) {
    std::int64_t longest = 0;
    for (const auto& of_sm : anchors) {
        for (std::size_t i = 1; i < of_sm.size(); ++i)
            longest = std::max(longest, of_sm[i].timer_ns - of_sm[i - 1].timer_ns);
    }
    return static_cast<double>(longest);
}

}  // namespace

double ClockFit::miss_behind_readings(std::size_t sm, double ns) const {
    const double behind = ns - sms[sm].ns(reach[sm].last_clock);
    return behind > 0 ? behind * reach[sm].rate_uncertainty : 0;
}

double ClockLine::ns(std::uint64_t clock) const {
    const ClockKnot& knot = knots_[piece_at(clock)];
    return knot.ns + knot.rate * static_cast<double>(static_cast<std::int64_t>(clock - knot.clock));
}

std::size_t ClockLine::piece_at(std::uint64_t clock) const {
    const auto after = std::upper_bound(
        knots_.begin(), knots_.end(), clock,
        [](std::uint64_t value, const ClockKnot& knot) { return value < knot.clock; });
    return after == knots_.begin() ? 0 : static_cast<std::size_t>(after - knots_.begin()) - 1;
}

void ClockLine::shift(double ns) {
    for (ClockKnot& knot : knots_) knot.ns += ns;
}

double find_tick(const std::vector<std::vector<Anchor>>& anchors, std::uint64_t origin) {
    std::vector<std::int64_t> times;
    for (const auto& of_sm : anchors) {
        for (const Anchor& anchor : of_sm) times.push_back(anchor.timer_ns);
    }
    std::sort(times.begin(), times.end());
    std::int64_t common = 0;
    std::int64_t smallest = 0;
    int steps = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
        const std::int64_t step = times[i] - times[i - 1];
        if (step == 0) continue;
        ++steps;
        common = std::gcd(common, step);
        smallest = smallest == 0 ? step : std::min(smallest, step);
    }
    if (smallest == 0) return 1;
    if (steps < kEnoughSteps) {
        const std::uint64_t first = origin + static_cast<std::uint64_t>(times.front());
        const auto with_origin =
            static_cast<std::int64_t>(std::gcd(static_cast<std::uint64_t>(common), first));
        if (with_origin >= kLeastKnownTick) common = with_origin;
    }
    const auto tick = static_cast<double>(common > 1 ? common : smallest);
    return std::clamp(tick, 1.0, kLargestTick);
}

ClockFit fit_clocks(std::vector<std::vector<Anchor>>& anchors, std::uint64_t origin) {
    for (auto& of_sm : anchors) {
        std::sort(of_sm.begin(), of_sm.end(), [](const Anchor& a, const Anchor& b) {
            return a.clock != b.clock ? a.clock < b.clock : a.timer_ns < b.timer_ns;
        });
    }
    ClockFit fit;
    fit.tick_ns = find_tick(anchors, origin);
    fit_common_rate(anchors, &fit);
    for (const auto& of_sm : anchors) {
        fit.sms.push_back(fit_sm(of_sm, fit));
        fit.reach.push_back(reach_of(of_sm, fit));
    }
    fit.residual_ns = residual_of(fit, anchors);
    fit.longest_gap_ns = longest_gap_of(anchors);
    return fit;
}

}  // namespace gwatch::trace
