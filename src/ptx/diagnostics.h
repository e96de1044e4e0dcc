#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace gwatch::ptx {

/// A text and the name its errors call it by.
struct SourceText {
    std::string_view name;
    std::string_view text;
};

/// What stood in the way of parsing, and where.
struct Mismatch {
    std::uint32_t offset;  ///< of the first byte that is wrong; the text's size for its end
    std::string expected;
    std::string got;
    std::string hint = {};
};

/// The Error of a mismatch: `name:line:column: expected X, got Y`, with the source line and a
/// caret.
Error describe(const SourceText& source, const Mismatch& mismatch);

/// Bytes as printable ASCII, long ones cut: `'add.u32'`, `'\xE9'`.
std::string quote(std::string_view bytes);

}  // namespace gwatch::ptx
