#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

// Bubbles: stretches of a warp's life in no scope.
namespace gwatch::views {

/// Stands for a scope where there is none: the warp's entry or exit.
inline constexpr std::uint32_t kNoScope = ~0u;

struct Bubble {
    std::uint32_t lane;
    std::int64_t start_ns;
    std::int64_t duration_ns;
    std::uint32_t before;  ///< the scope that ended there, the outermost of several; or kNoScope
    std::uint32_t after;   ///< the scope that starts behind it, likewise
};

/// All bubbles between the same two scopes.
struct BubbleKind {
    std::uint32_t before;
    std::uint32_t after;
    std::uint64_t count;
    std::int64_t total_ns;
    std::int64_t longest_ns;
};

struct Bubbles {
    std::vector<Bubble> longest;    ///< longest first
    std::vector<BubbleKind> kinds;  ///< most total first
    std::uint64_t count = 0;
    std::int64_t total_ns = 0;
    std::int64_t lifetime_ns = 0;  ///< of all warps
};

/// The `limit` longest bubbles, and all kinds. With `scopes` only those that begin or end at one of
/// them.
Bubbles find_bubbles(const trace::Run& run, std::size_t limit,
                     const std::vector<std::uint32_t>& scopes = {});

}  // namespace gwatch::views
