#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gwatch::ptx {

enum class TokenKind : std::uint8_t {
    kWhitespace,    ///< blanks, tabs, line ends of all three forms, and backslashes
    kLineComment,   ///< // up to, not including, LF or CRLF; a CR alone is part of it, as for ptxas
    kBlockComment,  ///< /* ... */
    kLineMarker,    ///< a preprocessor line: # 1 "k.cu"
    kWord,          ///< a name or an opcode with all its dots: %r1, $L__BB0_1, mov.u32, a$b
    kDirective,     ///< a word that begins with a dot: .reg, .loc, .u32
    kNumber,        ///< 12, 0x1F, 0f3F800000, 9.0
    kString,        ///< with its quotes
    kPunctuation    ///< one character: { } ( ) [ ] < > , ; : = @ ! | + - * and any other byte
};

/// A piece of the text. All tokens in order, printed one after the other, are the text.
struct Token {
    std::uint32_t offset;  ///< in bytes from the start of the text
    std::uint32_t length;  ///< in bytes, at least 1
    TokenKind kind;

    bool is_trivia() const { return kind <= TokenKind::kLineMarker; }
};

enum class StatementKind : std::uint8_t {
    kDirective,    ///< `.reg ...;`, `.loc ...`, `.pragma ...;`, `.file ...`, a variable, .section
                   ///< {...}
    kLabel,        ///< `name:`
    kInstruction,  ///< with its guard, up to and with its `;`
    kScopeOpen,    ///< a `{` inside a function body, or that of the body itself
    kScopeClose,   ///< the matching `}`
    kFunction      ///< an .entry or .func in front of its `{`; a prototype with its `;`
};

inline constexpr std::uint32_t kNone = 0xffffffff;

/// A statement: a run of tokens without the trivia in front of it. Statements are in text order,
/// flat, and hold every token that is no trivia. `scope` and `function` are indices.
struct Statement {
    std::uint32_t first_token;  ///< never trivia
    std::uint32_t end_token;    ///< one past its last token
    std::uint32_t scope;        ///< that holds it; a scope's own braces count as in it
    std::uint32_t function;     ///< that it is in, or that it, a header, begins; else kNone
    StatementKind kind;
};

/// A `{ }` scope of a function body. Scope 0 is the module.
struct Scope {
    std::uint32_t parent;           ///< kNone for scope 0
    std::uint32_t open_statement;   ///< kNone for scope 0
    std::uint32_t close_statement;  ///< kNone for scope 0
};

/// An .entry or .func: a prototype (no body) or a definition.
struct Function {
    std::string_view name;
    bool is_entry;
    std::uint32_t header;      ///< its kFunction statement
    std::uint32_t body_scope;  ///< kNone for a prototype
};

/// The parts of an instruction statement, as views into the text.
struct Instruction {
    std::string_view guard;   ///< "%p1" of `@!%p1`, else empty
    bool guard_negated;       ///< whether a `!` stands before the guard
    std::string_view opcode;  ///< with all its suffixes: "bra.uni"
    std::vector<std::string_view>
        operands;  ///< split at top-level commas, outer blanks cut: "{%r1, %r2}"
};

/// A line and column of the text, both from 1. A line ends with LF, CR or CRLF; columns count
/// bytes.
struct Position {
    std::uint32_t line;
    std::uint32_t column;
};

/// A source position as the debug directives give it.
struct SourceLine {
    std::string file;        ///< empty when unknown
    std::uint32_t line = 0;  ///< 0 when unknown
};

/// A lossless model of one PTX module. Views point into the text, which the module owns and never
/// changes; a module can be moved but its views stay good.
class Module {
  public:
    std::string_view text() const { return *text_; }
    const std::vector<Token>& tokens() const { return tokens_; }
    const std::vector<Statement>& statements() const { return statements_; }
    const std::vector<Scope>& scopes() const { return scopes_; }
    const std::vector<Function>& functions() const { return functions_; }

    std::string_view version() const { return version_; }  ///< "9.0"
    const std::vector<std::string_view>& targets() const {
        return targets_;
    }  ///< {"sm_90a", "debug"}
    /// Index of the last header directive (.version, .target, .address_size) in statements().
    std::uint32_t last_header_statement() const { return last_header_statement_; }

    std::string_view text_of(const Token& token) const;
    /// From the statement's first byte to its last.
    std::string_view text_of(const Statement& statement) const;
    /// First byte of the statement.
    std::uint32_t begin_of(const Statement& statement) const;
    /// One past the last byte of the statement.
    std::uint32_t end_of(const Statement& statement) const;

    /// Only for kInstruction.
    Instruction instruction(const Statement& statement) const;
    /// Only for kDirective and kLabel: the first word: ".reg", "$L__BB0_1".
    std::string_view head(const Statement& statement) const;

    Position position(std::uint32_t offset) const;
    /// The source line in force at a statement: that of the last .loc before it in its function.
    /// For code that was inlined from a file whose path ends in one of `through` (whole path
    /// components), the line it was inlined at, followed until that is in another file. One that
    /// skips assembly passes over each .loc inside a piece that LLVM put in as it was given.
    SourceLine source_line(std::uint32_t statement, const std::vector<std::string>& through = {},
                           bool skips_assembly = false) const;
    /// A function with a body of this exact name, or nullptr.
    const Function* find_definition(std::string_view name) const;
    /// Whether any word of the module is this name, or declares a range that may hold it: %r3 in
    /// `%r<8>`.
    bool uses_name(std::string_view name) const;

  private:
    friend class Parser;

    // As its .file directive spells it; empty when there is none.
    std::string_view file_name(std::uint32_t number) const;

    std::shared_ptr<const std::string> text_;
    std::vector<Token> tokens_;
    std::vector<Statement> statements_;
    std::vector<Scope> scopes_;
    std::vector<Function> functions_;
    std::string_view version_;
    std::vector<std::string_view> targets_;
    std::uint32_t last_header_statement_ = kNone;
    std::vector<std::uint32_t> line_starts_;
    std::vector<std::uint32_t> file_statements_;      // every .file, in text order
    std::vector<std::uint32_t> location_statements_;  // every .loc, in text order
};

/// Parses any PTX text. Instructions and directives it does not know are kept as they are. Fails,
/// with `name`:line:column, the source line, a caret, what was expected and what was there, on text
/// whose structure cannot be told, and on cubin, fatbin and LLVM bitcode, which it names. Linear in
/// the text.
Result<Module> parse(std::string text, std::string_view name = "<ptx>");

/// The text again, from its tokens.
std::string print(const Module& module);

/// Text to put in at a byte offset of the module's text.
struct Insertion {
    std::uint32_t offset;
    std::string text;
};

/// The module's text with the insertions, which stand in order of offset; equal offsets keep their
/// order.
std::string print(const Module& module, const std::vector<Insertion>& insertions);

}  // namespace gwatch::ptx
