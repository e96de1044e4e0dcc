#include "analysis/lane_bits.h"

#include <algorithm>
#include <bit>

#include "analysis/lane_arithmetic.h"

namespace gwatch::analysis {
namespace {

// The first operands, each cut to its width and extended to 64 bits by its sign.
struct Extended {
    LaneBits a;
    LaneBits b;
};

LaneBits extend(const LaneBits& value, const Opcode& opcode) {
    const LaneBits cut = truncate(value, opcode.source_width);
    return opcode.is_signed ? sign_extend(cut, opcode.source_width) : cut;
}

LaneBits opaque_of_all(const LaneOperands& operands) {
    bool uniform = true;
    for (std::uint32_t i = 0; i < operands.count; ++i) uniform &= operands.bits[i].is_uniform();
    return uniform ? kUniformValue : kAnyValue;
}

LaneBits bitwise_and(const LaneBits& a, const LaneBits& b) {
    const std::uint64_t zeros = a.zeros | b.zeros;
    return {(a.varying | b.varying) & ~zeros, zeros, a.ones & b.ones};
}

LaneBits bitwise_or(const LaneBits& a, const LaneBits& b) {
    const std::uint64_t ones = a.ones | b.ones;
    return {(a.varying | b.varying) & ~ones, a.zeros & b.zeros, ones};
}

LaneBits bitwise_xor(const LaneBits& a, const LaneBits& b) {
    return {a.varying | b.varying, (a.zeros & b.zeros) | (a.ones & b.ones),
            (a.zeros & b.ones) | (a.ones & b.zeros)};
}

LaneBits bitwise_any(const LaneOperands& operands) {
    LaneBits result = kUniformValue;
    for (std::uint32_t i = 0; i < operands.count; ++i) result.varying |= operands.bits[i].varying;
    return result;
}

// PTX clamps shift counts; a signed right shift leaves copies of the sign.
LaneBits shift(const Opcode& opcode, const LaneBits& a, const LaneBits& count) {
    const bool is_left = opcode.transfer == Transfer::kShiftLeft;
    const LaneBits value = is_left ? truncate(a, opcode.source_width) : extend(a, opcode);
    if (count.is_constant()) {
        if (is_left)
            return shift_left(value,
                              static_cast<unsigned>(std::min<std::uint64_t>(count.ones, 64)));
        const auto bits = static_cast<unsigned>(std::min<std::uint64_t>(count.ones, 63));
        const LaneBits shifted = shift_right(value, bits);
        if (opcode.is_signed) return sign_extend(shifted, 64 - bits);
        return count.ones > 63 ? constant(0) : shifted;
    }
    if (!count.is_uniform() || value.is_uniform()) return opaque(a, count);
    if (is_left) return {~low_bits(static_cast<unsigned>(std::countr_zero(value.varying))), 0, 0};
    return {low_bits(static_cast<unsigned>(std::bit_width(value.varying))), 0, 0};
}

// Division of values whose sign is known to be plus is that of unsigned ones.
LaneBits divide(const Opcode& opcode, const Extended& operands) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    if (opcode.is_signed && (operands.a.zeros & operands.b.zeros & kSign) == 0) {
        return opaque(operands.a, operands.b);
    }
    return opcode.transfer == Transfer::kDivide ? divide_unsigned(operands.a, operands.b)
                                                : remainder_unsigned(operands.a, operands.b);
}

// bfe with a constant position and length.
LaneBits extract(const Opcode& opcode, const LaneOperands& operands) {
    const LaneBits& position = operands.bits[1];
    const LaneBits& length = operands.bits[2];
    if (operands.count != 3 || !position.is_constant() || !length.is_constant()) {
        return opaque_of_all(operands);
    }
    const std::uint64_t begin = position.ones & 0xFF;
    const std::uint64_t count = length.ones & 0xFF;
    const bool sign_is_inside = begin + count <= opcode.source_width;
    if (count == 0 || (opcode.is_signed && !sign_is_inside)) return opaque_of_all(operands);
    const LaneBits field = truncate(
        shift_right(truncate(operands.bits[0], opcode.source_width), static_cast<unsigned>(begin)),
        static_cast<unsigned>(count));
    return opcode.is_signed ? sign_extend(field, static_cast<unsigned>(count)) : field;
}

// A third operand is a predicate to combine with.
LaneBits compare(const Opcode& opcode, const LaneOperands& operands) {
    const LaneBits a = extend(operands.bits[0], opcode);
    const LaneBits b = extend(operands.bits[1], opcode);
    bool uniform = compares_alike(opcode.comparison, opcode.is_signed, a, b);
    for (std::uint32_t i = 2; i < operands.count; ++i) uniform &= operands.bits[i].is_uniform();
    return uniform ? kUniformValue : kAnyValue;
}

LaneBits select(const LaneOperands& operands) {
    const LaneBits& a = operands.bits[0];
    const LaneBits& b = operands.bits[1];
    LaneBits result = meet(a, b);
    if (!operands.bits[2].is_uniform()) result.varying |= ~(result.zeros | result.ones);
    return result;
}

LaneBits of_two(const Opcode& opcode, const LaneOperands& operands) {
    const Extended extended{extend(operands.bits[0], opcode), extend(operands.bits[1], opcode)};
    switch (opcode.transfer) {
        case Transfer::kAnd:
            return bitwise_and(extended.a, extended.b);
        case Transfer::kOr:
            return bitwise_or(extended.a, extended.b);
        case Transfer::kXor:
            return bitwise_xor(extended.a, extended.b);
        case Transfer::kAdd:
            return add(extended.a, extended.b);
        case Transfer::kSubtract:
            return subtract(extended.a, extended.b);
        case Transfer::kMultiply:
            return multiply(extended.a, extended.b);
        case Transfer::kMultiplyAdd:
            return add(multiply(extended.a, extended.b), operands.bits[2]);
        default:
            return divide(opcode, extended);
    }
}

std::uint32_t operands_of(Transfer transfer) {
    switch (transfer) {
        case Transfer::kMove:
        case Transfer::kNot:
        case Transfer::kConvert:
            return 1;
        case Transfer::kMultiplyAdd:
        case Transfer::kExtract:
        case Transfer::kSelect:
            return 3;
        default:
            return 2;
    }
}

LaneBits untruncated(const Opcode& opcode, const LaneOperands& operands) {
    if (opcode.transfer == Transfer::kOpaque) return opaque_of_all(operands);
    if (opcode.transfer == Transfer::kBitwise) return bitwise_any(operands);
    if (operands.count < operands_of(opcode.transfer)) return opaque_of_all(operands);
    switch (opcode.transfer) {
        case Transfer::kMove:
            return operands.bits[0];
        case Transfer::kNot:
            return bitwise_xor(operands.bits[0], constant(~std::uint64_t{0}));
        case Transfer::kConvert:
            return extend(operands.bits[0], opcode);
        case Transfer::kShiftLeft:
        case Transfer::kShiftRight:
            return shift(opcode, operands.bits[0], truncate(operands.bits[1], 32));
        case Transfer::kExtract:
            return extract(opcode, operands);
        case Transfer::kCompare:
            return compare(opcode, operands);
        case Transfer::kSelect:
            return select(operands);
        default:
            return of_two(opcode, operands);
    }
}

}  // namespace

LaneBits meet(const LaneBits& a, const LaneBits& b) {
    return {a.varying | b.varying, a.zeros & b.zeros, a.ones & b.ones};
}

LaneBits truncate(const LaneBits& value, unsigned width) {
    const std::uint64_t low = low_bits(width);
    return {value.varying & low, value.zeros | ~low, value.ones & low};
}

LaneBits transfer(const Opcode& opcode, const LaneOperands& operands) {
    return truncate(untruncated(opcode, operands), opcode.result_width);
}

}  // namespace gwatch::analysis
