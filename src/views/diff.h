#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "views/bootstrap.h"
#include "views/sampling_units.h"

namespace gwatch::views {

/// One figure before and after, and the interval of after - before where it can be known.
struct Change {
    double before = 0;
    double after = 0;
    std::optional<Interval> difference = {};
};

/// One scope in two runs. Scopes match by name; of several with one name, by order.
struct ScopeChange {
    std::string name;
    std::optional<std::uint32_t> before;  ///< its index there; nothing when it is not there
    std::optional<std::uint32_t> after;
    std::uint64_t count_before = 0;
    std::uint64_t count_after = 0;
    Change p50_ns;
    Change p95_ns;
    Change total_ns;
    Change share;  ///< of the warps' summed lifetimes, 0 to 1; above 1 when it nests in itself
};

struct RunDiff {
    std::vector<ScopeChange> scopes;  ///< in order of `before`, then those only in `after`
    Change lifetime_ns;               ///< mean of a warp
    Change gap_share;                 ///< of the warps' summed lifetimes
    SamplingUnit unit = SamplingUnit::kNone;
    /// Both runs have the same warps of the same blocks, and the same ones of both were drawn: what
    /// makes blocks differ from each other in both runs is not in the intervals.
    bool is_paired = false;
};

struct DiffOptions {
    std::size_t resamples = 500;
    std::uint64_t seed = 1;
};

/// Compares two runs. The intervals are of a bootstrap over blocks (else warps, else stretches of
/// warps) of these two launches: how much launches differ among themselves is not in them.
RunDiff diff_runs(const trace::Run& before, const trace::Run& after,
                  const DiffOptions& options = {});

}  // namespace gwatch::views
