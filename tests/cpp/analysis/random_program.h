#pragma once

#include <cstdint>
#include <string>

namespace gwatch::analysis {

/// How a random program flows.
enum class Shape {
    kStructured,  ///< nested conditions, loops, breaks, exits and jump tables
    kTangled      ///< blocks that jump anywhere
};

/// The text of a module with one entry, `k`, that the warp interpreter can run. Its values come
/// from parameters, thread and lane indices, memory and collectives.
std::string make_random_program(Shape shape, std::uint32_t seed);

}  // namespace gwatch::analysis
