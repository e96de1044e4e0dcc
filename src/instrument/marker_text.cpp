#include "instrument/marker_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gwatch::instrument {

namespace {

constexpr std::string_view kMark = "gwatch:";
constexpr std::int32_t kMaxId = 65535;
constexpr char kForm[] =
    "A marker is `// gwatch:VERB SCOPE`: start, end or mark with one scope, switch with two. A "
    "scope is an id from 0 "
    "to 65535 or a name of [A-Za-z0-9_.:/-] and %XX.";

struct VerbForm {
    std::string_view word;
    Verb verb;
    std::size_t scopes;
};
constexpr VerbForm kVerbs[] = {{"start", Verb::kStart, 1},
                               {"end", Verb::kEnd, 1},
                               {"switch", Verb::kSwitch, 2},
                               {"mark", Verb::kMark, 1}};

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view behind_slashes(std::string_view comment) {
    comment.remove_prefix(std::min<std::size_t>(2, comment.size()));
    while (!comment.empty() && is_blank(comment.front())) comment.remove_prefix(1);
    return comment;
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = begin;
        while (end < text.size() && !is_blank(text[end])) ++end;
        if (end > begin) words.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

Error malformed(std::string message) {
    return {ErrorKind::kInstrument, std::move(message), {}, kForm};
}

std::string quoted(std::string_view text) {
    return std::string("'").append(text).append("'");
}

bool is_name_byte(char c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_.:/-").find(c) != std::string_view::npos;
}

/// The name with every %XX as its byte; nothing when a byte or a %XX is not allowed.
std::optional<std::string> decode_name(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            if (!is_name_byte(text[i])) return std::nullopt;
            name += text[i];
            continue;
        }
        unsigned value = 0;
        const char* const first = text.data() + i + 1;
        if (i + 3 > text.size()) return std::nullopt;
        const auto [end, code] = std::from_chars(first, first + 2, value, 16);
        if (code != std::errc() || end != first + 2) return std::nullopt;
        name += static_cast<char>(value);
        i += 2;
    }
    return name;
}

/// Whether the bytes are UTF-8, so that every report can show them.
bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80         ? 1
                                   : lead >> 5 == 0x06 ? 2
                                   : lead >> 4 == 0x0E ? 3
                                   : lead >> 3 == 0x1E ? 4
                                                       : 0;
        if (length == 0 || i + length > text.size()) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if (static_cast<unsigned char>(text[i + k]) >> 6 != 0x02) return false;
        }
        i += length;
    }
    return true;
}

Result<ScopeName> parse_scope(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), is_digit)) {
        std::int32_t id = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), id);
        if (code != std::errc() || id > kMaxId)
            return malformed("scope id " + std::string(text) + " is over 65535");
        return ScopeName{std::to_string(id), id};
    }
    std::optional<std::string> name = decode_name(text);
    if (!name)
        return malformed("scope name " + quoted(text) + " has a byte that must be written as %XX");
    if (!is_utf8(*name)) return malformed("scope name " + quoted(text) + " is no UTF-8");
    return ScopeName{*std::move(name), -1};
}

}  // namespace

bool is_marker_comment(std::string_view comment) {
    return behind_slashes(comment).starts_with(kMark);
}

Result<MarkerText> parse_marker_comment(std::string_view comment) {
    const auto words = split_words(behind_slashes(comment).substr(kMark.size()));
    const std::string_view verb = words.empty() ? std::string_view() : words[0];
    const auto* const form =
        std::find_if(std::begin(kVerbs), std::end(kVerbs),
                     [&](const VerbForm& known) { return known.word == verb; });
    if (form == std::end(kVerbs)) return malformed("unknown verb " + quoted(verb));
    if (words.size() - 1 != form->scopes) {
        return malformed(std::string(verb) + " takes " + std::to_string(form->scopes) + " scope" +
                         (form->scopes == 1 ? "" : "s") + ", not " +
                         std::to_string(words.size() - 1));
    }
    MarkerText text{form->verb, {}};
    for (std::size_t i = 1; i < words.size(); ++i) {
        auto scope = parse_scope(words[i]);
        if (!scope) return scope.error();
        text.scopes.push_back(*std::move(scope));
    }
    return text;
}

std::string spell_name(std::string_view name) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const bool is_number = std::all_of(name.begin(), name.end(), is_digit);
    const bool is_text = is_utf8(name);
    std::string text;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(is_text || (c & 0x80) == 0 ? c : '?');
        // One of digits alone would be an id: its first one is escaped.
        if (is_name_byte(static_cast<char>(byte)) && !(is_number && text.empty())) {
            text += c;
        } else {
            text += {'%', kHex[byte >> 4], kHex[byte & 15]};
        }
    }
    return text;
}

}  // namespace gwatch::instrument
