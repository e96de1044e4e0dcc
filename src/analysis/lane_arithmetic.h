#pragma once

#include "analysis/lane_bits.h"

namespace gwatch::analysis {

// 64-bit operations on LaneBits. Operands are extended to 64 bits, results are not cut.

/// Any function of the two.
LaneBits opaque(const LaneBits& a, const LaneBits& b);
LaneBits add(const LaneBits& a, const LaneBits& b);
LaneBits subtract(const LaneBits& a, const LaneBits& b);
LaneBits multiply(const LaneBits& a, const LaneBits& b);
LaneBits divide_unsigned(const LaneBits& a, const LaneBits& b);
LaneBits remainder_unsigned(const LaneBits& a, const LaneBits& b);
LaneBits shift_left(const LaneBits& a, unsigned count);
LaneBits shift_right(const LaneBits& a, unsigned count);

/// Bits `width` and up become copies of bit `width` - 1.
LaneBits sign_extend(const LaneBits& value, unsigned width);

/// Whether `a` compares to `b` alike in all lanes. Both are extended from `width` bits.
bool compares_alike(Comparison comparison, bool is_signed, const LaneBits& a, const LaneBits& b);

}  // namespace gwatch::analysis
