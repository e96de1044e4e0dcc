#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gwatch::fidelity {

/// A machine instruction as nvdisasm prints it. Views point into the listing.
struct MachineInstruction {
    std::string_view guard;                ///< "@!P0", else empty
    std::string_view opcode;               ///< with its suffixes: "LDG.E.128"
    std::string_view operands;             ///< all that stands behind it, up to the `;`
    std::uint32_t ptx_line;                ///< 0 when unknown
    std::vector<std::string_view> labels;  ///< that stand right in front of it
};

/// The code of one section: a kernel, with the functions that the assembler put behind it.
struct Section {
    std::string_view name;  ///< "kernel" of .text.kernel
    bool is_entry = false;
    std::vector<MachineInstruction> instructions;
};

/// Reads what `nvdisasm -c -gp` prints. Lines it does not know are passed over.
std::vector<Section> read_listing(std::string_view listing);

}  // namespace gwatch::fidelity
