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

/// Of all marks of the run; `end_ns` is their time.
SliceRows mark_rows(const trace::Run& run);

/// Payloads as columns of numbers, a row a slice or an instant: each value stands in the column of
/// its type, and is absent from the others. Bit i of a column's `valid` says whether row i has one.
struct PayloadRows {
    template <class T>
    struct Numbers {
        std::vector<T> values;
        std::vector<std::uint8_t> valid;
    };
    Numbers<std::int32_t> kind;  ///< trace::PayloadKind
    Numbers<std::int64_t> as_signed;
    Numbers<std::uint64_t> as_unsigned;  ///< bits too
    Numbers<double> as_float;
};

/// Of the rows [first, end) of the run's slices; all columns are empty when none carries a payload.
PayloadRows payload_rows(const trace::Run& run, std::uint64_t first, std::uint64_t end);

/// Of all marks of the run, likewise.
PayloadRows mark_payload_rows(const trace::Run& run);

}  // namespace gwatch::report
