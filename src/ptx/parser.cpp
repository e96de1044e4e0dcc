#include "ptx/parser.h"

#include <memory>
#include <utility>

#include "ptx/lexer.h"
#include "ptx/lines.h"

namespace gwatch::ptx {
namespace {

constexpr std::string_view kOpeners = "([{";
constexpr std::string_view kClosers = ")]}";

char closer_of(char opener) {
    return kClosers[kOpeners.find(opener)];
}

}  // namespace

Parser::Parser(std::string text, std::string_view name) : name_(name) {
    module_.text_ = std::make_shared<const std::string>(std::move(text));
    module_.scopes_.push_back({kNone, kNone, kNone});
}

Result<Module> Parser::run() {
    auto tokens = lex(source());
    if (!tokens) return tokens.error();
    module_.tokens_ = *std::move(tokens);
    module_.line_starts_ = find_line_starts(module_.text());
    module_.statements_.reserve(module_.tokens_.size() / 8);
    skip_trivia();
    if (!parse_module()) return *std::move(error_);
    return std::move(module_);
}

bool Parser::parse_module() {
    if (!parse_header()) return false;
    while (!at_end()) {
        statement_ = cursor_;
        if (!parse_statement()) return false;
    }
    statement_ = cursor_;
    return in_body() ? fail_unclosed_body() : true;
}

bool Parser::parse_header() {
    if (!at(TokenKind::kDirective) || word() != ".version") {
        return fail(
            ".version",
            "PTX text begins with a .version directive. CUDA C++, LLVM IR and SASS are no PTX.");
    }
    while (at(TokenKind::kDirective) &&
           (extent() == Extent::kOneOperand || extent() == Extent::kOperandList)) {
        statement_ = cursor_;
        module_.last_header_statement_ = static_cast<std::uint32_t>(module_.statements_.size());
        if (!parse_directive()) return false;
    }
    return true;
}

bool Parser::parse_header_directive() {
    const std::uint32_t first = cursor_;
    const bool is_version = word() == ".version";
    const bool is_list = extent() == Extent::kOperandList;
    advance();
    do {
        if (at(',')) advance();
        if (!at(TokenKind::kWord) && !at(TokenKind::kNumber)) {
            return fail((is_list ? "a target after " : "a number after ") + quote_last());
        }
        if (is_version) module_.version_ = word();
        if (is_list) module_.targets_.push_back(word());
        advance();
    } while (is_list && at(','));
    add_statement(StatementKind::kDirective, first);
    return true;
}

bool Parser::parse_statement() {
    switch (kind()) {
        case TokenKind::kDirective:
            return parse_directive();
        case TokenKind::kWord:
            if (!in_body()) return fail_at_statement();
            return is_label() ? parse_label() : parse_instruction();
        case TokenKind::kPunctuation:
            if (in_body() && at('@')) return parse_instruction();
            if (in_body() && at('{')) return parse_scope_open();
            if (in_body() && at('}')) return parse_scope_close();
            return fail_at_statement();
        default:
            return fail_at_statement();
    }
}

bool Parser::parse_directive() {
    const std::uint32_t first = cursor_;
    while (at(TokenKind::kDirective) && extent() == Extent::kLinkage) advance();
    if (!at(TokenKind::kDirective)) return fail("a directive after " + quote_last());
    switch (extent()) {
        case Extent::kOneOperand:
        case Extent::kOperandList:
            return in_body() ? fail_unclosed_body() : parse_header_directive();
        case Extent::kDebugPosition:
            return parse_debug_position(first);
        case Extent::kBlock:
            return in_body() ? fail_unclosed_body() : parse_section(first);
        case Extent::kFunction:
            return parse_function(first);
        default:
            return parse_to_semicolon(StatementKind::kDirective, first);
    }
}

bool Parser::parse_label() {
    const std::uint32_t first = cursor_;
    advance();
    advance();
    add_statement(StatementKind::kLabel, first);
    return true;
}

bool Parser::parse_instruction() {
    const std::uint32_t first = cursor_;
    if (at('@')) {
        advance();
        if (at('!')) advance();
        if (!at(TokenKind::kWord)) return fail("the name of a predicate after '@'");
        advance();
        if (!at(TokenKind::kWord)) return fail("an instruction after its guard");
    }
    return parse_to_semicolon(StatementKind::kInstruction, first);
}

bool Parser::parse_to_semicolon(StatementKind statement_kind, std::uint32_t first) {
    if (!skip_past_semicolon()) return false;
    add_statement(statement_kind, first);
    return true;
}

bool Parser::parse_scope_open() {
    const std::uint32_t first = cursor_;
    const auto statement = static_cast<std::uint32_t>(module_.statements_.size());
    module_.scopes_.push_back({scope_, statement, kNone});
    scope_ = static_cast<std::uint32_t>(module_.scopes_.size() - 1);
    advance();
    add_statement(StatementKind::kScopeOpen, first);
    return true;
}

bool Parser::parse_scope_close() {
    const std::uint32_t first = cursor_;
    Scope& closed = module_.scopes_[scope_];
    closed.close_statement = static_cast<std::uint32_t>(module_.statements_.size());
    advance();
    add_statement(StatementKind::kScopeClose, first);
    scope_ = closed.parent;
    if (!in_body()) function_ = kNone;
    return true;
}

bool Parser::parse_function(std::uint32_t first) {
    const bool is_entry = word() == ".entry";
    advance();
    std::uint32_t name_token = kNone;
    if (!skip_function_header(&name_token)) return false;
    const bool is_prototype = at(';');
    if (in_body()) {
        // A body may declare a .func that it calls; it cannot hold another body.
        if (!is_prototype) {
            cursor_ = first;
            return fail_unclosed_body();
        }
        return parse_to_semicolon(StatementKind::kDirective, first);
    }
    function_ = static_cast<std::uint32_t>(module_.functions_.size());
    const auto header = static_cast<std::uint32_t>(module_.statements_.size());
    module_.functions_.push_back({function_name(name_token), is_entry, header, kNone});
    if (is_prototype) advance();
    add_statement(StatementKind::kFunction, first);
    if (is_prototype) {
        function_ = kNone;
        return true;
    }
    module_.functions_.back().body_scope = static_cast<std::uint32_t>(module_.scopes_.size());
    return parse_scope_open();
}

// `.entry k.maxntid 128` is legal: a name holds no dot.
std::string_view Parser::function_name(std::uint32_t name_token) const {
    const std::string_view word = module_.text_of(module_.tokens_[name_token]);
    return word.substr(0, word.find('.'));
}

// Leaves the cursor on the '{' of the body or the ';' of a prototype.
bool Parser::skip_function_header(std::uint32_t* name_token) {
    static constexpr const char* kExpectedAfter = "'{' or ';' after the header of a function";
    brackets_.clear();
    while (!at_end()) {
        if (brackets_.empty()) {
            if (at('{') || at(';'))
                return *name_token != kNone ? true : fail("the name of a function");
            if (at(TokenKind::kDirective) && extent() == Extent::kPragma) {
                if (!skip_past_semicolon()) return false;
                continue;
            }
            if (at(TokenKind::kDirective) && extent() != Extent::kSemicolon)
                return fail(kExpectedAfter);
            if (at(TokenKind::kWord) && *name_token == kNone) *name_token = cursor_;
        } else if (at('{')) {
            return fail_unclosed_bracket();
        }
        if (!track_bracket(punctuation(), kExpectedAfter)) return false;
        advance();
    }
    return fail(kExpectedAfter);
}

bool Parser::skip_past_semicolon() {
    brackets_.clear();
    for (; !at_end(); advance()) {
        const char character = punctuation();
        if (character == ';' && brackets_.empty()) {
            advance();
            return true;
        }
        if (!track_bracket(character, "';'")) return false;
    }
    return fail("';'");
}

bool Parser::parse_section(std::uint32_t first) {
    advance();
    if (!at(TokenKind::kDirective) && !at(TokenKind::kWord) && !at(TokenKind::kString)) {
        return fail("the name of a section");
    }
    advance();
    if (!at('{')) return fail("'{' that opens the section");
    if (!skip_block()) return false;
    add_statement(StatementKind::kDirective, first);
    return true;
}

bool Parser::skip_block() {
    brackets_.clear();
    do {
        if (at_end()) break;
        if (!track_bracket(punctuation(), "'}'")) return false;
        advance();
    } while (!brackets_.empty());
    return brackets_.empty() ? true : fail_unclosed_bracket();
}

// .file 1 "k.py", 0, 0    .loc 1 3 0, function_name $L__info_string0+12, inlined_at 1 55 12
bool Parser::parse_debug_position(std::uint32_t first) {
    const auto statement = static_cast<std::uint32_t>(module_.statements_.size());
    auto& index = word() == ".loc" ? module_.location_statements_ : module_.file_statements_;
    advance();
    if (!at(TokenKind::kNumber)) return fail("the number of a source file");
    skip_debug_group();
    while (at(',')) {
        advance();
        const bool is_function_name = at(TokenKind::kWord) && word() == "function_name";
        if (at(TokenKind::kWord)) advance();
        if (is_function_name && at(TokenKind::kWord)) advance();
        if (is_function_name && at('+')) advance();
        skip_debug_group();
    }
    index.push_back(statement);
    add_statement(StatementKind::kDirective, first);
    return true;
}

void Parser::skip_debug_group() {
    while (at(TokenKind::kNumber) || at(TokenKind::kString)) advance();
}

bool Parser::track_bracket(char character, const char* expected_outside) {
    if (kOpeners.find(character) != std::string_view::npos) {
        brackets_.push_back(cursor_);
        return true;
    }
    if (character != ';' && kClosers.find(character) == std::string_view::npos) return true;
    if (brackets_.empty()) return fail(expected_outside);
    if (character != closer_of(open_bracket())) return fail_unclosed_bracket();
    brackets_.pop_back();
    return true;
}

char Parser::open_bracket() const {
    return module_.text_of(module_.tokens_[brackets_.back()]).front();
}

bool Parser::fail_unclosed_bracket() {
    const char opener = open_bracket();
    return fail(std::string("'") + closer_of(opener) + "' that closes the '" + opener + "' at " +
                location(brackets_.back()));
}

}  // namespace gwatch::ptx
