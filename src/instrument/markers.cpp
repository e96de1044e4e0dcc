#include "instrument/markers.h"

#include <optional>
#include <string>

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;
using ptx::TokenKind;
using record::PayloadKind;

/// With a source of 0, the carrier of a marker without a payload.
constexpr std::string_view kEmptyCarrier = "mov.u32";

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

struct CarrierType {
    std::string_view opcode;
    PayloadKind kind;
};
constexpr CarrierType kCarrierTypes[] = {
    {"mov.s32", PayloadKind::kSigned32},   {"mov.u32", PayloadKind::kUnsigned32},
    {"mov.b32", PayloadKind::kUnsigned32}, {"mov.f32", PayloadKind::kFloat32},
    {"mov.s64", PayloadKind::kSigned64},   {"mov.u64", PayloadKind::kUnsigned64},
    {"mov.f64", PayloadKind::kFloat64},    {"mov.b64", PayloadKind::kBits}};

/// The value that a marker's carrier moves. The error does not say where the marker stands.
Result<CarriedPayload> payload_of(const ptx::Module& module, const Statement& statement,
                                  Verb verb) {
    const ptx::Instruction carrier = module.instruction(statement);
    const std::string detail = "\n    " + std::string(module.text_of(statement));
    if (carrier.operands.size() != 2)
        return Error{ErrorKind::kInstrument, "the marker's mov has not two operands", detail};
    if (carrier.opcode == kEmptyCarrier && carrier.operands[1] == "0") return CarriedPayload{};
    if (verb != Verb::kStart && verb != Verb::kMark) {
        return Error{ErrorKind::kInstrument,
                     "an end or switch records no value, but its mov moves one", detail,
                     "Put `mov.u32 x, 0` behind the comment; give the value to a start or mark."};
    }
    for (const CarrierType& type : kCarrierTypes) {
        if (type.opcode == carrier.opcode)
            return CarriedPayload{type.kind, carrier.opcode, carrier.operands[1]};
    }
    return Error{ErrorKind::kInstrument,
                 "a value of " + std::string(carrier.opcode) + " cannot be recorded", detail,
                 "Widen it in front of the marker: a value is moved by mov.s32, .u32, .f32, .b32, "
                 ".s64, .u64, .f64 or .b64."};
}

Error locate(const ptx::Module& module, std::uint32_t comment_token, Error error) {
    const ptx::Token& comment = module.tokens()[comment_token];
    const auto line = module.position(comment.offset).line;
    error.message = "PTX line " + std::to_string(line) + ": " + error.message;
    error.detail = "    " + std::string(module.text_of(comment)) + error.detail;
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
        auto payload = payload_of(module, module.statements()[i], text->verb);
        if (!payload) return locate(module, comment->token, payload.error());
        markers.push_back({*std::move(text), comment->token, comment->next_statement, i, *payload});
    }
    return markers;
}

}  // namespace gwatch::instrument
