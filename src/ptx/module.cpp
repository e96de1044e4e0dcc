#include "ptx/module.h"

#include <algorithm>
#include <utility>

#include "ptx/binary_formats.h"
#include "ptx/diagnostics.h"
#include "ptx/lines.h"
#include "ptx/parser.h"

namespace gwatch::ptx {

std::string_view Module::text_of(const Token& token) const {
    return text().substr(token.offset, token.length);
}

std::uint32_t Module::begin_of(const Statement& statement) const {
    return tokens_[statement.first_token].offset;
}

std::uint32_t Module::end_of(const Statement& statement) const {
    const Token& last = tokens_[statement.end_token - 1];
    return last.offset + last.length;
}

std::string_view Module::text_of(const Statement& statement) const {
    return text().substr(begin_of(statement), end_of(statement) - begin_of(statement));
}

std::string_view Module::head(const Statement& statement) const {
    return text_of(tokens_[statement.first_token]);
}

Position Module::position(std::uint32_t offset) const {
    return position_at(line_starts_, offset);
}

const Function* Module::find_definition(std::string_view name) const {
    const auto found =
        std::find_if(functions_.begin(), functions_.end(), [&](const Function& function) {
            return function.body_scope != kNone && function.name == name;
        });
    return found != functions_.end() ? &*found : nullptr;
}

namespace {

// `%v` is used in `%v.x`.
bool is_name_or_part(std::string_view word, std::string_view name) {
    return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '.');
}

}  // namespace

bool Module::uses_name(std::string_view name) const {
    // `%r<8>` declares %r0 to %r7, so a declared range uses every name of its stem.
    const std::string_view stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].kind != TokenKind::kWord) continue;
        const std::string_view word = text_of(tokens_[i]);
        if (is_name_or_part(word, name)) return true;
        if (word == stem && i + 1 < tokens_.size() && text_of(tokens_[i + 1]) == "<") return true;
    }
    return false;
}

Result<Module> parse(std::string text, std::string_view name) {
    if (text.size() >= kNone) {
        return Error{
            ErrorKind::kPtx, std::string(name) + ": larger than 4 GiB", {}, "Split the module."};
    }
    const std::size_t start = size_of_leading_comments(text);
    if (const BinaryFormat* format = recognise_binary(std::string_view(text).substr(start))) {
        return describe({name, text}, {static_cast<std::uint32_t>(start), "PTX text",
                                       std::string(format->name), std::string(format->hint)});
    }
    return Parser(std::move(text), name).run();
}

}  // namespace gwatch::ptx
