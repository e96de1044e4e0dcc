#pragma once

#include <optional>
#include <string_view>

#include "analysis/lane_bits.h"
#include "analysis/uniformity.h"
#include "ptx/module.h"

namespace gwatch::analysis {

/// The launch shape, with what .reqntid of the entry says where the shape is unknown.
LaunchShape complete_shape(const ptx::Module& module, const ptx::Function& entry,
                           const LaunchShape& shape);

/// What the lanes of a warp read from this word, which is no declared register: a special register,
/// the name of a variable, or a number.
LaneBits read_word(std::string_view word, const LaunchShape& shape);

/// The value of an integer literal, with its sign.
std::optional<std::uint64_t> parse_integer(std::string_view text);

}  // namespace gwatch::analysis
