#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace gwatch::analysis {

/// A launch of one warp.
struct WarpLaunch {
    std::array<std::uint32_t, 3> block;  ///< threads a block
    std::uint32_t warp;                  ///< index of the warp in its block
    std::uint64_t seed;                  ///< of parameters, memory and the order of lanes
};

enum class Ending {
    kDone,       ///< all lanes ended
    kTrapped,    ///< one trapped
    kTooLong,    ///< the steps ran out
    kUndefined,  ///< a collective without all lanes
    kUnknown     ///< an instruction that the interpreter does not know
};

/// How often each lane executed each statement; guarded ones count when the guard holds.
struct WarpRun {
    Ending ending;
    std::vector<std::vector<std::uint32_t>> counts;  ///< by existing lane, then by statement
};

/// Runs the only entry of a module lane by lane, each on its own up to the next collective. Flat
/// names, 64-bit registers that begin with 0, memory that nothing changes.
WarpRun run_warp(const ptx::Module& module, const WarpLaunch& launch);

}  // namespace gwatch::analysis
