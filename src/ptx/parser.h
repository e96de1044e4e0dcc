#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ptx/diagnostics.h"
#include "ptx/directives.h"
#include "ptx/module.h"

namespace gwatch::ptx {

/// Cuts the tokens of one text into statements, scopes and functions.
///
/// Between statements the cursor stands on a token that is no trivia, or past the last one. Steps
/// return whether they succeeded; the first failure is kept and ends the parse.
class Parser {
  public:
    /// `name` must outlive the parser.
    Parser(std::string text, std::string_view name);

    /// Once only.
    Result<Module> run();

  private:
    bool parse_module();
    bool parse_header();
    bool parse_header_directive();
    bool parse_statement();
    bool parse_directive();
    bool parse_label();
    bool parse_instruction();
    bool parse_scope_open();
    bool parse_scope_close();
    bool parse_function(std::uint32_t first);
    bool parse_section(std::uint32_t first);
    bool parse_debug_position(std::uint32_t first);
    bool parse_to_semicolon(StatementKind kind, std::uint32_t first);

    std::string_view function_name(std::uint32_t name_token) const;
    bool skip_function_header(std::uint32_t* name_token);
    bool skip_past_semicolon();
    bool skip_block();
    void skip_debug_group();
    bool track_bracket(char character, const char* expected_outside);

    SourceText source() const { return {name_, module_.text()}; }
    bool at_end() const { return cursor_ >= module_.tokens_.size(); }
    bool in_body() const { return scope_ != 0; }
    void advance();
    void skip_trivia();
    TokenKind kind() const { return module_.tokens_[cursor_].kind; }
    bool at(TokenKind wanted) const { return !at_end() && kind() == wanted; }
    bool at(char punctuation) const;
    char punctuation() const;
    std::string_view word() const { return module_.text_of(module_.tokens_[cursor_]); }
    Extent extent() const;
    bool is_label() const;

    void add_statement(StatementKind kind, std::uint32_t first);
    bool fail(std::string expected, std::string hint = {});
    bool fail_unclosed_bracket();
    bool fail_at_statement();
    bool fail_unclosed_body();
    const Function* last_definition() const;
    char open_bracket() const;
    std::string describe_cursor() const;
    std::string quote_last() const;
    std::uint32_t offset_of(std::uint32_t token) const;
    std::string location(std::uint32_t token) const;

    std::string_view name_;
    Module module_;
    std::uint32_t cursor_ = 0;
    std::uint32_t last_token_ =
        kNone;                     // the last one that is no trivia and that the cursor has passed
    std::uint32_t statement_ = 0;  // token that the current statement begins with
    std::uint32_t scope_ = 0;
    std::uint32_t function_ = kNone;
    std::vector<std::uint32_t>
        brackets_;  // tokens that opened and are not closed, within a statement
    std::optional<Error> error_;
};

}  // namespace gwatch::ptx
