#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "instrument/sites.h"
#include "record/payload.h"

namespace gwatch::testing {

/// A marker of a random kernel. Its carrier writes to a register that ends in its index: %mk7, or
/// %ml7 when it moves 64 bits.
struct RandomMarker {
    instrument::Verb verb;
    std::string scope;
    std::string next_scope;  ///< of a switch: the one that starts
    record::PayloadKind payload = record::PayloadKind::kNone;
};

/// A module with one entry, `k`, that the simulator can run, and a launch of it.
struct RandomKernel {
    std::string text;
    std::vector<RandomMarker> markers;  ///< in text order
    std::array<std::uint32_t, 3> grid;
    std::array<std::uint32_t, 3> block;
};

/// Nested conditions, loops, breaks, early exits, barriers and calls. Lanes part by their number,
/// by an election and by data; some markers are guarded, some fused, some in device functions, some
/// have a payload.
RandomKernel make_random_kernel(std::uint32_t seed);

}  // namespace gwatch::testing
