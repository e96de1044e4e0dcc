#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gwatch::trace {

/// The text itself when it is valid UTF-8; else every byte that belongs to no valid character is
/// taken as Latin-1.
std::string to_utf8(std::string_view text);

/// A count as people write it: 12,345.
std::string with_commas(std::uint64_t value);

/// "1 warp", "2,000 warps".
std::string count_of(std::uint64_t value, std::string_view noun);

}  // namespace gwatch::trace
