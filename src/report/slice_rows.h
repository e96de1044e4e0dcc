#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace gwatch::report {

/// What slices take from their warps, as columns of equal length: a row a slice.
struct SliceRows {
    std::vector<std::uint64_t> block;
    std::vector<std::uint32_t> block_x;
    std::vector<std::uint32_t> block_y;
    std::vector<std::uint32_t> block_z;
    std::vector<std::uint32_t> warp;
    std::vector<std::uint32_t> sm;
    std::vector<std::uint32_t> cluster_rank;
    std::vector<std::int64_t> end_ns;
};

/// Of the slices [first, end) of the run.
SliceRows slice_rows(const trace::Run& run, std::uint64_t first, std::uint64_t end);

}  // namespace gwatch::report
