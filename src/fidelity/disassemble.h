#pragma once

#include <string>
#include <vector>

#include "assemble/process.h"
#include "base/result.h"

namespace gwatch::fidelity {

struct Disassembly {
    std::string program;  ///< that took the cubin
    std::string listing;  ///< with the PTX line of each instruction, where the cubin has it
};

/// Runs the first nvdisasm that takes the cubin. kAssembler when none is there or none takes it.
Result<Disassembly> disassemble(const std::string& cubin, const std::vector<std::string>& programs,
                                assemble::ProcessRunner& runner);

}  // namespace gwatch::fidelity
