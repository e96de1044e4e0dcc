#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fidelity/facts.h"
#include "instrument/instrument.h"

// Compares the original build of a kernel with the traced one (docs/fidelity.md).
namespace gwatch::fidelity {

struct Request {
    std::string entry;           ///< mangled kernel name
    std::string original_cubin;  ///< empty: unknown, then there is no mix
    std::string traced_cubin;    ///< the build that is launched
    const instrument::Instrumented* instrumented = nullptr;
    /// The same code with line information (ptxas -lineinfo); empty when traced_cubin has it.
    std::string cubin_with_lines = {};
    std::vector<std::string> disassemblers;  ///< paths of nvdisasm programs, best first
};

/// Fills disassembler, unknown, mix, scopes and notes; never fails: `unknown` says why not.
Facts compare(const Request& request);

/// The remarks of `traced` that `original` has not, or less often.
std::vector<std::string> new_remarks(const std::vector<std::string>& original,
                                     const std::vector<std::string>& traced);

/// What a block of one build needs.
struct BlockNeeds {
    int registers = -1;     ///< a thread
    int shared_bytes = -1;  ///< static and dynamic
    std::uint32_t threads = 0;
};

/// By the limits of a compute capability (90 for 9.0). `known_blocks` is what the driver says, or
/// -1: then it is computed. Fields are unknown where the needs or the limits are.
Occupancy occupancy(int compute_capability, const BlockNeeds& needs, int known_blocks);

}  // namespace gwatch::fidelity
