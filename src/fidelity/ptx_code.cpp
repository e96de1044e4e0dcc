#include <algorithm>

#include "analysis/function_code.h"
#include "fidelity/code.h"

namespace gwatch::fidelity {

namespace {

/// Reads functions one after the other into one code; calls are no ways.
class PtxReader {
  public:
    PtxReader(const ptx::Module& module, const OwnLines& own, Code* code)
        : module_(module), own_(own), code_(*code) {}

    void read(const ptx::Function& function) {
        const auto [module, program, flow] = analysis::read_function(module_, function);
        first_step_.assign(flow.blocks.size() + 2, ptx::kNone);
        // From the last block on, so that an empty block takes the first step of the next one.
        const auto base = static_cast<std::uint32_t>(code_.steps.size());
        std::uint32_t next = base + static_cast<std::uint32_t>(program.operations.size());
        for (std::uint32_t i = static_cast<std::uint32_t>(flow.blocks.size()); i-- > 0;) {
            const analysis::Block& block = flow.blocks[i];
            if (block.end_operation > block.first_operation) next = base + block.first_operation;
            const bool is_past_end = next == base + program.operations.size();
            first_step_[i] = is_past_end ? ptx::kNone : next;
        }
        for (const analysis::Operation& operation : program.operations) add_step(operation);
        for (const analysis::Block& block : flow.blocks) connect(flow, block, base);
    }

  private:
    void add_step(const analysis::Operation& operation) {
        const ptx::Statement& statement = module_.statements()[operation.statement];
        const ptx::Instruction instruction = module_.instruction(statement);
        Step step;
        step.line = module_.position(module_.begin_of(statement)).line;
        step.is_own = own_.contains(step.line);
        step.opcode = instruction.opcode;
        step.kind = kind_of_ptx(instruction.opcode);
        if (step.is_own && reads_clock(instruction)) step.clock_site = own_.site_of(step.line);
        code_.steps.push_back(std::move(step));
    }

    static bool reads_clock(const ptx::Instruction& instruction) {
        return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                           [](std::string_view operand) { return operand.starts_with("%clock"); });
    }

    void connect(const analysis::ControlFlow& flow, const analysis::Block& block,
                 std::uint32_t base) {
        if (block.end_operation == block.first_operation) return;
        for (std::uint32_t i = block.first_operation; i + 1 < block.end_operation; ++i) {
            code_.steps[base + i].next = {base + i + 1};
        }
        for (const std::uint32_t successor : flow.successors_of(block)) {
            if (first_step_[successor] == ptx::kNone) continue;
            code_.steps[base + block.end_operation - 1].next.push_back(first_step_[successor]);
        }
    }

    const ptx::Module& module_;
    const OwnLines& own_;
    Code& code_;
    std::vector<std::uint32_t> first_step_;  ///< by node of the flow; kNone: the function ends
};

}  // namespace

const instrument::InsertedLines* OwnLines::find(std::uint32_t line) const {
    const auto behind = std::upper_bound(
        inserted_.begin(), inserted_.end(), line,
        [](std::uint32_t at, const instrument::InsertedLines& own) { return at < own.end_line; });
    return behind != inserted_.end() && behind->first_line <= line ? &*behind : nullptr;
}

std::uint32_t OwnLines::original(std::uint32_t line) const {
    std::uint32_t before = 0;
    for (const instrument::InsertedLines& own : inserted_) {
        if (own.first_line >= line) break;
        before += own.end_line - own.first_line;
    }
    return line - before;
}

Code read_ptx(const ptx::Module& module, std::string_view entry, const OwnLines& own) {
    Code code;
    PtxReader reader(module, own, &code);
    for (const ptx::Function& function : module.functions()) {
        const bool is_other_entry = function.is_entry && function.name != entry;
        if (function.body_scope != ptx::kNone && !is_other_entry) reader.read(function);
    }
    return code;
}

}  // namespace gwatch::fidelity
