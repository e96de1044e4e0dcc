#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/dominators.h"
#include "analysis/program.h"
#include "ptx/module.h"

namespace gwatch::analysis {

/// A run of statements that control enters at the first and leaves at the last.
struct Block {
    std::uint32_t first_statement;
    std::uint32_t end_statement;
    std::uint32_t first_operation;
    std::uint32_t end_operation;
    /// The last operation when it may go to one of several places, or nowhere: a branch, an exit, a
    /// trap, a call that may not come back. Else ptx::kNone.
    std::uint32_t terminator = ptx::kNone;
    /// Whether lanes part at the terminator whatever its operands are.
    bool always_parts = false;
    std::uint32_t first_successor = 0;
    std::uint32_t end_successor = 0;
};

/// The control-flow graph of one entry. Two nodes stand behind the blocks: exit() and trap().
struct ControlFlow {
    std::vector<Block> blocks;              ///< in text order; control enters at the first
    std::vector<std::uint32_t> successors;  ///< nodes, without doubles in one block
    std::vector<std::uint32_t> block_of;    ///< by statement, from the body's first on
    std::uint32_t first_statement = 0;

    /// Where the lanes that end go.
    std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks.size()); }
    /// Where the whole grid ends.
    std::uint32_t trap() const { return exit() + 1; }

    std::span<const std::uint32_t> successors_of(const Block& block) const {
        return std::span(successors)
            .subspan(block.first_successor, block.end_successor - block.first_successor);
    }
};

/// From each block to its successors.
Edges edges_of(const ControlFlow& flow);

ControlFlow build_control_flow(const ptx::Module& module, const Program& program);

}  // namespace gwatch::analysis
