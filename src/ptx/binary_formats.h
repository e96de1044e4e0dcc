#pragma once

#include <cstddef>
#include <string_view>

namespace gwatch::ptx {

/// A format that is no PTX text, and what a person can do about it.
struct BinaryFormat {
    std::string_view magic;  ///< the bytes it begins with
    std::string_view name;   ///< "a fatbin"
    std::string_view hint;
};

/// The binary format that the bytes begin with, or nullptr.
const BinaryFormat* recognise_binary(std::string_view bytes);

/// Bytes of the `//` lines that a text begins with.
std::size_t size_of_leading_comments(std::string_view text);

}  // namespace gwatch::ptx
