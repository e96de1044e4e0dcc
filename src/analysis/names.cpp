#include "analysis/names.h"

#include <charconv>

namespace gwatch::analysis {
namespace {

using ptx::kNone;
using ptx::TokenKind;

std::uint32_t to_number(std::string_view digits) {
    std::uint32_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

}  // namespace

StatementRange body_of(const ptx::Module& module, const ptx::Function& function) {
    const ptx::Scope& scope = module.scopes()[function.body_scope];
    return {scope.open_statement, scope.close_statement + 1};
}

void ScopedNames::add(std::uint32_t scope, std::string_view name, std::uint32_t number) {
    numbers_.insert_or_assign(Key{scope, name}, number);
}

std::uint32_t ScopedNames::find_in(std::uint32_t scope, std::string_view name) const {
    const auto found = numbers_.find(Key{scope, name});
    return found != numbers_.end() ? found->second : kNone;
}

std::uint32_t ScopedNames::find(std::uint32_t scope, std::string_view name) const {
    for (; scope != kNone; scope = module_.scopes()[scope].parent) {
        const std::uint32_t number = find_in(scope, name);
        if (number != kNone) return number;
    }
    return kNone;
}

ScopedNames find_labels(const ptx::Module& module, StatementRange body) {
    ScopedNames labels(module);
    for (std::uint32_t i = body.begin; i < body.end; ++i) {
        const ptx::Statement& statement = module.statements()[i];
        if (statement.kind != ptx::StatementKind::kLabel) continue;
        labels.add(statement.scope, module.head(statement), i);
    }
    return labels;
}

Registers::Registers(const ptx::Module& module)
    : module_(module), numbers_(module), ranges_(module) {}

std::uint32_t Registers::add_hidden(std::string_view name) {
    names_.push_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
}

void Registers::declare_register(std::uint32_t scope, std::string_view name,
                                 std::string_view count) {
    if (count.empty()) {
        numbers_.add(scope, name, add_hidden(name));
    } else {
        ranges_.add(scope, name, to_number(count));
    }
}

void Registers::declare(const ptx::Statement& directive) {
    const std::string_view head = module_.head(directive);
    const bool is_register = head == ".reg";
    if (!is_register && head != ".param") return;
    std::string_view name;
    std::string_view count;
    const auto finish = [&] {
        if (is_register && !name.empty()) declare_register(directive.scope, name, count);
        if (!is_register && !name.empty()) call_parameters_.insert(name);
        name = count = {};
    };
    for (std::uint32_t i = directive.first_token; i < directive.end_token; ++i) {
        const ptx::Token& token = module_.tokens()[i];
        const std::string_view text = module_.text_of(token);
        if (token.kind == TokenKind::kWord) name = text;
        if (token.kind == TokenKind::kNumber && !name.empty()) count = text;
        if (token.kind == TokenKind::kPunctuation && (text == "," || text == ";")) finish();
    }
}

// %r10 is of %r<20> and of %r1<3>; leading zeros are no part of a number.
std::uint32_t Registers::find_in_ranges(std::uint32_t scope, std::string_view name) {
    std::size_t prefix = name.size();
    while (prefix > 1 && is_digit(name[prefix - 1])) {
        --prefix;
        const std::string_view digits = name.substr(prefix);
        if (digits.size() > 1 && digits[0] == '0') continue;
        const std::uint32_t count = ranges_.find_in(scope, name.substr(0, prefix));
        if (count == kNone || to_number(digits) >= count) continue;
        const std::uint32_t number = add_hidden(name);
        numbers_.add(scope, name, number);
        return number;
    }
    return kNone;
}

std::uint32_t Registers::find_whole(std::uint32_t scope, std::string_view name) {
    for (; scope != kNone; scope = module_.scopes()[scope].parent) {
        std::uint32_t number = numbers_.find_in(scope, name);
        if (number == kNone) number = find_in_ranges(scope, name);
        if (number != kNone) return number;
    }
    return kNone;
}

std::uint32_t Registers::find(std::uint32_t scope, std::string_view word) {
    const std::size_t dot = word.find('.');
    return find_whole(scope, word.substr(0, dot));
}

}  // namespace gwatch::analysis
