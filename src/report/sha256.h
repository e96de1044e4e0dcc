#pragma once

#include <string>
#include <string_view>

namespace gwatch::report {

/// The 32 bytes of SHA-256 (FIPS 180-4); the page's policy names its own script and style by it.
std::string sha256(std::string_view bytes);

}  // namespace gwatch::report
