#include "analysis/program.h"

#include <string>
#include <unordered_map>

#include "analysis/special_registers.h"
#include "analysis/words.h"

namespace gwatch::analysis {
namespace {

using ptx::kNone;

/// Reads instructions one after the other, in text order.
class ProgramReader {
  public:
    ProgramReader(const ptx::Module& module, const LaunchShape& shape)
        : module_(module), shape_(shape), registers_(module) {
        carry_ = registers_.add_hidden("the carry flag");
    }

    Program run(StatementRange body) {
        program_.body = body;
        for (std::uint32_t i = body.begin; i < body.end; ++i) {
            const ptx::Statement& statement = module_.statements()[i];
            if (statement.kind == ptx::StatementKind::kDirective) registers_.declare(statement);
            if (statement.kind == ptx::StatementKind::kInstruction) read_instruction(i);
        }
        program_.registers = registers_.names();
        return std::move(program_);
    }

  private:
    void read_instruction(std::uint32_t statement) {
        const ptx::Instruction instruction = module_.instruction(module_.statements()[statement]);
        scope_ = module_.statements()[statement].scope;
        Operation operation{};
        operation.statement = statement;
        operation.opcode = opcode_of(instruction.opcode);
        operation.guard = guard_of(instruction.guard);
        operation.first_result = static_cast<std::uint32_t>(program_.results.size());
        operation.first_source = static_cast<std::uint32_t>(program_.sources.size());
        read_operands(operation.opcode, instruction.operands);
        read_carry(operation.opcode);
        operation.end_result = static_cast<std::uint32_t>(program_.results.size());
        operation.end_source = static_cast<std::uint32_t>(program_.sources.size());
        if (!is_exact_) operation.opcode.transfer = Transfer::kOpaque;
        program_.operations.push_back(operation);
    }

    // Suffixes may stand apart from each other: "mov .u32".
    const Opcode& opcode_of(std::string_view text) {
        const auto found = opcodes_.find(text);
        if (found != opcodes_.end()) return found->second;
        std::string joined;
        for (Words words(text);;) {
            const std::string_view word = words.next();
            if (word.empty()) break;
            joined += word;
            // A qualifier's colons part words: "shared::cta".
            const auto end = static_cast<std::size_t>(word.data() + word.size() - text.data());
            if (text.substr(end).starts_with("::")) joined += "::";
        }
        return opcodes_.emplace(text, read_opcode(joined)).first->second;
    }

    // An undeclared guard is a register that nothing sets.
    std::uint32_t guard_of(std::string_view word) {
        if (word.empty()) return kNone;
        const std::uint32_t reg = find_register(word);
        return reg != kNone ? reg : registers_.add_hidden(word);
    }

    std::uint32_t find_register(std::string_view word) { return registers_.find(scope_, word); }

    void read_operands(const Opcode& opcode, const std::vector<std::string_view>& operands) {
        is_exact_ = true;
        std::size_t next = 0;
        if (has_result(opcode.effect) && !operands.empty() && !operands[0].starts_with('[')) {
            const std::size_t count = add_results(operands[next++]);
            // A comparison writes its result and the opposite; of others the second is something
            // else.
            is_exact_ = count == 1 || opcode.transfer == Transfer::kCompare;
        }
        if (opcode.effect == Effect::kUnknown) {
            for (; next < operands.size(); ++next) {
                if (!operands[next].starts_with('[')) add_results(operands[next]);
            }
        }
        if (opcode.effect == Effect::kCall) return;
        for (; next < operands.size(); ++next) add_sources(operands[next]);
    }

    static bool has_result(Effect effect) {
        switch (effect) {
            case Effect::kNoResult:
            case Effect::kBranch:
            case Effect::kIndexedBranch:
            case Effect::kExit:
            case Effect::kTrap:
                return false;
            default:
                return true;  // of a call: registers in front of its callee
        }
    }

    std::size_t add_results(std::string_view operand) {
        std::size_t count = 0;
        Words words(operand);
        for (auto word = words.next(); !word.empty(); word = words.next()) {
            const std::uint32_t reg = find_register(word);
            if (reg != kNone) program_.results.push_back(reg);
            if (reg != kNone || word == "_") ++count;
        }
        return count;
    }

    void add_sources(std::string_view operand) {
        if (is_single_word(operand)) {
            program_.sources.push_back(read_source(operand));
            return;
        }
        is_exact_ = false;
        Words words(operand);
        for (auto word = words.next(); !word.empty(); word = words.next()) {
            program_.sources.push_back(read_source(word));
        }
    }

    Source read_source(std::string_view word) {
        const std::uint32_t reg = find_register(word);
        if (reg != kNone) return {reg, {}};
        if (registers_.is_call_parameter(word)) return {kNone, kAnyValue};
        return {kNone, read_word(word, shape_)};
    }

    void read_carry(const Opcode& opcode) {
        if (opcode.reads_carry) program_.sources.push_back({carry_, {}});
        if (opcode.writes_carry) program_.results.push_back(carry_);
        is_exact_ = is_exact_ && !opcode.reads_carry && !opcode.writes_carry;
    }

    const ptx::Module& module_;
    const LaunchShape& shape_;
    Registers registers_;
    std::uint32_t carry_;
    Program program_;
    std::unordered_map<std::string_view, Opcode> opcodes_;
    std::uint32_t scope_ = 0;
    bool is_exact_ = true;  // whether the transfer function sees the operands as they are
};

}  // namespace

Program read_program(const ptx::Module& module, const ptx::Function& entry,
                     const LaunchShape& shape) {
    return ProgramReader(module, shape).run(body_of(module, entry));
}

}  // namespace gwatch::analysis
