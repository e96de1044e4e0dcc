#include "instrument/iket_tables.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

namespace gwatch::instrument {

namespace {

constexpr std::string_view kMetaName = "__iket_meta_info";
constexpr std::string_view kEventName = "__iket_evt_decl_";
constexpr std::size_t kMetaBytes = 48;
constexpr std::size_t kEventBytes = 60;
constexpr std::size_t kNameOffset = 28;
constexpr std::size_t kMostNameBytes = kEventBytes - kNameOffset;

// Words of __iket_meta_info.
constexpr std::size_t kLargestNumberWord = 3;
constexpr std::uint32_t kLargestNumber = 31;
constexpr std::uint32_t kLargestExtendedNumber = 4095;
struct Word {
    std::size_t index;
    std::uint32_t value;
};
constexpr Word kMetaWords[] = {{0, kMetaBytes},  {1, 0},          {2, 5}, {4, 32},
                               {5, kEventBytes}, {6, 0xbabef19d}, {7, 0}, {8, 3}};

// Words of __iket_evt_decl_NAME_NUMBER_attrs.
constexpr std::size_t kSizeWord = 0;
constexpr std::size_t kNumberWord = 1;
constexpr std::size_t kMethodWord = 2;
constexpr std::size_t kTypeWord = 3;
constexpr std::size_t kKindWord = 4;
constexpr std::size_t kNameLengthWord = 6;
constexpr std::uint32_t kNativeDump = 3;
constexpr std::uint32_t kExtendedNativeDump = 5;  // with more than 31 events

/// The initial bytes of a variable, zeros at their end left out as in the text.
using Bytes = std::vector<std::uint8_t>;

Error unknown_version(const std::string& what) {
    return {ErrorKind::kInstrument, "the kernel's IKET tables are of an unknown version", what,
            "gwatch knows those of the CuTe DSL 4.7 and 4.8. Compile the kernel with one of these, "
            "or mark it with gwatch.cuda.trace.cute."};
}

std::uint32_t word(const Bytes& bytes, std::size_t index) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at = index * 4 + i;
        if (at < bytes.size()) value |= static_cast<std::uint32_t>(bytes[at]) << (8 * i);
    }
    return value;
}

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// A variable of bytes: `.global .b8 name[48] = {48, 0};`
struct Variable {
    std::string_view name;
    std::size_t size = 0;
    Bytes bytes;
    bool is_read = true;  ///< it has this form
};

Variable read_variable(const ptx::Module& module, const ptx::Statement& statement,
                       std::uint32_t name_token) {
    const auto& tokens = module.tokens();
    Variable variable{module.text_of(tokens[name_token]), 0, {}, true};
    bool in_values = false;
    for (std::uint32_t i = name_token + 1; i < statement.end_token; ++i) {
        const std::string_view text = module.text_of(tokens[i]);
        if (text == "{") in_values = true;
        if (tokens[i].kind != ptx::TokenKind::kNumber) continue;
        const auto value = number(text);
        if (!value || (in_values && *value > 255)) {
            variable.is_read = false;
        } else if (in_values) {
            variable.bytes.push_back(static_cast<std::uint8_t>(*value));
        } else {
            variable.size = *value;
        }
    }
    return variable;
}

std::vector<Variable> read_variables(const ptx::Module& module) {
    std::vector<Variable> variables;
    for (const ptx::Statement& statement : module.statements()) {
        if (statement.scope != 0 || statement.kind != ptx::StatementKind::kDirective) continue;
        for (std::uint32_t i = statement.first_token; i < statement.end_token; ++i) {
            const ptx::Token& token = module.tokens()[i];
            if (token.kind != ptx::TokenKind::kWord) continue;
            const std::string_view name = module.text_of(token);
            if (name != kMetaName && !name.starts_with(kEventName)) continue;
            variables.push_back(read_variable(module, statement, i));
            break;
        }
    }
    return variables;
}

Result<void> check_meta(const Variable& meta) {
    if (!meta.is_read || meta.size != kMetaBytes)
        return unknown_version(std::string(kMetaName) + " has another size than 48 bytes");
    const auto differs = [&](std::size_t index, const std::string& expected) {
        return unknown_version("word " + std::to_string(index) + " of " + std::string(kMetaName) +
                               " is " + std::to_string(word(meta.bytes, index)) + " instead of " +
                               expected);
    };
    for (const Word& expected : kMetaWords) {
        if (word(meta.bytes, expected.index) != expected.value)
            return differs(expected.index, std::to_string(expected.value));
    }
    const std::uint32_t largest = word(meta.bytes, kLargestNumberWord);
    if (largest != kLargestNumber && largest != kLargestExtendedNumber)
        return differs(kLargestNumberWord, "31 or 4095");
    return {};
}

std::optional<IketKind> kind_of(const Bytes& bytes) {
    switch (word(bytes, kKindWord)) {
        case 0:
            return IketKind::kMark;
        case 1:
            return IketKind::kPush;
        case 4:
            return IketKind::kRange;
        default:
            return std::nullopt;
    }
}

Result<std::pair<std::uint32_t, IketEvent>> read_event(const Variable& variable) {
    const Bytes& bytes = variable.bytes;
    const std::uint32_t method = word(bytes, kMethodWord);
    const std::uint32_t length = word(bytes, kNameLengthWord);
    const auto kind = kind_of(bytes);
    if (!variable.is_read || variable.size != kEventBytes ||
        word(bytes, kSizeWord) != kEventBytes ||
        (method != kNativeDump && method != kExtendedNativeDump) || !kind || length == 0 ||
        length > kMostNameBytes || kNameOffset + length > bytes.size()) {
        return unknown_version(std::string(variable.name) + " is of a form that is not known");
    }
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(kNameOffset);
    const std::string name(first, first + length);
    const auto type = static_cast<IketType>(word(bytes, kTypeWord));
    return std::pair{word(bytes, kNumberWord), IketEvent{name, *kind, type}};
}

}  // namespace

Result<std::optional<IketTables>> read_iket_tables(const ptx::Module& module) {
    bool has_meta = false;
    IketTables events;
    for (const Variable& variable : read_variables(module)) {
        if (variable.name == kMetaName) {
            if (auto checked = check_meta(variable); !checked) return checked.error();
            has_meta = true;
            continue;
        }
        auto event = read_event(variable);
        if (!event) return event.error();
        events.insert(*std::move(event));
    }
    if (has_meta) return std::optional(std::move(events));
    if (!events.empty()) return unknown_version("it has no " + std::string(kMetaName));
    return std::optional<IketTables>();
}

}  // namespace gwatch::instrument
