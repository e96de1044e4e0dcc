#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gwatch::source {

/// Unpacks one LZ4 block (no frame) that gives `size` bytes. kSource when it does not.
Result<std::string> unpack_lz4(std::string_view packed, std::uint64_t size);

/// Unpacks one zstd frame that gives `size` bytes. kSource when it does not, or when libzstd.so.1
/// cannot be opened.
Result<std::string> unpack_zstd(std::string_view packed, std::uint64_t size);

}  // namespace gwatch::source
