#include "snippets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gwatch::ptx {

std::string with_header(std::string_view text) {
    return ".version 8.0\n.target sm_90a\n" + std::string(text);
}

std::string with_body(std::string_view body) {
    return with_header(".visible .entry k()\n{\n" + std::string(body) + "\n}\n");
}

Module must_parse(std::string text) {
    auto module = parse(std::move(text));
    if (module.ok()) return *std::move(module);
    ADD_FAILURE() << module.error().to_string();
    return *parse(".version 8.0");
}

std::vector<std::string> texts_of(const Module& module, StatementKind kind) {
    std::vector<std::string> texts;
    for (const Statement& statement : module.statements()) {
        if (statement.kind == kind) texts.emplace_back(module.text_of(statement));
    }
    return texts;
}

Instruction first_instruction(const Module& module) {
    const auto& statements = module.statements();
    const auto found = std::find_if(
        statements.begin(), statements.end(),
        [](const Statement& statement) { return statement.kind == StatementKind::kInstruction; });
    if (found != statements.end()) return module.instruction(*found);
    ADD_FAILURE() << "no instruction in " << module.text();
    return {};
}

std::uint32_t find_statement(const Module& module, std::string_view beginning) {
    const auto& statements = module.statements();
    for (std::uint32_t i = 0; i < statements.size(); ++i) {
        if (module.text_of(statements[i]).starts_with(beginning)) return i;
    }
    return kNone;
}

}  // namespace gwatch::ptx
