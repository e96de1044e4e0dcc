#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

// How far the long work of this process has come: the work says it, another thread looks at it.
// Two works at once would mix; nothing but what a reader sees depends on it.
namespace gwatch::progress {

namespace detail {
inline std::atomic<std::uint64_t> done{0};
inline std::atomic<std::uint64_t> total{0};
inline std::atomic<std::uint64_t> part{0};
inline std::atomic<std::uint64_t> parts{1};
}  // namespace detail

/// Work of `steps` steps begins. It need not be exact: more steps than said count as all.
inline void begin(std::uint64_t steps) {
    detail::done.store(0, std::memory_order_relaxed);
    detail::total.store(steps, std::memory_order_relaxed);
}

/// Some steps are done.
inline void advance(std::uint64_t steps) {
    detail::done.fetch_add(steps, std::memory_order_relaxed);
}

/// What begins next is part `part` (from 0) of `parts` that take about as long each.
inline void begin_part(std::uint64_t part, std::uint64_t parts) {
    begin(0);
    detail::part.store(part, std::memory_order_relaxed);
    detail::parts.store(std::max<std::uint64_t>(parts, 1), std::memory_order_relaxed);
}

/// From 0 to 1; 0 while the work says nothing.
inline double fraction() {
    const auto all = static_cast<double>(detail::total.load(std::memory_order_relaxed));
    const auto done = static_cast<double>(detail::done.load(std::memory_order_relaxed));
    const double inner = all > 0 ? std::min(done / all, 1.0) : 0.0;
    const auto part = static_cast<double>(detail::part.load(std::memory_order_relaxed));
    const auto parts = static_cast<double>(detail::parts.load(std::memory_order_relaxed));
    return std::min((part + inner) / parts, 1.0);
}

}  // namespace gwatch::progress
