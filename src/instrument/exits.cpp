#include "instrument/exits.h"

#include <string_view>
#include <unordered_set>

#include "instrument/opcodes.h"

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;
using ptx::TokenKind;

bool never_falls_through(const ptx::Module& module, const Statement& statement) {
    const std::string_view opcode = base_opcode(module, statement);
    const bool leaves = opcode == "ret" || opcode == "exit" || opcode == "bra" || opcode == "brx" ||
                        opcode == "trap";
    return leaves && module.head(statement) != "@";
}

/// All words of a body but the names of its labels: a label among them may be jumped to.
std::unordered_set<std::string_view> words_of(const ptx::Module& module, const ptx::Scope& body) {
    std::unordered_set<std::string_view> words;
    for (std::uint32_t i = body.open_statement; i < body.close_statement; ++i) {
        const Statement& statement = module.statements()[i];
        if (statement.kind == StatementKind::kLabel) continue;
        for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
            if (module.tokens()[t].kind == TokenKind::kWord)
                words.insert(module.text_of(module.tokens()[t]));
        }
    }
    return words;
}

bool reaches_end(const ptx::Module& module, const ptx::Scope& body) {
    std::unordered_set<std::string_view> words;
    for (std::uint32_t i = body.close_statement - 1; i > body.open_statement; --i) {
        const Statement& statement = module.statements()[i];
        if (statement.kind == StatementKind::kInstruction)
            return !never_falls_through(module, statement);
        if (statement.kind != StatementKind::kLabel) continue;
        if (words.empty()) words = words_of(module, body);
        if (words.count(module.head(statement)) != 0) return true;
    }
    return true;
}

}  // namespace

std::vector<std::uint32_t> find_exits(const ptx::Module& module, const ptx::Function& function) {
    std::vector<std::uint32_t> exits;
    const ptx::Scope& body = module.scopes()[function.body_scope];
    for (std::uint32_t i = body.open_statement + 1; i < body.close_statement; ++i) {
        const std::string_view opcode = base_opcode(module, module.statements()[i]);
        if (opcode == "exit" || (opcode == "ret" && function.is_entry)) exits.push_back(i);
    }
    if (function.is_entry && reaches_end(module, body)) exits.push_back(body.close_statement);
    return exits;
}

}  // namespace gwatch::instrument
