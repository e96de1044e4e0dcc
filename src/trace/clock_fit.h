#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gwatch::trace {

/// Times are cut to this, 2^53 ns or 104 days, so that sums of damaged clocks stay in range.
inline constexpr double kLatestNs = 9007199254740992.0;

/// Whole ns of a time that is not before 0.
inline std::int64_t whole_ns(double ns) {
    return static_cast<std::int64_t>(ns < 0 ? 0 : ns < kLatestNs ? ns : kLatestNs);
}

/// One reading of both clocks of an SM: the global timer first, the SM's clock right after.
struct Anchor {
    std::uint64_t clock;    ///< cycles
    std::int64_t timer_ns;  ///< from any common origin
    bool is_late = false;   ///< the timer was read a memory access after the clock
};

/// A piece of an SM's time line: `ns` at `clock`, and from there `rate` ns a cycle.
struct ClockKnot {
    std::uint64_t clock;
    double ns;
    double rate;
};

/// From a clock of one SM to ns. A piece holds from its knot to the next; the first and the last
/// reach on outwards.
class ClockLine {
  public:
    ClockLine() = default;
    explicit ClockLine(std::vector<ClockKnot> knots) : knots_(std::move(knots)) {}

    const std::vector<ClockKnot>& knots() const { return knots_; }
    double ns(std::uint64_t clock) const;
    /// The piece that holds at a clock: index into knots().
    std::size_t piece_at(std::uint64_t clock) const;
    /// Moves the origin of ns.
    void shift(double ns);

  private:
    std::vector<ClockKnot> knots_;
};

/// How far the readings of an SM tell its time.
struct ClockReach {
    std::uint64_t last_clock = 0;
    double rate_uncertainty = 0;  ///< relative, of the SM's line
};

/// All SMs on one axis of ns.
struct ClockFit {
    std::vector<ClockLine> sms;     ///< one for each vector of anchors
    std::vector<ClockReach> reach;  ///< of each of them
    double ns_per_cycle = 0;        ///< over all SMs
    double rate_uncertainty = 0;    ///< relative, of ns_per_cycle: 0.01 is one percent
    bool rate_assumed = false;      ///< the anchors do not tell the rate: kAssumedNsPerCycle
    double tick_ns = 0;             ///< step of the timer
    double residual_ns =
        0;  ///< how far the lines miss 99 % of the readings: a reading v means [v, v + tick)

    double longest_gap_ns = 0;  ///< between two readings of an SM

    /// What a time behind the last reading of its SM may be off beyond that.
    double miss_behind_readings(std::size_t sm, double ns) const;
};

inline constexpr double kAssumedNsPerCycle = 1.0 / 1.5;

/// The step of a timer, at most 2048 ns: what all readings are multiples of, `origin` (the timer's
/// value where timer_ns is 0) included while they are few; else the smallest difference. 1 when
/// fewer than two readings differ.
double find_tick(const std::vector<std::vector<Anchor>>& anchors, std::uint64_t origin);

/// Fits a line to each SM's anchors. A reading v of the timer is the time rounded down to a tick,
/// so the true time was in [v, v + tick). The rate is the SM's own as far as its readings tell it,
/// else that of all SMs; an SM whose clock changed by more than its anchors' noise gets several
/// pieces. Reorders the anchors by clock. `origin` is the timer's value where timer_ns is 0.
ClockFit fit_clocks(std::vector<std::vector<Anchor>>& anchors, std::uint64_t origin);

}  // namespace gwatch::trace
