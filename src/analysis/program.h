#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/lane_bits.h"
#include "analysis/names.h"
#include "analysis/opcodes.h"
#include "analysis/uniformity.h"
#include "ptx/module.h"

namespace gwatch::analysis {

/// A register that an instruction reads, or a value that stands in its text.
struct Source {
    std::uint32_t reg;  ///< ptx::kNone for a value
    LaneBits value;     ///< of a value; of a register: not used
};

/// An instruction, as far as it moves data between registers.
struct Operation {
    std::uint32_t statement;
    std::uint32_t guard;  ///< a register, or ptx::kNone
    std::uint32_t first_result;
    std::uint32_t end_result;
    std::uint32_t first_source;
    std::uint32_t end_source;
    Opcode opcode;
};

/// The instructions of one function's body, in text order.
struct Program {
    StatementRange body;
    std::vector<Operation> operations;
    std::vector<std::uint32_t> results;  ///< registers
    std::vector<Source> sources;
    std::vector<std::string_view> registers;  ///< names, by number

    std::span<const std::uint32_t> results_of(const Operation& operation) const {
        return std::span(results).subspan(operation.first_result,
                                          operation.end_result - operation.first_result);
    }
    std::span<const Source> sources_of(const Operation& operation) const {
        return std::span(sources).subspan(operation.first_source,
                                          operation.end_source - operation.first_source);
    }
};

/// Only for an entry with a body.
Program read_program(const ptx::Module& module, const ptx::Function& entry,
                     const LaunchShape& shape);

}  // namespace gwatch::analysis
