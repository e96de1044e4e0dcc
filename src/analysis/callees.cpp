#include "analysis/callees.h"

#include <algorithm>
#include <array>

#include "analysis/names.h"

namespace gwatch::analysis {
namespace {

constexpr std::string_view kReturningFunctions[] = {
#define GWATCH_RETURNING_FUNCTION(name) name,
#include "analysis/returning_functions.def"
#undef GWATCH_RETURNING_FUNCTION
};

bool returns(std::string_view name) {
    return std::find(std::begin(kReturningFunctions), std::end(kReturningFunctions), name) !=
           std::end(kReturningFunctions);
}

// "(results), callee, (arguments)" or "callee, (arguments)".
std::string_view callee_of(const ptx::Instruction& call) {
    for (const std::string_view operand : call.operands) {
        if (!operand.starts_with('(')) return operand;
    }
    return {};
}

bool is_opcode(std::string_view opcode, std::string_view base) {
    return opcode.starts_with(base) && (opcode.size() == base.size() ||
                                        opcode[base.size()] == '.' || opcode[base.size()] == ' ');
}

}  // namespace

Callees::Callees(const ptx::Module& module)
    : module_(module), answers_(module.functions().size(), Answer::kNotAsked) {}

bool Callees::may_exit(const ptx::Instruction& call) {
    return name_may_exit(callee_of(call));
}

bool Callees::name_may_exit(std::string_view name) {
    const ptx::Function* const definition = module_.find_definition(name);
    if (definition == nullptr) return !returns(name);
    return function_may_exit(static_cast<std::uint32_t>(definition - module_.functions().data()));
}

// A recursive call adds nothing to what the function does otherwise.
bool Callees::function_may_exit(std::uint32_t function) {
    if (answers_[function] == Answer::kNotAsked) {
        answers_[function] = Answer::kNo;
        if (body_may_exit(module_.functions()[function])) answers_[function] = Answer::kYes;
    }
    return answers_[function] == Answer::kYes;
}

bool Callees::body_may_exit(const ptx::Function& function) {
    const StatementRange body = body_of(module_, function);
    for (std::uint32_t i = body.begin; i < body.end; ++i) {
        const ptx::Statement& statement = module_.statements()[i];
        if (statement.kind != ptx::StatementKind::kInstruction) continue;
        const ptx::Instruction instruction = module_.instruction(statement);
        if (is_opcode(instruction.opcode, "exit")) return true;
        if (is_opcode(instruction.opcode, "call") && may_exit(instruction)) return true;
    }
    return false;
}

}  // namespace gwatch::analysis
