#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"
#include "views/time_shares.h"

namespace gwatch::views {

/// A block's longest warp: the one that lived longest, of several the first.
struct CriticalWarp {
    std::uint64_t block;
    std::int64_t block_ns;  ///< first entry to last exit of the block
    std::uint32_t lane;
    TimeShares time;  ///< of the longest warp
};

/// The longest warps of all blocks.
struct CriticalPaths {
    std::uint64_t blocks = 0;
    TimeShares time;                        ///< summed over the longest warps
    std::vector<std::uint64_t> led_blocks;  ///< [scope] blocks whose longest warp it held most
    std::uint64_t led_by_no_scope = 0;      ///< blocks whose longest warp was mostly in no scope
    std::vector<CriticalWarp> slowest;      ///< the blocks that took longest, longest first
};

CriticalPaths critical_paths(const trace::Run& run, std::size_t limit);

}  // namespace gwatch::views
