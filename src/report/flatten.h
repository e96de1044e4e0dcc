#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gwatch::report {

/// A stretch of a warp's time in which one slice is the innermost; times in ns, `end_ns` is past
/// the end.
struct Segment {
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::uint64_t slice;  ///< index into Run::slices
};

/// When the warp ended: its exit, or its last slice's end when no exit was recorded.
std::int64_t lane_end_ns(const trace::Run& run, const trace::Lane& lane);

/// The lane as one row: at each instant the deepest open slice. Where threads of the warp run apart
/// and slices of one depth overlap, that of the lowest thread shows, then the later one. Stretches
/// without a slice have no segment. Replaces what `segments` held.
void flatten_lane(const trace::Run& run, const trace::Lane& lane, std::vector<Segment>& segments);

}  // namespace gwatch::report
