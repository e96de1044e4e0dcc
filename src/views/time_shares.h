#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gwatch::views {

/// How some warps spent their lives, in ns summed over them: each instant counts once, for the
/// innermost scope.
struct TimeShares {
    std::int64_t lifetime_ns = 0;
    std::int64_t gap_ns = 0;            ///< in no scope
    std::vector<std::int64_t> self_ns;  ///< [scope], while it was the innermost

    explicit TimeShares(std::size_t scopes = 0) : self_ns(scopes, 0) {}
    void add(const TimeShares& other);
};

/// Warps that ran the same set of scopes, such as producers or consumers.
struct WarpGroup {
    std::vector<std::uint32_t> scopes;  ///< that each of them ran, ascending
    std::vector<std::uint32_t> warps;   ///< their places in their blocks, ascending
    std::uint64_t count = 0;            ///< of warps, in all blocks
    bool is_rest = false;               ///< several smaller groups together; no scopes are named
    TimeShares time;
};

/// The groups of a run, longest summed lifetime first. Those after the first `limit` - 1 are put
/// together when there are more than `limit`.
std::vector<WarpGroup> warp_groups(const trace::Run& run, std::size_t limit = 6);

/// The sum over all warps.
TimeShares time_shares(const trace::Run& run);

}  // namespace gwatch::views
