#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/layout.h"

namespace gwatch::record {

// Records as bytes that compress well: clocks and timers as differences from the record before,
// then the first bytes of all records, all second bytes, and so on. Every value comes back as it
// was, whatever it is.

std::string to_planes(const std::vector<std::uint32_t>& words);
std::string to_planes(const std::vector<std::uint64_t>& slots);
std::string to_planes(const std::vector<Unit>& units);

// `bytes` holds whole elements.
std::vector<std::uint32_t> words_from_planes(std::string_view bytes);
std::vector<std::uint64_t> slots_from_planes(std::string_view bytes);
std::vector<Unit> units_from_planes(std::string_view bytes);

}  // namespace gwatch::record
