#pragma once

#include <cstdint>
#include <string_view>

namespace gwatch::ptx {

/// How far a directive reaches.
enum class Extent : std::uint8_t {
    kSemicolon,      ///< up to its ';'
    kOneOperand,     ///< one number: .version 9.0
    kOperandList,    ///< words with commas between: .target sm_90a, debug
    kDebugPosition,  ///< numbers, strings and attributes with commas between: .file, .loc
    kBlock,          ///< a name and a { } block: .section
    kLinkage,        ///< said of the function or variable that follows
    kFunction,       ///< up to the '{' of a body or the ';' of a prototype
    kPragma          ///< up to its ';', also within the header of a function
};

/// The extent of a directive by its first word, with its dot.
Extent extent_of(std::string_view directive);

}  // namespace gwatch::ptx
