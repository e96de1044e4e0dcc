#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gwatch::views {

/// An instance is slow when it takes more than this many times the median of its scope.
inline constexpr double kSlowFactor = 2.0;

struct SlowSlice {
    std::uint64_t slice;  ///< index into Run::slices
    std::uint32_t lane;
    std::int64_t start_ns;
    std::int64_t duration_ns;
};

/// One scope's instances against its own median.
struct ScopeOutliers {
    std::uint32_t scope;
    std::uint64_t count;
    double p50_ns;
    double p95_ns;
    std::int64_t total_ns;
    std::uint64_t slow_count;
    double excess_ns;                ///< what the slow ones took beyond the median, summed
    std::vector<SlowSlice> slowest;  ///< of the slow ones, longest first
};

/// One entry a scope that has slices, most excess first, each with its `limit` slowest.
std::vector<ScopeOutliers> find_outliers(const trace::Run& run, std::size_t limit);

}  // namespace gwatch::views
