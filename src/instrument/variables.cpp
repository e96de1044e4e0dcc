#include "instrument/variables.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

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

void add_words(const ptx::Module& module, const ptx::Function& function,
               std::unordered_set<std::string_view>* words) {
    if (function.body_scope == ptx::kNone) return;
    const ptx::Scope& body = module.scopes()[function.body_scope];
    for (std::uint32_t i = body.open_statement; i < body.close_statement; ++i) {
        const Statement& statement = module.statements()[i];
        for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
            const ptx::Token& token = module.tokens()[t];
            if (token.kind == TokenKind::kWord) words->insert(module.text_of(token));
        }
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
                                        const std::vector<std::uint32_t>& functions) {
    std::unordered_set<std::string_view> words;
    for (const std::uint32_t function : functions)
        add_words(module, module.functions()[function], &words);
    std::vector<std::string> names = module_variables(module);
    std::erase_if(names, [&](const std::string& name) { return !words.contains(name); });
    return names;
}

}  // namespace gwatch::instrument
