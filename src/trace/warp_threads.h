#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace gwatch::trace {

/// Bit t: the warp has a thread t. The last warp of a block may have fewer than 32; 0 for a warp
/// behind it.
inline std::uint32_t warp_threads(const std::array<std::uint32_t, 3>& block, std::uint32_t warp) {
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (threads == 0) return 0xffffffff;
    const std::uint64_t first = std::uint64_t{warp} * 32;
    if (threads <= first) return 0;
    const std::uint64_t count = threads - first;
    return count >= 32 ? 0xffffffffu : (1u << count) - 1;
}

}  // namespace gwatch::trace
