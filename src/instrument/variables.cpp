#include "instrument/variables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "instrument/reach.h"

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;
using ptx::TokenKind;

constexpr std::array<std::string_view, 4> kNoMemory = {".extern", ".texref", ".samplerref",
                                                       ".surfref"};

bool declares_memory(const ptx::Module& module, const Statement& statement) {
    if (statement.kind != StatementKind::kDirective || statement.function != ptx::kNone)
        return false;
    bool is_memory = false;
    for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
        const ptx::Token& token = module.tokens()[t];
        if (token.kind == TokenKind::kWord) break;
        if (token.kind != TokenKind::kDirective) continue;
        const std::string_view word = module.text_of(token);
        if (std::find(kNoMemory.begin(), kNoMemory.end(), word) != kNoMemory.end()) return false;
        is_memory = is_memory || word == ".global" || word == ".const";
    }
    return is_memory;
}

// .global .align 4 .b32 m[2][2] = {{1, 2}, {3, 4}}, n;
void add_names(const ptx::Module& module, const Statement& statement,
               std::vector<std::string>* names) {
    int depth = 0;
    bool wants_name = true;
    for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
        const ptx::Token& token = module.tokens()[t];
        const std::string_view text = module.text_of(token);
        if (token.kind == TokenKind::kWord && wants_name && depth == 0) {
            names->emplace_back(text);
            wants_name = false;
        }
        if (token.kind != TokenKind::kPunctuation) continue;
        if (text == "(" || text == "[" || text == "{") ++depth;
        if (text == ")" || text == "]" || text == "}") --depth;
        if (text == "," && depth == 0) wants_name = true;
    }
}

/// Takes away the names that stand in the function's body.
void remove_named(const ptx::Module& module, const ptx::Function& function,
                  std::unordered_set<std::string_view>* names) {
    const ptx::Scope& body = module.scopes()[function.body_scope];
    const auto& statements = module.statements();
    const std::uint32_t end = statements[body.close_statement].first_token;
    for (auto t = statements[body.open_statement].first_token; t < end; ++t) {
        const ptx::Token& token = module.tokens()[t];
        if (token.kind == TokenKind::kWord) names->erase(module.text_of(token));
    }
}

}  // namespace

std::vector<std::string> module_variables(const ptx::Module& module) {
    std::vector<std::string> names;
    for (const Statement& statement : module.statements()) {
        if (declares_memory(module, statement)) add_names(module, statement, &names);
    }
    return names;
}

std::vector<std::string> used_variables(const ptx::Module& module,
                                        const std::vector<std::uint32_t>& entries) {
    std::vector<std::string> names = module_variables(module);
    if (names.empty()) return names;
    std::unordered_set<std::string_view> unused(names.begin(), names.end());
    for (const std::uint32_t function : reachable_functions(module, entries))
        remove_named(module, module.functions()[function], &unused);
    std::vector<std::string> used;
    std::copy_if(names.begin(), names.end(), std::back_inserter(used),
                 [&](const std::string& name) { return !unused.contains(name); });
    return used;
}

}  // namespace gwatch::instrument
