#include "scalar.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gwatch::analysis {
namespace {

std::vector<std::string> split(std::string_view opcode) {
    std::vector<std::string> parts(1);
    for (const char character : opcode) {
        if (character == '.') {
            parts.emplace_back();
        } else {
            parts.back() += character;
        }
    }
    return parts;
}

unsigned width_of(const std::string& type) {
    return type == "pred" ? 1 : static_cast<unsigned>(std::stoul(type.substr(1)));
}

std::uint64_t cut(std::uint64_t value, unsigned width) {
    return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

std::int64_t extend(std::uint64_t value, unsigned width) {
    return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
}

/// An operand of a typed instruction, as a number.
struct Typed {
    bool is_signed;
    unsigned width;

    std::uint64_t read(std::uint64_t value) const {
        const std::uint64_t low = cut(value, width);
        return is_signed ? static_cast<std::uint64_t>(extend(low, width)) : low;
    }
};

Typed type_of(const std::string& suffix) {
    return {suffix[0] == 's', width_of(suffix)};
}

bool compare(const std::string& how, const Typed& type, std::uint64_t a, std::uint64_t b) {
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    const bool less = type.is_signed ? sa < sb : a < b;
    if (how == "eq") return a == b;
    if (how == "ne") return a != b;
    if (how == "lt") return less;
    if (how == "ge") return !less;
    if (how == "le") return less || a == b;
    if (how == "gt") return !less && a != b;
    throw std::logic_error("comparison " + how);
}

std::uint64_t divide(bool wants_quotient, const Typed& type, std::uint64_t a, std::uint64_t b) {
    if (b == 0) return 0;
    if (!type.is_signed) return wants_quotient ? a / b : a % b;
    if (b == ~std::uint64_t{0}) return wants_quotient ? 0 - a : 0;  // no overflow
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    return static_cast<std::uint64_t>(wants_quotient ? sa / sb : sa % sb);
}

std::uint64_t shift(bool is_left, const Typed& type, std::uint64_t a, std::uint64_t count) {
    const std::uint64_t bits = std::min<std::uint64_t>(cut(count, 32), type.width);
    if (is_left) return bits >= 64 ? 0 : a << bits;
    if (type.is_signed) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >>
                                          std::min<std::uint64_t>(bits, 63));
    }
    return bits >= 64 ? 0 : a >> bits;
}

std::uint64_t extract(const Typed& type, std::uint64_t a, std::uint64_t position,
                      std::uint64_t length) {
    const std::uint64_t count = length & 0xFF;
    const std::uint64_t top =
        count == 0 ? 0 : std::min<std::uint64_t>((position & 0xFF) + count - 1, type.width - 1);
    const std::uint64_t sign = !type.is_signed || count == 0 ? 0 : (cut(a, type.width) >> top) & 1;
    std::uint64_t field = 0;
    for (std::uint64_t i = 0; i < type.width; ++i) {
        const std::uint64_t from = i + (position & 0xFF);
        const bool inside = i < count && from < type.width;
        field |= (inside ? (cut(a, type.width) >> from) & 1 : sign) << i;
    }
    return field;
}

std::uint64_t lookup(const std::vector<std::uint64_t>& operands) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const auto bit = [&](std::size_t operand) { return (operands[operand] >> i) & 1; };
        const std::uint64_t entry = bit(0) * 4 + bit(1) * 2 + bit(2);
        result |= ((operands[3] >> entry) & 1) << i;
    }
    return result;
}

std::uint64_t compute_logic(const std::string& base, const std::vector<std::uint64_t>& operands) {
    if (base == "and") return operands[0] & operands[1];
    if (base == "or") return operands[0] | operands[1];
    if (base == "xor") return operands[0] ^ operands[1];
    if (base == "not") return ~operands[0];
    if (base == "mov") return operands[0];
    if (base == "lop3") return lookup(operands);
    if (base == "selp") return operands[2] != 0 ? operands[0] : operands[1];
    throw std::logic_error("opcode " + base);
}

}  // namespace

std::uint64_t compute(std::string_view opcode, const std::vector<std::uint64_t>& operands) {
    const std::vector<std::string> parts = split(opcode);
    const std::string& base = parts[0];
    const Typed type = type_of(parts.back());
    const auto read = [&](std::size_t i) { return type.read(operands[i]); };
    if (base == "cvt") return cut(read(0), width_of(parts[parts.size() - 2]));
    if (base == "setp") {
        const bool holds = compare(parts[1], type, read(0), read(1));
        if (operands.size() == 2) return holds;
        return parts[2] == "and" ? holds && operands[2] != 0 : holds || operands[2] != 0;
    }
    const unsigned result_width = parts[1] == "wide" ? 2 * type.width : type.width;
    const auto result = [&]() -> std::uint64_t {
        if (base == "add") return read(0) + read(1);
        if (base == "sub") return read(0) - read(1);
        if (base == "mul") return read(0) * read(1);
        if (base == "mad") return read(0) * read(1) + operands[2];
        if (base == "div" || base == "rem") return divide(base == "div", type, read(0), read(1));
        if (base == "shl" || base == "shr") {
            return shift(base == "shl", type, read(0), operands[1]);
        }
        if (base == "bfe") return extract(type, operands[0], operands[1], operands[2]);
        if (base == "min") {
            return compare("lt", type, read(0), read(1)) ? operands[0] : operands[1];
        }
        return compute_logic(base, operands);
    };
    return cut(result(), result_width);
}

}  // namespace gwatch::analysis
