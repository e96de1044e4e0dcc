#pragma once

#include <vector>

#include "trace/clock_fit.h"

namespace gwatch::trace {

/// The line of this slope through anchors (at least one, in order of clock) that agrees best with
/// their readings: in the middle of what the readings leave open. Readings that were delayed
/// against most others have no say.
ClockKnot line_of_slope(const std::vector<Anchor>& anchors, double rate, double tick);

/// The anchors without those that lie far from the line against most others: a warp was held up
/// between its two reads. Keeps at least half of them.
std::vector<Anchor> without_outliers(const std::vector<Anchor>& anchors, const ClockKnot& line,
                                     double tick);

/// The line, or pieces with knots at anchors where it misses them by more than twice the tick and
/// four times their noise. Knots are at least 1000 ticks and 100 us apart.
ClockLine split_where_bent(const std::vector<Anchor>& anchors, const ClockKnot& line, double tick);

}  // namespace gwatch::trace
