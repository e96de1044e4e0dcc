#include "instrument/launch_parameter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/special_registers.h"

namespace gwatch::instrument {

namespace {

using ptx::Token;

constexpr std::uint64_t kMostBytes = 4096;
/// Every constant bank's parameters begin at a multiple of it, and not of more: those of sm_80 at
/// 0x160, of sm_90 at 0x210. ptxas aligns a parameter's address, not its offset.
constexpr std::uint64_t kBankAlignment = 16;
constexpr std::uint32_t kAlignment = alignof(record::LaunchConstants);
static_assert(kAlignment == 8, "snippets::kParameter says so");

constexpr std::pair<std::string_view, std::uint32_t> kTypeBytes[] = {
    {".b8", 1},  {".u8", 1},  {".s8", 1},  {".b16", 2}, {".u16", 2},   {".s16", 2},
    {".f16", 2}, {".b32", 4}, {".u32", 4}, {".s32", 4}, {".f32", 4},   {".b64", 8},
    {".u64", 8}, {".s64", 8}, {".f64", 8}, {".v2", 2},  {".b128", 16}, {".v4", 4}};

/// Bytes of a type, or how many of them a vector has; 0 for another directive.
std::uint32_t factor_of(std::string_view directive) {
    for (const auto& [name, bytes] : kTypeBytes) {
        if (name == directive) return bytes;
    }
    return 0;
}

struct Extent {
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 0;
};

std::uint64_t round_up(std::uint64_t offset, std::uint64_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

/// The tokens of an entry's header that are no trivia.
class Header {
  public:
    Header(const ptx::Module& module, const ptx::Function& entry) : module_(module) {
        const ptx::Statement& header = module.statements()[entry.header];
        for (std::uint32_t t = header.first_token; t < header.end_token; ++t) {
            if (!module.tokens()[t].is_trivia()) tokens_.push_back(module.tokens()[t]);
        }
    }

    std::string_view text(std::size_t index) const { return module_.text_of(tokens_[index]); }
    std::uint32_t end(std::size_t index) const {
        return tokens_[index].offset + tokens_[index].length;
    }

    /// Index of the first token that begins at this offset of the text or behind it.
    std::size_t first_behind(std::uint32_t offset) const {
        std::size_t index = 0;
        while (index < size() && tokens_[index].offset < offset) ++index;
        return index;
    }

    /// Index of the first token with this text from another on; the number of tokens without one.
    std::size_t find(std::string_view wanted, std::size_t from = 0) const {
        while (from < tokens_.size() && text(from) != wanted) ++from;
        return from;
    }
    std::size_t size() const { return tokens_.size(); }

  private:
    const ptx::Module& module_;
    std::vector<Token> tokens_;
};

std::uint64_t number_of(std::string_view text) {
    return analysis::parse_integer(text).value_or(0);
}

/// `.param .align 8 .b8 name[24]`, `.param .u64 .ptr .global .align 16 name`. Zero bytes for one
/// that is not understood. What stands behind `.ptr` tells of the memory that it points to.
Extent extent_of(const Header& header, std::size_t first, std::size_t end) {
    std::uint64_t element = 1;
    std::uint64_t count = 1;
    std::optional<std::uint64_t> alignment;
    bool has_type = false;
    bool is_pointer = false;
    for (std::size_t i = first; i < end; ++i) {
        const std::string_view text = header.text(i);
        const std::uint32_t factor = factor_of(text);
        has_type = has_type || factor != 0;
        element *= std::max(1u, factor);
        is_pointer = is_pointer || text == ".ptr";
        if (text == ".align" && !is_pointer) alignment = number_of(header.text(i + 1));
        if (text == "[") count = number_of(header.text(i + 1));
    }
    if (!has_type || count == 0 || count > kMostBytes || alignment == 0) return {};
    // An array is aligned as one of its elements, and no attribute makes that less.
    return {element * count, std::max(alignment.value_or(element), element)};
}

/// Of the parameters in [first, end): how many, and where they end.
std::optional<record::ParameterPlace> place_behind(const Header& header, std::size_t first,
                                                   std::size_t end) {
    record::ParameterPlace place{0, 0};
    std::uint64_t offset = 0;
    bool is_known = true;
    while (first < end) {
        const std::size_t comma = std::min(header.find(",", first), end);
        const Extent extent = extent_of(header, first, comma);
        if (extent.bytes == 0) return std::nullopt;
        offset = round_up(offset, extent.alignment) + extent.bytes;
        is_known = is_known && extent.alignment <= kBankAlignment;
        ++place.index;
        first = comma + 1;
    }
    offset = round_up(offset, kAlignment);
    if (offset + sizeof(record::LaunchConstants) > kMostBytes) return std::nullopt;
    if (is_known) place.offset = static_cast<std::uint32_t>(offset);
    return place;
}

bool has_prototype(const ptx::Module& module, const ptx::Function& entry) {
    return std::any_of(module.functions().begin(), module.functions().end(),
                       [&](const ptx::Function& function) {
                           return &function != &entry && function.name == entry.name;
                       });
}

}  // namespace

std::optional<ParameterRoom> room_for_parameter(const ptx::Module& module,
                                                const ptx::Function& entry) {
    if (has_prototype(module, entry)) return std::nullopt;
    const Header header(module, entry);
    // Not the end of a token: ptxas takes `.entry k.maxntid 32`.
    const auto name_end =
        static_cast<std::uint32_t>(entry.name.data() + entry.name.size() - module.text().data());
    const std::size_t open = header.first_behind(name_end);
    if (open == header.size() || header.text(open) != "(")
        return ParameterRoom{name_end, "(", ")", {0, 0}};
    const std::size_t close = header.find(")", open);
    if (close == header.size()) return std::nullopt;
    const auto place = place_behind(header, open + 1, close);
    if (!place) return std::nullopt;
    return ParameterRoom{header.end(close - 1), place->index == 0 ? "" : ", ", "", *place};
}

}  // namespace gwatch::instrument
