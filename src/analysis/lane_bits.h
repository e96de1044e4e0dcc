#pragma once

#include <cstdint>
#include <initializer_list>

#include "analysis/opcodes.h"

namespace gwatch::analysis {

/// What is known of a register's value, bit by bit, over all lanes of a warp and, for zeros and
/// ones, over all moments. A value narrower than 64 bits has zeros above. A predicate is bit 0.
struct LaneBits {
    std::uint64_t varying;  ///< may differ between lanes
    std::uint64_t zeros;    ///< always 0
    std::uint64_t ones;     ///< always 1

    bool operator==(const LaneBits&) const = default;

    bool is_uniform() const { return varying == 0; }
    bool is_constant() const { return (zeros | ones) == ~std::uint64_t{0}; }
    /// Whether no execution that sets the value has been seen yet.
    bool is_unset() const { return (zeros & ones) != 0; }
};

/// Nothing yet; the neutral element of meet().
inline constexpr LaneBits kUnset{0, ~std::uint64_t{0}, ~std::uint64_t{0}};
/// Anything, the same in all lanes.
inline constexpr LaneBits kUniformValue{0, 0, 0};
/// Anything.
inline constexpr LaneBits kAnyValue{~std::uint64_t{0}, 0, 0};

constexpr LaneBits constant(std::uint64_t value) {
    return {0, ~value, value};
}

/// All ones below bit `width`.
constexpr std::uint64_t low_bits(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// What holds of both.
LaneBits meet(const LaneBits& a, const LaneBits& b);

/// The low `width` bits, zeros above.
LaneBits truncate(const LaneBits& value, unsigned width);

/// The operands of one instruction, up to four.
struct LaneOperands {
    LaneBits bits[4];
    std::uint32_t count;
};

/// The result of a kValue instruction.
LaneBits transfer(const Opcode& opcode, const LaneOperands& operands);

}  // namespace gwatch::analysis
