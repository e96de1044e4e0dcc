#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/block_choice.h"
#include "trace/trace.h"

namespace gwatch::report {

inline constexpr std::int32_t kGapCell = -1;      ///< the warp lived, mostly in no scope
inline constexpr std::int32_t kOutsideCell = -2;  ///< the warp did not live at all

/// One warp; each cell is a scope's index or one of the constants above.
struct TimelineRow {
    std::uint32_t warp;
    std::uint32_t sm;
    std::vector<std::int32_t> cells;
};

/// The warps of one block, on a time axis of their own.
struct TimelineBlock {
    std::uint64_t block;
    std::string reason;
    std::int64_t begin_ns;
    std::vector<TimelineRow> rows;
};

struct TextTimeline {
    std::uint64_t lanes_in_run = 0;
    double cell_ns = 0;  ///< of every block, so that they compare
    std::vector<TimelineBlock> blocks;
    /// Time of each scope as the innermost one, in the rows and the window shown.
    std::vector<std::int64_t> innermost_ns;
    std::int64_t gap_ns = 0;  ///< lived outside of scopes there
};

struct TimelineRequest {
    std::size_t width = 80;  ///< cells a row
    std::size_t max_rows = 16;
    WarpFilter filter;
    std::optional<std::int64_t> begin_ns;  ///< of the run; then every block has this same axis
    std::optional<std::int64_t> end_ns;
};

/// The timeline as a grid of cells. A cell shows what held most of the warp's time in it: a scope
/// while it was the innermost, or the gap between scopes.
TextTimeline text_timeline(const trace::Run& run, const TimelineRequest& request);

}  // namespace gwatch::report
