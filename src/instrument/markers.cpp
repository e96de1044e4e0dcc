#include "instrument/markers.h"

#include <optional>
#include <string>

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;
using ptx::TokenKind;

bool is_mov(const ptx::Module& module, const Statement& statement) {
    if (statement.kind != StatementKind::kInstruction) return false;
    const std::string_view opcode = module.instruction(statement).opcode;
    return opcode.starts_with("mov") && opcode.substr(3).starts_with('.');
}

bool is_location(const ptx::Module& module, const Statement& statement) {
    return statement.kind == StatementKind::kDirective && module.head(statement) == ".loc";
}

/// The marker comment that stands in front of a statement, over blanks and .loc.
std::optional<std::uint32_t> comment_before(const ptx::Module& module, std::uint32_t statement) {
    const auto& tokens = module.tokens();
    const auto& statements = module.statements();
    std::uint32_t token = statements[statement].first_token;
    while (token > 0) {
        --token;
        if (tokens[token].kind == TokenKind::kWhitespace) continue;
        if (tokens[token].kind == TokenKind::kLineComment) {
            if (is_marker_comment(module.text_of(tokens[token]))) return token;
            return std::nullopt;
        }
        const bool ends_statement =
            statement > 0 && statements[statement - 1].end_token == token + 1;
        if (!ends_statement || !is_location(module, statements[statement - 1])) return std::nullopt;
        --statement;
        token = statements[statement].first_token;
    }
    return std::nullopt;
}

Error locate(const ptx::Module& module, std::uint32_t comment_token, Error error) {
    const ptx::Token& comment = module.tokens()[comment_token];
    const auto line = module.position(comment.offset).line;
    error.message = "PTX line " + std::to_string(line) + ": " + error.message;
    error.detail = "    " + std::string(module.text_of(comment));
    return error;
}

}  // namespace

Result<std::vector<FoundMarker>> find_markers(const ptx::Module& module,
                                              const ptx::Function& function) {
    std::vector<FoundMarker> markers;
    const ptx::Scope& body = module.scopes()[function.body_scope];
    for (std::uint32_t i = body.open_statement + 1; i < body.close_statement; ++i) {
        if (module.statements()[i].kind != StatementKind::kInstruction) continue;
        const auto comment = comment_before(module, i);
        if (!comment || !is_mov(module, module.statements()[i])) continue;
        auto text = parse_marker_comment(module.text_of(module.tokens()[*comment]));
        if (!text) return locate(module, *comment, text.error());
        markers.push_back({*std::move(text), *comment, i});
    }
    return markers;
}

}  // namespace gwatch::instrument
