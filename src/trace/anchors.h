#pragma once

#include <cstdint>
#include <vector>

#include "trace/clock_fit.h"
#include "trace/warps.h"

namespace gwatch::trace {

/// Every SM's pairs of (clock, globaltimer): entries, exits, readings on the way, and cold records,
/// thinned to some thousands an SM.
struct SmAnchors {
    std::vector<std::vector<Anchor>> of_sm;  ///< timer_ns from `origin`
    std::vector<std::uint32_t> sm_of_warp;   ///< index into of_sm for each of RawWarps::warps
    std::uint64_t origin = 0;                ///< the earliest entry, on the device's own timer
};

/// Collects them. Low words of the timer in cold records are unwrapped by a rate that entries and
/// exits give.
SmAnchors collect_anchors(const RawWarps& raw, const SiteActions& sites);

}  // namespace gwatch::trace
