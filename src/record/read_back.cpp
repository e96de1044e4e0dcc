#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "record/hot_chunks.h"
#include "record/plan.h"

namespace gwatch::record {

namespace {

constexpr std::uint64_t kPoolReadBytes = 64ull << 20;

/// Regions `first`, `first + stride`, ...: one 2-D read.
struct Rows {
    std::uint32_t first;
    std::uint32_t stride;
    std::uint32_t count;
};

/// Splits ascending region numbers into as few evenly spaced rows as a greedy walk finds.
std::vector<Rows> evenly_spaced(const std::vector<std::uint32_t>& regions) {
    std::vector<Rows> all;
    for (std::size_t i = 0; i < regions.size();) {
        Rows rows{regions[i], 1, 1};
        if (i + 1 < regions.size()) rows.stride = regions[i + 1] - regions[i];
        std::size_t next = i + 1;
        while (next < regions.size() && regions[next] - regions[next - 1] == rows.stride) ++next;
        rows.count = static_cast<std::uint32_t>(next - i);
        all.push_back(rows);
        i = next;
    }
    return all;
}

/// The same columns [first_slot, end_slot) of several regions.
struct Round {
    std::uint32_t first_slot;
    std::uint32_t end_slot;
    std::vector<std::uint32_t> regions;
    std::vector<std::uint64_t> slots;

    std::uint32_t width() const { return end_slot - first_slot; }
    const std::uint64_t* row(std::size_t index) const { return slots.data() + index * width(); }
};

Result<void> read_round(const Plan& plan, MemoryReader& memory, Round* round) {
    const std::uint64_t region_bytes = plan.constants.region_slots * sizeof(Slot);
    round->slots.resize(round->regions.size() * round->width());
    std::uint64_t* to = round->slots.data();
    for (const Rows& rows : evenly_spaced(round->regions)) {
        const std::uint64_t offset =
            plan.regions_offset + rows.first * region_bytes + round->first_slot * sizeof(Slot);
        auto done = memory.read(offset, rows.stride * region_bytes, round->width() * sizeof(Slot),
                                rows.count, to);
        if (!done) return done;
        to += std::size_t{rows.count} * round->width();
    }
    return {};
}

/// Slots in use at the front of a row. In a header, zero words are possible, save for its first.
std::uint32_t used_of_row(const Round& round, std::size_t index) {
    const std::span<const std::uint64_t> row(round.row(index), round.width());
    if (round.first_slot != 0) return used_slots(row);
    return row[0] == 0 ? 0 : kHeaderSlots + used_slots(row.subspan(kHeaderSlots));
}

/// Reads ever wider prefixes of the regions that are not at their end yet: each round doubles the
/// width.
Result<std::vector<Round>> read_rounds(const Plan& plan, MemoryReader& memory, RawRecords* raw) {
    std::vector<Round> rounds;
    Round round{0, std::min(kMinRegionSlots, plan.constants.region_slots), {}, {}};
    for (std::uint32_t region = 0; region < plan.constants.region_count; ++region) {
        round.regions.push_back(region);
    }
    while (!round.regions.empty()) {
        auto done = read_round(plan, memory, &round);
        if (!done) return done.error();
        Round wider{
            round.end_slot, std::min(round.end_slot * 2, plan.constants.region_slots), {}, {}};
        for (std::size_t i = 0; i < round.regions.size(); ++i) {
            const std::uint32_t used = used_of_row(round, i);
            raw->region_slots[round.regions[i]] += used;
            if (used == round.width() && wider.width() != 0)
                wider.regions.push_back(round.regions[i]);
        }
        rounds.push_back(std::move(round));
        round = std::move(wider);
    }
    return rounds;
}

/// Where the slots of each region begin, and behind the last.
std::vector<std::uint64_t> starts_of(const std::vector<std::uint32_t>& region_slots) {
    std::vector<std::uint64_t> starts(region_slots.size() + 1, 0);
    std::partial_sum(region_slots.begin(), region_slots.end(), starts.begin() + 1,
                     [](std::uint64_t sum, std::uint64_t slots) { return sum + slots; });
    return starts;
}

/// Puts the rounds' rows together, region after region, each with its chunks behind.
void join_slots(const std::vector<Round>& rounds, const std::vector<HotChunk>& chunks,
                RawRecords* raw) {
    std::vector<std::uint32_t> filled = raw->region_slots;
    for (const HotChunk& chunk : chunks)
        raw->region_slots[chunk.region] += static_cast<std::uint32_t>(chunk.slots.size());
    const std::vector<std::uint64_t> starts = starts_of(raw->region_slots);
    raw->slots.resize(starts.back());
    for (const Round& round : rounds) {
        for (std::size_t i = 0; i < round.regions.size(); ++i) {
            const std::uint32_t region = round.regions[i];
            const std::uint32_t end = std::min(round.end_slot, filled[region]);
            if (end <= round.first_slot) continue;
            std::copy_n(round.row(i), end - round.first_slot,
                        raw->slots.data() + starts[region] + round.first_slot);
        }
    }
    for (const auto& [region, slots] : chunks) {
        std::copy(slots.begin(), slots.end(), raw->slots.data() + starts[region] + filled[region]);
        filled[region] += static_cast<std::uint32_t>(slots.size());
    }
}

Result<void> read_pool(const Plan& plan, MemoryReader& memory, RawRecords* raw) {
    const std::uint64_t chunks =
        std::min<std::uint64_t>(raw->control.chunks_taken, plan.constants.pool_chunks);
    raw->pool.resize(chunks * kChunkUnits);
    auto* to = reinterpret_cast<char*>(raw->pool.data());
    const std::uint64_t bytes = chunks * kChunkBytes;
    for (std::uint64_t at = 0; at < bytes; at += kPoolReadBytes) {
        const std::uint64_t part = std::min(kPoolReadBytes, bytes - at);
        auto done = memory.read(plan.pool_offset + at, part, part, 1, to + at);
        if (!done) return done;
    }
    return {};
}

}  // namespace

Result<RawRecords> read_records(const Plan& plan, const Dim3& grid, const Dim3& block,
                                MemoryReader& memory) {
    RawRecords raw{plan, grid, block, {}, {}, {}, {}};
    raw.region_slots.resize(plan.constants.region_count);
    auto control =
        memory.read(plan.control_offset, sizeof(Control), sizeof(Control), 1, &raw.control);
    if (!control) return control.error();
    auto rounds = read_rounds(plan, memory, &raw);
    if (!rounds) return rounds.error();
    auto pool = read_pool(plan, memory, &raw);
    if (!pool) return pool.error();
    name_regions(plan, &raw.pool);
    join_slots(*rounds, find_hot_chunks(raw), &raw);
    remove_hot_chunks(&raw);
    return raw;
}

}  // namespace gwatch::record
