#include "outline.h"

namespace gwatch::ptx {
namespace {

// The tokens that are no trivia, a blank between where trivia was.
std::string compact(const Module& module, const Statement& statement) {
    std::string text;
    bool skipped = false;
    for (std::uint32_t i = statement.first_token; i < statement.end_token; ++i) {
        const Token& token = module.tokens()[i];
        if (!token.is_trivia()) {
            if (skipped) text += ' ';
            text += module.text_of(token);
        }
        skipped = token.is_trivia();
    }
    return text;
}

std::string parts_of(const Instruction& instruction) {
    std::string text;
    if (!instruction.guard.empty()) {
        text.append(instruction.guard_negated ? "@!" : "@").append(instruction.guard).append(" ");
    }
    text += instruction.opcode;
    for (const std::string_view operand : instruction.operands) text.append(" | ").append(operand);
    return text;
}

std::string function_kind(const Function& function) {
    return std::string(function.body_scope == kNone ? "prototype of " : "") +
           (function.is_entry ? "entry " : "function ") + std::string(function.name) + ": ";
}

std::string describe(const Module& module, const Statement& statement) {
    switch (statement.kind) {
        case StatementKind::kInstruction:
            return parts_of(module.instruction(statement));
        case StatementKind::kLabel:
            return std::string("label ").append(module.head(statement));
        case StatementKind::kFunction:
            return function_kind(module.functions()[statement.function]) +
                   compact(module, statement);
        default:
            return compact(module, statement);
    }
}

std::size_t depth_of(const Module& module, const Statement& statement) {
    const bool is_brace =
        statement.kind == StatementKind::kScopeOpen || statement.kind == StatementKind::kScopeClose;
    std::size_t depth = 0;
    for (std::uint32_t scope = statement.scope; scope != 0; scope = module.scopes()[scope].parent) {
        ++depth;
    }
    return is_brace ? depth - 1 : depth;
}

std::string source_of(const Module& module, std::uint32_t statement) {
    const SourceLine source = module.source_line(statement);
    if (source.line == 0 || module.statements()[statement].kind != StatementKind::kInstruction) {
        return "";
    }
    return "    <- " + source.file + ":" + std::to_string(source.line);
}

}  // namespace

std::string outline(const Module& module) {
    std::string text = "version " + std::string(module.version()) + ", target";
    for (const std::string_view target : module.targets()) text.append(" ").append(target);
    text += ", header ends with statement " + std::to_string(module.last_header_statement()) + "\n";
    for (std::uint32_t i = 0; i < module.statements().size(); ++i) {
        const Statement& statement = module.statements()[i];
        const std::uint32_t line = module.position(module.begin_of(statement)).line;
        text += std::to_string(line) + ": " + std::string(4 * depth_of(module, statement), ' ') +
                describe(module, statement) + source_of(module, i) + "\n";
    }
    return text;
}

}  // namespace gwatch::ptx
