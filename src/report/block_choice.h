#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace gwatch::report {

/// Which warps a reader wants to see; empty lists mean all.
struct WarpFilter {
    std::vector<std::uint64_t> blocks;  ///< linear block ids
    std::vector<std::uint32_t> warps;   ///< within their block
};

/// A block to show: its lanes that pass the filter, and why it was chosen.
struct ChosenBlock {
    std::uint64_t block;
    std::string reason;  ///< "median lifetime", "asked for", "all blocks are shown", ...
    std::vector<std::uint32_t> lanes;  ///< indices into Run::lanes, in order of warp
};

/// Blocks whose warps tell most in few rows. All blocks when their warps fit into `max_rows`; else
/// as many as fit, at least one, in this order: the one with the median lifetime, with the most
/// gap, the first to start, the last to end, with the longest and the shortest lifetime. Blocks
/// that the filter names are all shown, whatever `max_rows` says.
std::vector<ChosenBlock> choose_blocks(const trace::Run& run, const WarpFilter& filter,
                                       std::size_t max_rows);

}  // namespace gwatch::report
