#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace gwatch::views {

/// What is drawn again when a run is resampled: the largest of these of which both runs have at
/// least kFewestUnits. Slices of one block or warp resemble each other, so drawing single slices
/// would promise too much.
enum class SamplingUnit {
    kBlocks,
    kWarps,
    kStretches,  ///< a sixteenth of a warp's slices, one behind the other
    kNone        ///< there is too little to resample
};

/// "blocks", "warps", "stretches"; empty for none.
std::string_view name_of(SamplingUnit unit);

inline constexpr std::size_t kFewestUnits = 8;

/// A run cut into at most kMostGroups groups of whole units.
struct SamplingGroups {
    std::size_t groups = 0;
    std::vector<std::uint32_t> group_of_slice;
    std::vector<double> warps;        ///< [group]; of stretches a sixteenth each
    std::vector<double> lifetime_ns;  ///< [group]
    std::vector<double> gap_ns;       ///< [group]
};

inline constexpr std::size_t kMostGroups = 128;

/// The largest unit of which both runs have enough.
SamplingUnit common_unit(const trace::Run& before, const trace::Run& after);

SamplingGroups sampling_groups(const trace::Run& run, SamplingUnit unit);

}  // namespace gwatch::views
