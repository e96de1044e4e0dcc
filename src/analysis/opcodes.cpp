#include "analysis/opcodes.h"

#include <array>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace gwatch::analysis {
namespace {

using Entry = std::pair<Effect, Transfer>;

const std::unordered_map<std::string_view, Entry>& table() {
    static const std::unordered_map<std::string_view, Entry> entries = {
#define GWATCH_OPCODE(opcode, effect, transfer) {opcode, {Effect::effect, Transfer::transfer}},
#include "analysis/opcodes.def"
#undef GWATCH_OPCODE
    };
    return entries;
}

// The entry of the longest dotted beginning.
Entry find_entry(std::string_view opcode) {
    while (true) {
        const auto found = table().find(opcode);
        if (found != table().end()) return found->second;
        const std::size_t dot = opcode.rfind('.');
        if (dot == std::string_view::npos) return {Effect::kUnknown, Transfer::kOpaque};
        opcode = opcode.substr(0, dot);
    }
}

struct IntegerType {
    std::uint8_t width;
    bool is_signed;
};

std::optional<IntegerType> integer_type(std::string_view suffix) {
    static constexpr std::pair<std::string_view, IntegerType> kTypes[] = {
        {"pred", {1, false}}, {"b8", {8, false}},   {"u8", {8, false}},   {"s8", {8, true}},
        {"b16", {16, false}}, {"u16", {16, false}}, {"s16", {16, true}},  {"b32", {32, false}},
        {"u32", {32, false}}, {"s32", {32, true}},  {"b64", {64, false}}, {"u64", {64, false}},
        {"s64", {64, true}},
    };
    for (const auto& [name, type] : kTypes) {
        if (name == suffix) return type;
    }
    return std::nullopt;
}

Comparison comparison_of(std::string_view suffix) {
    static constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
        {"eq", Comparison::kEqual},        {"ne", Comparison::kEqual},
        {"lt", Comparison::kLess},         {"lo", Comparison::kLess},
        {"le", Comparison::kLessEqual},    {"ls", Comparison::kLessEqual},
        {"gt", Comparison::kGreater},      {"hi", Comparison::kGreater},
        {"ge", Comparison::kGreaterEqual}, {"hs", Comparison::kGreaterEqual},
    };
    for (const auto& [name, comparison] : kComparisons) {
        if (name == suffix) return comparison;
    }
    return Comparison::kOther;
}

/// The dotted parts of an opcode from the last to the first.
class SuffixesFromTheEnd {
  public:
    explicit SuffixesFromTheEnd(std::string_view opcode) : rest_(opcode) {}

    std::string_view next() {
        const std::size_t dot = rest_.rfind('.');
        if (dot == std::string_view::npos) return {};
        const std::string_view suffix = rest_.substr(dot + 1);
        rest_ = rest_.substr(0, dot);
        return suffix;
    }

  private:
    std::string_view rest_;
};

bool has_suffix(std::string_view opcode, std::string_view wanted) {
    SuffixesFromTheEnd suffixes(opcode);
    for (auto suffix = suffixes.next(); !suffix.empty(); suffix = suffixes.next()) {
        if (suffix == wanted) return true;
    }
    return false;
}

// A narrow signed result is extended to its register, which the widths here do not tell.
bool is_plain_conversion(std::string_view opcode, const IntegerType& result) {
    return !has_suffix(opcode, "sat") && (!result.is_signed || result.width >= 32);
}

void read_types(std::string_view text, Opcode& opcode) {
    SuffixesFromTheEnd suffixes(text);
    const auto source = integer_type(suffixes.next());
    if (!source) {
        opcode.transfer = Transfer::kOpaque;
        return;
    }
    opcode.source_width = opcode.result_width = source->width;
    opcode.is_signed = source->is_signed;
    if (opcode.transfer == Transfer::kCompare) opcode.result_width = 1;
    if (has_suffix(text, "wide"))
        opcode.result_width = static_cast<std::uint8_t>(source->width * 2);
    if (opcode.transfer != Transfer::kConvert) return;
    const auto result = integer_type(suffixes.next());
    if (result && is_plain_conversion(text, *result)) {
        opcode.result_width = result->width;
    } else {
        opcode.transfer = Transfer::kOpaque;
    }
}

void read_comparison(std::string_view text, Opcode& opcode) {
    SuffixesFromTheEnd suffixes(text);
    for (auto suffix = suffixes.next(); !suffix.empty(); suffix = suffixes.next()) {
        const Comparison comparison = comparison_of(suffix);
        if (comparison != Comparison::kOther) opcode.comparison = comparison;
    }
}

// A load that may see what another thread writes meanwhile, or memory of the lane's own.
bool is_per_lane_load(std::string_view opcode) {
    static constexpr std::string_view kSuffixes[] = {"volatile", "relaxed", "acquire", "mmio",
                                                     "local"};
    for (const std::string_view suffix : kSuffixes) {
        if (has_suffix(opcode, suffix)) return true;
    }
    return false;
}

}  // namespace

Opcode read_opcode(std::string_view text) {
    Opcode opcode;
    std::tie(opcode.effect, opcode.transfer) = find_entry(text);
    if (opcode.effect == Effect::kLoad && is_per_lane_load(text)) opcode.effect = Effect::kPerLane;
    const std::string_view base = text.substr(0, text.find('.'));
    opcode.reads_carry = base == "addc" || base == "subc" || base == "madc";
    opcode.writes_carry = has_suffix(text, "cc");
    if (has_suffix(text, "sat")) opcode.transfer = Transfer::kOpaque;
    if (opcode.transfer != Transfer::kOpaque) read_types(text, opcode);
    if (opcode.transfer == Transfer::kCompare) read_comparison(text, opcode);
    return opcode;
}

}  // namespace gwatch::analysis
