#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace gwatch::ptx {

/// Offsets at which the lines of `text` start. A line ends with LF, CR or CRLF.
std::vector<std::uint32_t> find_line_starts(std::string_view text);

/// The position of a byte offset, which may be the end of the text.
Position position_at(const std::vector<std::uint32_t>& line_starts, std::uint32_t offset);

}  // namespace gwatch::ptx
