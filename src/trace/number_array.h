#pragma once

#include <cstdint>
#include <vector>

namespace gwatch::trace {

/// Appends the first elements of a JSON array to a column, as far as they are whole numbers that
/// fit: of 64 bits, or of 64 bits without a sign when `is_unsigned`. The text goes on at `at`,
/// behind the array's bracket. Returns where a parser has to go on: at the closing bracket, or at
/// an element that was not taken; the array that is left there is as right or wrong as the whole.
const char* take_whole_numbers(const char* at, const char* end, bool is_unsigned,
                               std::vector<std::int64_t>* column);

}  // namespace gwatch::trace
