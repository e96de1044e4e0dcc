#pragma once

#include <cstdint>
#include <vector>

#include "analysis/control_flow.h"

namespace gwatch::analysis {

/// A loop that is entered at its head alone.
struct Loop {
    std::uint32_t head;                 ///< a block
    std::vector<std::uint32_t> blocks;  ///< sorted, the head among them
};

/// All of them in order of their heads; those with the same head are one. Loops that are entered
/// in several places are left out.
std::vector<Loop> find_loops(const ControlFlow& flow);

}  // namespace gwatch::analysis
