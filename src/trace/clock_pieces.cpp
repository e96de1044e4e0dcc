#include "trace/clock_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gwatch::trace {

namespace {

constexpr double kLeastPieceTicks = 1000;
constexpr double kLeastPieceNs = 20'000;
constexpr std::size_t kFewAnchors = 64;
constexpr std::size_t kReach = 2;  // neighbours on each side that judge an anchor

double cycles_between(std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(static_cast<std::int64_t>(to - from));
}

/// Middle of the time that a reading means, against the line.
double offset_from(const ClockKnot& line, const Anchor& anchor, double tick) {
    return static_cast<double>(anchor.timer_ns) + tick / 2 -
           (line.ns + line.rate * cycles_between(line.clock, anchor.clock));
}

std::vector<double> offsets_from(const ClockKnot& line, const std::vector<Anchor>& anchors,
                                 double tick) {
    std::vector<double> offsets;
    offsets.reserve(anchors.size());
    for (const Anchor& anchor : anchors) offsets.push_back(offset_from(line, anchor, tick));
    return offsets;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// How far each anchor lies from the median of its neighbourhood.
std::vector<double> deviations_from_neighbours(const std::vector<double>& offsets) {
    std::vector<double> deviations(offsets.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::size_t first = std::min(i - std::min(i, kReach), offsets.size() - 1);
        const std::size_t end = std::min(i + kReach + 1, offsets.size());
        const std::vector<double> near(offsets.begin() + static_cast<std::ptrdiff_t>(first),
                                       offsets.begin() + static_cast<std::ptrdiff_t>(end));
        deviations[i] = std::abs(offsets[i] - median(near));
    }
    return deviations;
}

/// Whether no warp was held up between reading the timer and the clock: that takes some cycles, so
/// it happens to one reading of many thousands.
bool are_all_prompt(const std::vector<Anchor>& anchors) {
    return anchors.size() <= kFewAnchors &&
           std::none_of(anchors.begin(), anchors.end(),
                        [](const Anchor& anchor) { return anchor.is_late; });
}

/// Anchors that agree with their neighbours, and the deviation that counts as a bend.
struct Trusted {
    std::vector<Anchor> anchors;
    double tolerance;
};

Trusted trusted_anchors(const std::vector<Anchor>& anchors, const std::vector<double>& offsets,
                        double tick) {
    if (are_all_prompt(anchors)) return {anchors, 2 * tick};
    const std::vector<double> deviations = deviations_from_neighbours(offsets);
    std::vector<double> sorted = deviations;
    const auto rank = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 9 / 10);
    std::nth_element(sorted.begin(), rank, sorted.end());
    Trusted trusted{{}, std::max(2 * tick, 4 * *rank)};
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        if (deviations[i] <= trusted.tolerance) trusted.anchors.push_back(anchors[i]);
    }
    return trusted;
}

/// Finds the knots between the first and the last anchor: the worst miss of each straight piece
/// becomes one.
class Bender {
  public:
    Bender(const Trusted& trusted, double tick) : trusted_(trusted), tick_(tick) {
        least_ns_ = std::max(kLeastPieceTicks * tick, kLeastPieceNs);
    }

    std::vector<std::size_t> knots() {
        std::vector<std::size_t> found{0, trusted_.anchors.size() - 1};
        for (std::size_t at = 0; at + 1 < found.size();) {
            const std::size_t worst = worst_between(found[at], found[at + 1]);
            if (worst == 0) {
                ++at;
            } else {
                found.insert(found.begin() + static_cast<std::ptrdiff_t>(at) + 1, worst);
            }
        }
        return found;
    }

  private:
    /// 0 when the piece is straight enough.
    std::size_t worst_between(std::size_t first, std::size_t last) const {
        const std::vector<Anchor>& anchors = trusted_.anchors;
        const Anchor& from = anchors[first];
        const Anchor& to = anchors[last];
        const double cycles = cycles_between(from.clock, to.clock);
        if (cycles <= 0) return 0;
        const ClockKnot line{from.clock, static_cast<double>(from.timer_ns) + tick_ / 2,
                             static_cast<double>(to.timer_ns - from.timer_ns) / cycles};
        std::size_t worst = 0;
        double most = trusted_.tolerance;
        for (std::size_t i = first + 1; i < last; ++i) {
            const auto time = anchors[i].timer_ns;
            if (static_cast<double>(time - from.timer_ns) < least_ns_ ||
                static_cast<double>(to.timer_ns - time) < least_ns_ ||
                anchors[i].clock == from.clock || anchors[i].clock == to.clock) {
                continue;
            }
            const double deviation = std::abs(offset_from(line, anchors[i], tick_));
            if (deviation > most) {
                most = deviation;
                worst = i;
            }
        }
        return worst;
    }

    const Trusted& trusted_;
    double tick_;
    double least_ns_;
};

}  // namespace

ClockKnot line_of_slope(const std::vector<Anchor>& anchors, double rate, double tick) {
    ClockKnot line{anchors.front().clock, static_cast<double>(anchors.front().timer_ns), rate};
    const std::vector<double> offsets = offsets_from(line, anchors, tick);
    const double middle = median(offsets);
    double least = std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::lowest();
    for (const double offset : offsets) {
        // Readings that can belong to one line differ by less than a tick.
        if (std::abs(offset - middle) > tick) continue;
        least = std::min(least, offset);
        most = std::max(most, offset);
    }
    line.ns += (least + most) / 2;
    return line;
}

std::vector<Anchor> without_outliers(const std::vector<Anchor>& anchors, const ClockKnot& line,
                                     double tick) {
    std::vector<double> distances = offsets_from(line, anchors, tick);
    const double middle = median(distances);
    for (double& distance : distances) distance = std::abs(distance - middle);
    const double tolerance = tick + 4 * median(distances);
    std::vector<Anchor> kept;
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        if (distances[i] <= tolerance) kept.push_back(anchors[i]);
    }
    return kept;
}

ClockLine split_where_bent(const std::vector<Anchor>& anchors, const ClockKnot& line, double tick) {
    if (anchors.size() < 2 * kReach + 1) return ClockLine({line});
    const Trusted trusted = trusted_anchors(anchors, offsets_from(line, anchors, tick), tick);
    if (trusted.anchors.size() < 3) return ClockLine({line});
    const std::vector<double> offsets = offsets_from(line, trusted.anchors, tick);
    const bool straight = std::all_of(offsets.begin(), offsets.end(), [&](double offset) {
        return std::abs(offset) <= trusted.tolerance;
    });
    if (straight) return ClockLine({line});

    const std::vector<std::size_t> found = Bender(trusted, tick).knots();
    std::vector<ClockKnot> knots;
    for (std::size_t i = 0; i + 1 < found.size(); ++i) {
        const Anchor& from = trusted.anchors[found[i]];
        const Anchor& to = trusted.anchors[found[i + 1]];
        const double rate =
            static_cast<double>(to.timer_ns - from.timer_ns) / cycles_between(from.clock, to.clock);
        knots.push_back({from.clock, static_cast<double>(from.timer_ns) + tick / 2, rate});
    }
    return knots.size() < 2 ? ClockLine({line}) : ClockLine(std::move(knots));
}

}  // namespace gwatch::trace
