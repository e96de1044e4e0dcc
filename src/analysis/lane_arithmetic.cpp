#include "analysis/lane_arithmetic.h"

#include <algorithm>
#include <bit>

namespace gwatch::analysis {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

// The known bits of a result win over what may vary.
LaneBits known(std::uint64_t varying, std::uint64_t zeros, std::uint64_t ones) {
    return {varying & ~(zeros | ones), zeros, ones};
}

// Number of bits from bit 0 on that are always 0.
unsigned trailing_zeros(const LaneBits& value) {
    return static_cast<unsigned>(std::countr_one(value.zeros));
}

unsigned trailing_ones(const LaneBits& value) {
    return static_cast<unsigned>(std::countr_one(value.ones));
}

unsigned leading_zeros(const LaneBits& value) {
    return static_cast<unsigned>(std::countl_one(value.zeros));
}

// One past the highest bit that may vary; 0 when none does.
unsigned varying_end(const LaneBits& value) {
    return static_cast<unsigned>(std::bit_width(value.varying));
}

// The lowest bit that may vary; 64 when none does.
unsigned varying_begin(const LaneBits& value) {
    return static_cast<unsigned>(std::countr_zero(value.varying));
}

std::uint64_t from_bit(unsigned bit) {
    return ~low_bits(bit);
}

// Zeros of a result that is below 2^(64 - leading).
std::uint64_t high_zeros(unsigned leading) {
    return from_bit(64 - std::min(leading, 64U));
}

bool is_below_sign(const LaneBits& value) {
    return leading_zeros(value) > 0;
}

// a + b or a - b when the varying bits of a lie below all bits that b may have set: no carry
// depends on the lane, so just these bits vary.
bool parts_stay_apart(const LaneBits& a, const LaneBits& b) {
    return b.is_uniform() && trailing_zeros(b) >= varying_end(a);
}

bool less_alike(const LaneBits& a, const LaneBits& b) {
    if (b.is_uniform()) return trailing_zeros(b) >= varying_end(a);
    return a.is_uniform() && trailing_ones(a) >= varying_end(b);
}

bool ranges_are_apart(const LaneBits& a, const LaneBits& b) {
    return ~a.zeros < b.ones || ~b.zeros < a.ones;
}

}  // namespace

LaneBits opaque(const LaneBits& a, const LaneBits& b) {
    return a.is_uniform() && b.is_uniform() ? kUniformValue : kAnyValue;
}

LaneBits add(const LaneBits& a, const LaneBits& b) {
    if (a.is_constant() && b.is_constant()) return constant(a.ones + b.ones);
    if ((~a.zeros & ~b.zeros) == 0) {  // the same as a | b
        return known(a.varying | b.varying, a.zeros & b.zeros, a.ones | b.ones);
    }
    const unsigned leading = std::min(leading_zeros(a), leading_zeros(b));
    const std::uint64_t zeros = low_bits(std::min(trailing_zeros(a), trailing_zeros(b))) |
                                (leading > 1 ? high_zeros(leading - 1) : 0);
    if (parts_stay_apart(a, b)) return known(a.varying, zeros, 0);
    if (parts_stay_apart(b, a)) return known(b.varying, zeros, 0);
    return known(from_bit(std::min(varying_begin(a), varying_begin(b))), zeros, 0);
}

LaneBits subtract(const LaneBits& a, const LaneBits& b) {
    if (a.is_constant() && b.is_constant()) return constant(a.ones - b.ones);
    const std::uint64_t zeros = low_bits(std::min(trailing_zeros(a), trailing_zeros(b)));
    if (parts_stay_apart(a, b)) return known(a.varying, zeros, 0);
    return known(from_bit(std::min(varying_begin(a), varying_begin(b))), zeros, 0);
}

LaneBits multiply(const LaneBits& a, const LaneBits& b) {
    if (a.is_constant() && std::has_single_bit(a.ones)) {
        return shift_left(b, static_cast<unsigned>(std::countr_zero(a.ones)));
    }
    if (b.is_constant() && std::has_single_bit(b.ones)) return multiply(b, a);
    if (a.is_constant() && b.is_constant()) return constant(a.ones * b.ones);
    const unsigned trailing = std::min(64U, trailing_zeros(a) + trailing_zeros(b));
    const unsigned width = (64 - leading_zeros(a)) + (64 - leading_zeros(b));
    const std::uint64_t zeros = low_bits(trailing) | from_bit(std::min(64U, width));
    const unsigned begin = std::min(varying_begin(a) + trailing_zeros(b),  //
                                    varying_begin(b) + trailing_zeros(a));
    return known(begin < 64 ? from_bit(begin) : 0, zeros, 0);
}

LaneBits divide_unsigned(const LaneBits& a, const LaneBits& b) {
    if (b.is_constant() && std::has_single_bit(b.ones)) {
        return shift_right(a, static_cast<unsigned>(std::countr_zero(b.ones)));
    }
    const std::uint64_t zeros = high_zeros(leading_zeros(a));
    // Lanes differ by less than the divisor's granularity: in the remainder alone.
    if (parts_stay_apart(a, b)) return known(0, zeros, 0);
    return known(kAll, zeros, 0);
}

LaneBits remainder_unsigned(const LaneBits& a, const LaneBits& b) {
    if (b.is_constant() && std::has_single_bit(b.ones)) {
        const std::uint64_t kept = b.ones - 1;
        return known(a.varying & kept, a.zeros | ~kept, a.ones & kept);
    }
    if (parts_stay_apart(a, b)) return known(a.varying, 0, 0);
    return opaque(a, b);
}

LaneBits shift_left(const LaneBits& a, unsigned count) {
    if (count >= 64) return constant(0);
    return {a.varying << count, (a.zeros << count) | low_bits(count), a.ones << count};
}

LaneBits shift_right(const LaneBits& a, unsigned count) {
    if (count >= 64) return constant(0);
    return {a.varying >> count, (a.zeros >> count) | high_zeros(count), a.ones >> count};
}

LaneBits sign_extend(const LaneBits& value, unsigned width) {
    const std::uint64_t low = low_bits(width);
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const auto extend = [&](std::uint64_t bits) {
        return (bits & sign) != 0 ? bits | ~low : bits & low;
    };
    return {extend(value.varying), extend(value.zeros), extend(value.ones)};
}

bool compares_alike(Comparison comparison, bool is_signed, const LaneBits& a, const LaneBits& b) {
    if (a.is_uniform() && b.is_uniform()) return true;
    if (((a.zeros & b.ones) | (a.ones & b.zeros)) != 0 && comparison == Comparison::kEqual) {
        return true;
    }
    const bool same_order = !is_signed || (is_below_sign(a) && is_below_sign(b));
    if (same_order && ranges_are_apart(a, b)) return true;
    // A varying sign bit parts the lanes whatever stands below it.
    if (varying_end(a) == 64 || varying_end(b) == 64) return false;
    switch (comparison) {
        case Comparison::kLess:
        case Comparison::kGreaterEqual:
            return less_alike(a, b);
        case Comparison::kGreater:
        case Comparison::kLessEqual:
            return less_alike(b, a);
        default:
            return false;
    }
}

}  // namespace gwatch::analysis
