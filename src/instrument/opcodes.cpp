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

}  // namespace gwatch::instrument
