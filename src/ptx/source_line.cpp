#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace gwatch::ptx {
namespace {

/// File number, line and column of a .loc, or of its inlined_at.
struct DebugPosition {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    bool operator==(const DebugPosition&) const = default;
};

std::uint32_t to_number(std::string_view digits) {
    std::uint32_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

// The numbers behind the first token of the statement that is this word.
std::optional<DebugPosition> position_after(const Module& module, const Statement& statement,
                                            std::string_view word) {
    std::uint32_t token = statement.first_token;
    const auto text = [&] { return module.text_of(module.tokens()[token]); };
    while (token < statement.end_token && text() != word) ++token;
    if (token == statement.end_token) return std::nullopt;
    std::uint32_t numbers[3] = {};
    std::size_t count = 0;
    for (++token; token < statement.end_token && count < 3; ++token) {
        const TokenKind kind = module.tokens()[token].kind;
        if (kind == TokenKind::kNumber) numbers[count++] = to_number(text());
        if (kind == TokenKind::kPunctuation) break;
    }
    return DebugPosition{numbers[0], numbers[1], numbers[2]};
}

// Whether the path is `suffix`, or ends in it behind a separator.
bool has_path_suffix(std::string_view path, std::string_view suffix) {
    if (suffix.empty() || !path.ends_with(suffix)) return false;
    if (path.size() == suffix.size() || suffix.front() == '/') return true;
    const char before = path[path.size() - suffix.size() - 1];
    return before == '/' || before == '\\';
}

bool has_any_suffix(std::string_view path, const std::vector<std::string>& suffixes) {
    return std::any_of(suffixes.begin(), suffixes.end(),
                       [&](const std::string& suffix) { return has_path_suffix(path, suffix); });
}

/// Tokens in front of a .loc among which a piece of inline assembly that holds it would begin.
constexpr std::uint32_t kPieceTokens = 512;

/// Whether a token stands in a piece of inline assembly. LLVM counts source lines on in there,
/// which are those of the assembly's own lines, and says nothing behind it when the code there is
/// of the line that was in force before.
bool is_in_assembly(const Module& module, std::uint32_t token) {
    for (std::uint32_t left = std::min(token, kPieceTokens); left > 0; --left) {
        const Token& before = module.tokens()[--token];
        if (before.kind != TokenKind::kLineComment) continue;
        const std::string_view text = module.text_of(before);
        if (text.find("begin inline asm") != text.npos) return true;
        if (text.find("end inline asm") != text.npos) return false;
    }
    return false;
}

/// The .loc directives of one function that stand before a statement, last first.
class LocationsBefore {
  public:
    LocationsBefore(const Module& module, const std::vector<std::uint32_t>& locations,
                    std::uint32_t statement)
        : module_(module),
          locations_(locations),
          function_(module.statements()[statement].function) {
        const auto end = std::lower_bound(locations.begin(), locations.end(), statement);
        remaining_ = static_cast<std::size_t>(end - locations.begin());
    }

    const Statement* next() {
        if (remaining_ == 0) return nullptr;
        const Statement& location = module_.statements()[locations_[--remaining_]];
        if (location.function == function_) return &location;
        remaining_ = 0;
        return nullptr;
    }

    /// The next one that stands at `wanted`: the call site of what was inlined there.
    const Statement* next_at(const DebugPosition& wanted) {
        const Statement* location = next();
        while (location != nullptr && position_after(module_, *location, ".loc") != wanted) {
            location = next();
        }
        return location;
    }

  private:
    const Module& module_;
    const std::vector<std::uint32_t>& locations_;
    std::uint32_t function_;
    std::size_t remaining_;
};

}  // namespace

std::string_view Module::file_name(std::uint32_t number) const {
    for (const std::uint32_t statement : file_statements_) {
        const Statement& file = statements_[statement];
        std::optional<std::uint32_t> declared;
        for (std::uint32_t i = file.first_token; i < file.end_token; ++i) {
            const Token& token = tokens_[i];
            if (token.kind == TokenKind::kNumber && !declared) declared = to_number(text_of(token));
            if (token.kind == TokenKind::kString && declared == number) {
                return text_of(token).substr(1, token.length - 2);
            }
        }
    }
    return {};
}

SourceLine Module::source_line(std::uint32_t statement, const std::vector<std::string>& through,
                               bool skips_assembly) const {
    LocationsBefore locations(*this, location_statements_, statement);
    const Statement* location = locations.next();
    while (skips_assembly && location != nullptr && is_in_assembly(*this, location->first_token)) {
        location = locations.next();
    }
    if (location == nullptr) return {};
    auto position = position_after(*this, *location, ".loc");
    while (location != nullptr && has_any_suffix(file_name(position->file), through)) {
        const auto call_site = position_after(*this, *location, "inlined_at");
        if (!call_site) break;
        position = call_site;
        location = locations.next_at(*call_site);
    }
    return {std::string(file_name(position->file)), position->line};
}

}  // namespace gwatch::ptx
