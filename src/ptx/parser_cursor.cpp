#include <algorithm>
#include <string>

#include "ptx/lines.h"
#include "ptx/parser.h"

namespace gwatch::ptx {

void Parser::advance() {
    last_token_ = cursor_++;
    skip_trivia();
}

void Parser::skip_trivia() {
    while (!at_end() && module_.tokens_[cursor_].is_trivia()) ++cursor_;
}

char Parser::punctuation() const {
    return at(TokenKind::kPunctuation) ? module_.text()[module_.tokens_[cursor_].offset] : '\0';
}

bool Parser::at(char wanted) const {
    return at(TokenKind::kPunctuation) && punctuation() == wanted;
}

Extent Parser::extent() const {
    return extent_of(word());
}

bool Parser::is_label() const {
    std::uint32_t next = cursor_ + 1;
    while (next < module_.tokens_.size() && module_.tokens_[next].is_trivia()) ++next;
    return next < module_.tokens_.size() && module_.tokens_[next].kind == TokenKind::kPunctuation &&
           module_.text_of(module_.tokens_[next]) == ":";
}

void Parser::add_statement(StatementKind kind, std::uint32_t first) {
    module_.statements_.push_back({first, last_token_ + 1, scope_, function_, kind});
}

bool Parser::fail(std::string expected, std::string hint) {
    const std::uint32_t offset = offset_of(cursor_);
    const Position begin = position_at(module_.line_starts_, offset_of(statement_));
    if (hint.empty() && begin.line != position_at(module_.line_starts_, offset).line) {
        hint = "The statement begins at " + location(statement_) + ".";
    }
    error_ = describe(source(), {offset, std::move(expected), describe_cursor(), std::move(hint)});
    return false;
}

std::uint32_t Parser::offset_of(std::uint32_t token) const {
    return token < module_.tokens_.size() ? module_.tokens_[token].offset
                                          : static_cast<std::uint32_t>(module_.text().size());
}

bool Parser::fail_at_statement() {
    const std::string expected =
        in_body() ? "an instruction, a label, a directive or '}'" : "a directive";
    if (at(';')) return fail(expected, "PTX has no empty statement: remove this ';'.");
    if (!at('}')) return fail(expected);
    std::string hint = "Every '{' in front of this '}' is closed already";
    if (const Function* const function = last_definition()) {
        const Scope& body = module_.scopes_[function->body_scope];
        hint += ": the body of " + quote(function->name) + " ends at " +
                location(module_.statements_[body.close_statement].first_token);
    }
    return fail(expected, hint + ".");
}

const Function* Parser::last_definition() const {
    const auto found =
        std::find_if(module_.functions_.rbegin(), module_.functions_.rend(),
                     [](const Function& function) { return function.body_scope != kNone; });
    return found != module_.functions_.rend() ? &*found : nullptr;
}

bool Parser::fail_unclosed_body() {
    const Scope& open = module_.scopes_[scope_];
    const std::uint32_t brace = module_.statements_[open.open_statement].first_token;
    return fail("'}' that closes the '{' at " + location(brace),
                "The body of " + quote(module_.functions_[function_].name) + " is not closed.");
}

std::string Parser::describe_cursor() const {
    return at_end() ? "end of text" : quote(word());
}

std::string Parser::quote_last() const {
    return quote(module_.text_of(module_.tokens_[last_token_]));
}

std::string Parser::location(std::uint32_t token) const {
    const Position position = position_at(module_.line_starts_, offset_of(token));
    return std::to_string(position.line) + ":" + std::to_string(position.column);
}

}  // namespace gwatch::ptx
