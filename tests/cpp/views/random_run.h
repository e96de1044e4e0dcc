#pragma once

#include <algorithm>
#include <random>

#include "../report/make_run.h"

namespace gwatch::views::testing {

using report::testing::add_lane;
using report::testing::make_run;
using report::testing::SliceSpec;

inline std::int64_t below(std::mt19937& random, std::uint32_t limit) {
    return static_cast<std::int64_t>(random() % limit);
}

/// Slices inside [begin, end), each inside the one before it or behind it; touching ones and empty
/// ones are among them.
inline void nest(std::mt19937& random, std::int64_t begin, std::int64_t end, std::uint16_t depth,
                 std::vector<SliceSpec>& slices) {
    std::int64_t now = begin;
    while (now < end && depth < 4) {
        const std::int64_t start = now + below(random, 5);
        const std::int64_t stop = std::min<std::int64_t>(start + below(random, 40), end);
        if (start >= end || stop < start) return;
        slices.push_back({start, stop, static_cast<std::uint32_t>(random() % 3), depth});
        if (random() % 2) nest(random, start, stop, static_cast<std::uint16_t>(depth + 1), slices);
        now = stop;
        if (stop == start) ++now;
    }
}

/// Slices that may cross each other, of threads that ran apart.
inline void cross(std::mt19937& random, std::vector<SliceSpec>& slices) {
    std::int64_t now = 0;
    for (int i = 0; i < 30; ++i) {
        now += below(random, 6);
        slices.push_back({now, now + below(random, 25), static_cast<std::uint32_t>(random() % 3),
                          static_cast<std::uint16_t>(random() % 3),
                          static_cast<std::uint32_t>(random() | 1)});
    }
}

/// Blocks of three warps of random slices; the last lane has no exit.
inline trace::Run random_run(std::uint32_t seed, bool is_nested) {
    std::mt19937 random(seed);
    trace::Run run = make_run();
    for (std::uint64_t block = 0; block < 4; ++block) {
        for (std::uint32_t warp = 0; warp < 3; ++warp) {
            std::vector<SliceSpec> slices;
            if (is_nested)
                nest(random, 5, 200, 0, slices);
            else
                cross(random, slices);
            const bool is_last = block == 3 && warp == 2;
            add_lane(run, block, warp, 0, is_last ? trace::kUnknownTime : 260, slices);
        }
    }
    return run;
}

}  // namespace gwatch::views::testing
