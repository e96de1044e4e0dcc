#include <string_view>

#include "ptx/module.h"

namespace gwatch::ptx {
namespace {

// Walks the tokens of one statement, over trivia.
class Walk {
  public:
    Walk(const Module& module, const Statement& statement)
        : module_(module), token_(statement.first_token), end_(statement.end_token) {}

    bool at_end() const { return token_ >= end_; }
    TokenKind kind() const { return module_.tokens()[token_].kind; }
    std::string_view text() const { return module_.text_of(module_.tokens()[token_]); }
    const char* begin() const { return text().data(); }
    const char* end() const { return text().data() + text().size(); }
    char punctuation() const {
        return !at_end() && kind() == TokenKind::kPunctuation ? text().front() : '\0';
    }

    void advance() {
        ++token_;
        while (!at_end() && module_.tokens()[token_].is_trivia()) ++token_;
    }

  private:
    const Module& module_;
    std::uint32_t token_;
    std::uint32_t end_;
};

void take_guard(Walk& walk, Instruction& instruction) {
    if (walk.punctuation() != '@') return;
    walk.advance();
    instruction.guard_negated = walk.punctuation() == '!';
    if (instruction.guard_negated) walk.advance();
    instruction.guard = walk.text();
    walk.advance();
}

// `mov .u32` is legal: suffixes may stand apart.
void take_opcode(Walk& walk, Instruction& instruction) {
    const char* const begin = walk.begin();
    const char* end = walk.end();
    walk.advance();
    while (!walk.at_end() && walk.kind() == TokenKind::kDirective) {
        end = walk.end();
        walk.advance();
    }
    instruction.opcode = {begin, end};
}

// From the cursor to the ',' or ';' that ends the operand, on which it leaves the cursor.
std::string_view take_operand(Walk& walk) {
    if (walk.at_end()) return {};
    const char* const begin = walk.begin();
    const char* end = begin;
    int depth = 0;
    for (; !walk.at_end(); walk.advance()) {
        const char character = walk.punctuation();
        if (depth == 0 && (character == ',' || character == ';')) break;
        if (character == '(' || character == '[' || character == '{') ++depth;
        if (character == ')' || character == ']' || character == '}') --depth;
        end = walk.end();
    }
    return {begin, end};
}

}  // namespace

Instruction Module::instruction(const Statement& statement) const {
    Instruction instruction{};
    Walk walk(*this, statement);
    take_guard(walk, instruction);
    take_opcode(walk, instruction);
    if (walk.punctuation() == ';') return instruction;
    instruction.operands.push_back(take_operand(walk));
    while (walk.punctuation() == ',') {
        walk.advance();
        instruction.operands.push_back(take_operand(walk));
    }
    return instruction;
}

}  // namespace gwatch::ptx
