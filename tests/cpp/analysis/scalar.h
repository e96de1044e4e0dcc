#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gwatch::analysis {

/// What one lane computes: the result of a PTX instruction on the values of its operands, each in
/// the low bits; a predicate is 0 or 1. Knows the opcodes that the tests use.
std::uint64_t compute(std::string_view opcode, const std::vector<std::uint64_t>& operands);

}  // namespace gwatch::analysis
