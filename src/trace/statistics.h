#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gwatch::trace {

/// Durations of one scope's slices, in ns.
struct ScopeStatistics {
    std::uint32_t scope;
    std::uint64_t count;
    std::int64_t min_ns;
    double p50_ns;
    double mean_ns;
    double p95_ns;
    std::int64_t max_ns;
    std::int64_t total_ns;
    std::uint32_t warps;  ///< that had at least one slice
};

/// How a warp spent its life: active is the time in at least one scope, gap the rest.
struct LaneActivity {
    std::uint32_t lane;
    std::int64_t lifetime_ns;  ///< enter to exit, or to the last record when no exit was recorded
    std::int64_t active_ns;
    std::int64_t gap_ns;
    std::int64_t longest_gap_ns;
    std::int64_t longest_gap_start_ns;
};

struct PipelineSummary {
    std::uint64_t warps;
    std::int64_t lifetime_ns;  ///< summed over warps, as the next two
    std::int64_t active_ns;
    std::int64_t gap_ns;
    double active_ratio;                 ///< active_ns / lifetime_ns; 0 when there is no lifetime
    std::vector<LaneActivity> most_gap;  ///< the warps with the most gap, most first
};

/// One entry a scope that has slices, in order of the scope table. Percentiles are linear between
/// ranks.
std::vector<ScopeStatistics> scope_statistics(const Run& run);

/// One entry a lane, in order.
std::vector<LaneActivity> lane_activity(const Run& run);

PipelineSummary pipeline_summary(const Run& run, std::size_t most_gap_count = 5);

}  // namespace gwatch::trace
