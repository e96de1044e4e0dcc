#include "analysis/special_registers.h"

#include <bit>
#include <charconv>
#include <unordered_map>

namespace gwatch::analysis {
namespace {

enum class Lanes { kUniform, kPerLane, kThread, kBlockSize, kLane, kWarpSize };

constexpr unsigned kWarpBits = 5;
constexpr std::uint32_t kWarpThreads = 1U << kWarpBits;
// Bits of the largest %tid.x, .y and .z of any launch.
constexpr unsigned kThreadBits[3] = {10, 10, 6};

const std::unordered_map<std::string_view, Lanes>& table() {
    static const std::unordered_map<std::string_view, Lanes> entries = {
#define GWATCH_SPECIAL_REGISTER(name, lanes) {name, Lanes::lanes},
#include "analysis/special_registers.def"
#undef GWATCH_SPECIAL_REGISTER
    };
    return entries;
}

// 0, 1, 2 for .x, .y, .z; else 3.
unsigned dimension_of(std::string_view word) {
    const std::size_t dot = word.find('.');
    if (dot == std::string_view::npos) return 3;
    const std::string_view component = word.substr(dot + 1);
    return component == "x" ? 0 : component == "y" ? 1 : component == "z" ? 2 : 3;
}

// Threads of one row of `dimension`, of all rows of the dimensions below it: the stride of a step
// in it, in threads; 0 when unknown.
std::uint32_t stride_of(const LaunchShape& shape, unsigned dimension) {
    std::uint32_t stride = 1;
    for (unsigned i = 0; i < dimension; ++i) stride *= shape.block[i];
    return stride;
}

bool has_one_thread_beyond(const LaunchShape& shape, unsigned dimension) {
    for (unsigned i = dimension + 1; i < 3; ++i) {
        if (shape.block[i] != 1) return false;
    }
    return true;
}

// The bits of %tid in which the 32 consecutive threads of a warp differ, or all when these are not
// an aligned power of two of consecutive values.
std::uint64_t varying_thread_bits(const LaunchShape& shape, unsigned dimension) {
    constexpr std::uint64_t kAllBits = ~std::uint64_t{0};
    const std::uint32_t stride = stride_of(shape, dimension);
    if (stride != 0 && stride % kWarpThreads == 0) return 0;
    if (!std::has_single_bit(stride)) return kAllBits;  // unknown, or rows start within warps
    const auto stride_bits = static_cast<unsigned>(std::countr_zero(stride));
    const unsigned bits = kWarpBits - stride_bits;  // the stride is below a warp's threads
    const std::uint32_t size = shape.block[dimension];
    const bool is_last = has_one_thread_beyond(shape, dimension);
    if (is_last || (size != 0 && size % (1U << bits) == 0)) return low_bits(bits);
    return std::has_single_bit(size) ? std::uint64_t{size} - 1 : kAllBits;
}

LaneBits thread_index(const LaunchShape& shape, unsigned dimension) {
    if (dimension > 2) return kAnyValue;
    const std::uint32_t size = shape.block[dimension];
    const unsigned bits =
        size != 0 ? static_cast<unsigned>(std::bit_width(size - 1)) : kThreadBits[dimension];
    const std::uint64_t zeros = ~low_bits(bits);
    return {varying_thread_bits(shape, dimension) & ~zeros, zeros, 0};
}

LaneBits block_size(const LaunchShape& shape, unsigned dimension) {
    if (dimension > 2 || shape.block[dimension] == 0) return kUniformValue;
    return constant(shape.block[dimension]);
}

LaneBits read_special(Lanes lanes, const LaunchShape& shape, unsigned dimension) {
    switch (lanes) {
        case Lanes::kUniform:
            return kUniformValue;
        case Lanes::kThread:
            return thread_index(shape, dimension);
        case Lanes::kBlockSize:
            return block_size(shape, dimension);
        case Lanes::kLane:
            return {low_bits(kWarpBits), ~low_bits(kWarpBits), 0};
        case Lanes::kWarpSize:
            return constant(kWarpThreads);
        default:
            return kAnyValue;
    }
}

std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    if (error != std::errc{} || stop != end || digits.empty()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    if (text.ends_with('U') || text.ends_with('u')) text.remove_suffix(1);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
    if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
    if (base != 10) {
        text.remove_prefix(2);
    } else if (text.size() > 1 && text.starts_with('0')) {
        base = 8;
    }
    const auto value = parse_digits(text, base);
    return value && is_negative ? std::optional(0 - *value) : value;
}

LaunchShape complete_shape(const ptx::Module& module, const ptx::Function& entry,
                           const LaunchShape& shape) {
    const ptx::Statement& header = module.statements()[entry.header];
    std::uint32_t token = header.first_token;
    const auto text = [&] { return module.text_of(module.tokens()[token]); };
    while (token < header.end_token && text() != ".reqntid") ++token;
    if (token == header.end_token) return shape;
    LaunchShape required{{1, 1, 1}};
    std::size_t dimension = 0;
    for (++token; token < header.end_token && dimension < 3; ++token) {
        const ptx::TokenKind kind = module.tokens()[token].kind;
        if (kind == ptx::TokenKind::kDirective) break;
        if (kind != ptx::TokenKind::kNumber) continue;
        required.block[dimension++] = static_cast<std::uint32_t>(parse_integer(text()).value_or(0));
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (shape.block[i] != 0) required.block[i] = shape.block[i];
    }
    return required;
}

LaneBits read_word(std::string_view word, const LaunchShape& shape) {
    if (const auto number = parse_integer(word)) return constant(*number);
    const auto found = table().find(word.substr(0, word.find('.')));
    if (found != table().end()) return read_special(found->second, shape, dimension_of(word));
    const bool is_unknown_special = word.starts_with('%');
    return is_unknown_special ? kAnyValue : kUniformValue;
}

}  // namespace gwatch::analysis
