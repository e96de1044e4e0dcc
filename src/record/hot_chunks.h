#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/plan.h"

namespace gwatch::record {

/// Slots of records at the front of these: up to the first pair that is zero.
std::uint32_t used_slots(std::span<const std::uint64_t> slots);

/// The records of a chunk with which a region goes on.
struct HotChunk {
    std::uint32_t region;
    std::span<const std::uint64_t> slots;
};

/// Puts the number of its region into the header of each chunk, where the device left a place. One
/// that fits no region becomes 0xffffffff.
void name_regions(const Plan& plan, std::vector<Unit>* pool);

/// Of a pool whose chunks name their regions, by age. Those of a region without an entry are not
/// among them: the decoder tells of them.
std::vector<HotChunk> find_hot_chunks(const RawRecords& raw);

/// Leaves all others in the pool.
void remove_hot_chunks(RawRecords* raw);

}  // namespace gwatch::record
