#include "report/payload.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace gwatch::report {

namespace {

using trace::PayloadKind;

constexpr std::uint64_t kSign64 = std::uint64_t{1} << 63;
constexpr std::uint32_t kSign32 = std::uint32_t{1} << 31;
constexpr std::int64_t kExactInJson = std::int64_t{1} << 53;

template <class Number, class... Format>
std::string digits(Number number, Format... format) {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, number, format...).ptr};
}

/// Without an exponent where that is not much longer.
template <class Float>
std::string float_digits(Float number) {
    const Float size = std::abs(number);
    const bool is_plain = size == 0 || (size >= Float(1e-5) && size < Float(1e15));
    return is_plain ? digits(number, std::chars_format::fixed) : digits(number);
}

/// Negative numbers have all their bits turned, the others their sign: then they sort as integers.
template <class Bits>
Bits float_rank(Bits bits, Bits sign) {
    return bits & sign ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}
template <class Bits>
Bits float_bits(Bits rank, Bits sign) {
    return rank & sign ? static_cast<Bits>(rank & ~sign) : static_cast<Bits>(~rank);
}

}  // namespace

NumberType number_type(PayloadKind kind) {
    switch (kind) {
        case PayloadKind::kSigned32:
        case PayloadKind::kSigned64:
            return NumberType::kSigned;
        case PayloadKind::kUnsigned32:
        case PayloadKind::kUnsigned64:
        case PayloadKind::kBits:
            return NumberType::kUnsigned;
        case PayloadKind::kFloat32:
        case PayloadKind::kFloat64:
            return NumberType::kFloat;
        case PayloadKind::kNone:
            break;
    }
    return NumberType::kNone;
}

bool is_countable(PayloadKind kind, std::uint64_t bits) {
    if (kind == PayloadKind::kNone || kind == PayloadKind::kBits) return false;
    return number_type(kind) != NumberType::kFloat || std::isfinite(float_value(kind, bits));
}

std::int64_t signed_value(PayloadKind kind, std::uint64_t bits) {
    if (kind == PayloadKind::kSigned32) return static_cast<std::int32_t>(bits);
    return static_cast<std::int64_t>(bits);
}

double float_value(PayloadKind kind, std::uint64_t bits) {
    if (kind == PayloadKind::kFloat32)
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::bit_cast<double>(bits);
}

std::string payload_text(PayloadKind kind, std::uint64_t bits) {
    switch (number_type(kind)) {
        case NumberType::kSigned:
            return digits(signed_value(kind, bits));
        case NumberType::kUnsigned:
            return kind == PayloadKind::kBits ? "0x" + digits(bits, 16) : digits(bits);
        case NumberType::kFloat:
            if (kind == PayloadKind::kFloat64) return float_digits(float_value(kind, bits));
            return float_digits(static_cast<float>(float_value(kind, bits)));
        case NumberType::kNone:
            break;
    }
    return "";
}

nlohmann::ordered_json payload_json(PayloadKind kind, std::uint64_t bits) {
    const NumberType type = number_type(kind);
    if (type == NumberType::kSigned) {
        const std::int64_t value = signed_value(kind, bits);
        if (value >= -kExactInJson && value <= kExactInJson) return value;
    }
    if (type == NumberType::kUnsigned && kind != PayloadKind::kBits &&
        bits <= static_cast<std::uint64_t>(kExactInJson))
        return bits;
    // The text of a float32 is shorter than that of the same number as a double, and as exact.
    const std::string text = payload_text(kind, bits);
    if (type == NumberType::kFloat && std::isfinite(float_value(kind, bits))) {
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    }
    return text;
}

std::uint64_t payload_rank(PayloadKind kind, std::uint64_t bits) {
    switch (number_type(kind)) {
        case NumberType::kSigned:
            return static_cast<std::uint64_t>(signed_value(kind, bits)) ^ kSign64;
        case NumberType::kFloat:
            if (kind == PayloadKind::kFloat64) return float_rank(bits, kSign64);
            return float_rank(static_cast<std::uint32_t>(bits), kSign32);
        default:
            return bits;
    }
}

std::uint64_t bits_of_rank(PayloadKind kind, std::uint64_t rank) {
    switch (number_type(kind)) {
        case NumberType::kSigned:
            return kind == PayloadKind::kSigned32 ? static_cast<std::uint32_t>(rank)
                                                  : rank ^ kSign64;
        case NumberType::kFloat:
            if (kind == PayloadKind::kFloat64) return float_bits(rank, kSign64);
            return float_bits(static_cast<std::uint32_t>(rank), kSign32);
        default:
            return rank;
    }
}

}  // namespace gwatch::report
