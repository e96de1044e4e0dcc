#pragma once

#include <string>
#include <string_view>

namespace gwatch::source {

/// Puts back the comments of markers that nvcc dropped from the PTX in a fat binary. Their
/// declarations, `.reg .b32 gwatch$start$100;`, say the same (gwatch/cuda/trace.hpp writes both).
std::string restore_markers(std::string_view ptx);

}  // namespace gwatch::source
