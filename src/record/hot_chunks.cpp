#include "record/hot_chunks.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace gwatch::record {

namespace {

constexpr std::uint32_t kNoRegion = 0xffffffff;

bool is_hot(const ChunkHeader& header, const RawRecords& raw) {
    const std::uint32_t region = header.owner - 1;
    return header.lane == kHotOwner && region < raw.region_slots.size() &&
           raw.region_slots[region] != 0;
}

/// The number of the region, from 1. `named` are the chunks in front of the one that has this
/// owner.
std::uint32_t region_of(std::uint32_t place, const LaunchConstants& constants,
                        std::span<const Unit> named) {
    const std::uint64_t region_bytes = std::uint64_t{constants.region_slots} * sizeof(Slot);
    if (place < region_bytes * constants.region_count)
        return static_cast<std::uint32_t>(place / region_bytes) + 1;
    const std::size_t chunk = std::size_t{place - constants.pool_place} / kChunkBytes * kChunkUnits;
    if (place < constants.pool_place || chunk >= named.size()) return kNoRegion;
    const auto header = std::bit_cast<ChunkHeader>(named[chunk]);
    return header.lane == kHotOwner && header.owner != 0 ? header.owner : kNoRegion;
}

}  // namespace

std::uint32_t used_slots(std::span<const std::uint64_t> slots) {
    std::size_t used = 0;
    while (used < slots.size() && (slots[used] | slots[used + 1]) != 0) used += 2;
    return static_cast<std::uint32_t>(used);
}

void name_regions(const Plan& plan, std::vector<Unit>* pool) {
    for (std::size_t at = 0; at < pool->size(); at += kChunkUnits) {
        auto header = std::bit_cast<ChunkHeader>((*pool)[at]);
        if (header.owner == 0) continue;
        header.owner = region_of(header.owner, plan.constants, std::span(*pool).first(at));
        (*pool)[at] = std::bit_cast<Unit>(header);
    }
}

std::vector<HotChunk> find_hot_chunks(const RawRecords& raw) {
    std::vector<HotChunk> chunks;
    for (std::size_t at = 0; at < raw.pool.size(); at += kChunkUnits) {
        const auto header = std::bit_cast<ChunkHeader>(raw.pool[at]);
        if (!is_hot(header, raw)) continue;
        const auto* const first = reinterpret_cast<const std::uint64_t*>(&raw.pool[at + 1]);
        const std::span<const std::uint64_t> slots(first, kHotChunkSlots);
        chunks.push_back({header.owner - 1, slots.first(used_slots(slots))});
    }
    return chunks;
}

void remove_hot_chunks(RawRecords* raw) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < raw->pool.size(); at += kChunkUnits) {
        if (is_hot(std::bit_cast<ChunkHeader>(raw->pool[at]), *raw)) continue;
        const auto chunk = raw->pool.begin() + static_cast<std::ptrdiff_t>(at);
        std::copy_n(chunk, kChunkUnits, raw->pool.begin() + static_cast<std::ptrdiff_t>(kept));
        kept += kChunkUnits;
    }
    raw->pool.resize(kept);
}

}  // namespace gwatch::record
