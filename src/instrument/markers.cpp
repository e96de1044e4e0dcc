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

bool ends_location(const ptx::Module& module, std::uint32_t token, std::uint32_t next_statement) {
    if (next_statement == 0) return false;
    const Statement& statement = module.statements()[next_statement - 1];
    return statement.end_token == token + 1 && is_location(module, statement);
}

/// Whether a comment stands in the line of the .loc in front of it: `.loc 1 33 9  //
/// matmul.py:33:9`.
bool trails_location(const ptx::Module& module, std::uint32_t comment,
                     std::uint32_t next_statement) {
    std::uint32_t token = comment;
    while (token-- > 0) {
        if (module.tokens()[token].kind != TokenKind::kWhitespace) break;
        const std::string_view blanks = module.text_of(module.tokens()[token]);
        if (blanks.find_first_of("\n\r") != std::string_view::npos) return false;
    }
    return ends_location(module, token, next_statement);
}

struct Comment {
    std::uint32_t token;
    std::uint32_t next_statement;  ///< the first behind it
};

/// The marker comment that stands in front of a statement, over blanks and .loc with their
/// comments.
std::optional<Comment> comment_before(const ptx::Module& module, std::uint32_t statement) {
    const auto& tokens = module.tokens();
    std::uint32_t token = module.statements()[statement].first_token;
    while (token-- > 0) {
        if (tokens[token].kind == TokenKind::kWhitespace) continue;
        if (tokens[token].kind == TokenKind::kLineComment) {
            if (is_marker_comment(module.text_of(tokens[token]))) return Comment{token, statement};
            if (trails_location(module, token, statement)) continue;
            return std::nullopt;
        }
        if (!ends_location(module, token, statement)) return std::nullopt;
        token = module.statements()[--statement].first_token;
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
        auto text = parse_marker_comment(module.text_of(module.tokens()[comment->token]));
        if (!text) return locate(module, comment->token, text.error());
        markers.push_back({*std::move(text), comment->token, comment->next_statement, i});
    }
    return markers;
}

}  // namespace gwatch::instrument
