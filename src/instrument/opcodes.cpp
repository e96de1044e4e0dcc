#include "instrument/opcodes.h"

namespace gwatch::instrument {

using ptx::StatementKind;
using ptx::TokenKind;

std::string_view base_opcode(const ptx::Module& module, const ptx::Statement& statement) {
    if (statement.kind != StatementKind::kInstruction) return {};
    std::uint32_t token = statement.first_token;
    if (module.text_of(module.tokens()[token]) == "@") {
        // @ ! predicate opcode: the second word behind the sign.
        for (int words = 0; words < 2;) {
            if (module.tokens()[++token].kind == TokenKind::kWord) ++words;
        }
    }
    const std::string_view opcode = module.text_of(module.tokens()[token]);
    return opcode.substr(0, opcode.find('.'));
}

std::unordered_set<std::string_view> words_of(const ptx::Module& module, const ptx::Scope& body) {
    std::unordered_set<std::string_view> words;
    for (std::uint32_t i = body.open_statement; i < body.close_statement; ++i) {
        const ptx::Statement& statement = module.statements()[i];
        if (statement.kind == StatementKind::kLabel) continue;
        for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
            if (module.tokens()[t].kind == TokenKind::kWord)
                words.insert(module.text_of(module.tokens()[t]));
        }
    }
    return words;
}

}  // namespace gwatch::instrument
