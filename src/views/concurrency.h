#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace gwatch::views {

/// How many warps something held, a mean over each cell of time.
struct WarpsOverTime {
    std::vector<double> cells;
    double mean = 0;           ///< over the whole window
    std::int64_t time_ns = 0;  ///< summed over warps
};

/// Two scopes against each other: the time, summed over blocks, in which at least one warp of the
/// block is in the first, in the second, in both. A warp is in its innermost scope only, so both at
/// once means two warps.
struct ScopeOverlap {
    std::uint32_t first;
    std::uint32_t second;
    std::int64_t first_ns;
    std::int64_t second_ns;
    std::int64_t both_ns;
};

struct Concurrency {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    double cell_ns = 0;
    std::vector<WarpsOverTime> scopes;  ///< [scope], by innermost scope
    WarpsOverTime in_no_scope;
    WarpsOverTime alive;
    std::vector<ScopeOverlap> pairs;  ///< that met, of the 16 scopes with most time; most first
};

struct ConcurrencyRequest {
    std::size_t cells = 60;
    std::optional<std::int64_t> begin_ns;  ///< of the run; else the first entry
    std::optional<std::int64_t> end_ns;    ///< else the last exit
};

Concurrency concurrency(const trace::Run& run, const ConcurrencyRequest& request);

}  // namespace gwatch::views
