#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

// The memory that one traced launch writes, as the injected code and the host both see it.
//
//   control | regions | lane cursors | pool
//
// Hot path: a warp owns one region, a power of two of 8-byte slots. Its first four slots are the
// region header, written once; the others are filled in order. Lane 0 writes all of them. The
// memory is zero before the launch. A record is a whole number of slot pairs, none of them zero, so
// no record has to be flushed at exit: the first pair that is zero ends a region, or its end does.
// A record begins with a Slot, which names its site. Sites that a warp always passes one after the
// other (a series) share a record: behind the Slot of the first one follow the low words of the
// others' clocks, two a slot; where the number of sites is even, the last one's clock has a slot of
// its own and all its 64 bits. A site with a payload is a series of its own: behind its Slot stand
// the 64 bits of the value that lane 0 had, 32-bit ones zero-extended. Another slot that fills up a
// pair is zero.
//
// A region is full when the longest record of the kernel, and the exit behind it, would not fit.
// The record that fills it up takes a chunk of the pool, with one atomic add on
// Control::chunks_taken, and the warp goes on in it as in a region; then in another. Without one it
// drops what follows: lane 0 counts the events in a register, and adds them to Control when it
// exits (a warp that traps adds nothing). The exit of a warp always has room.
//
// Cold path (some lanes only) and device functions: the lowest active lane owns chunks of the pool.
// A chunk is a header unit and 63 record units of 16 bytes, filled in order. A lane remembers where
// it stands in a lane cursor: the offset in bytes of the next free unit of the pool, or any
// multiple of a chunk's bytes when it needs a new one (0 at first). Code in an entry keeps it in a
// register, code in a device function in the lane cursors of the memory.
namespace gwatch::record {

inline constexpr std::uint32_t kLanes = 32;  ///< threads of a warp

/// Warps of a block of so many threads; the last one may have fewer than kLanes.
constexpr std::uint32_t warps_of(std::uint64_t threads) {
    return static_cast<std::uint32_t>((threads + kLanes - 1) / kLanes);
}

/// A hot record. `clock_high` and `clock_low` are the low 48 bits of %clock64.
struct Slot {
    std::uint32_t clock_low;
    std::uint16_t site;  ///< from 1; what happened there stands in the site table
    std::uint16_t clock_high;
};
static_assert(sizeof(Slot) == 8);

/// The record of a warp's exit takes two slots: a Slot, then the 64 bits of %globaltimer.
inline constexpr std::uint32_t kExitSlots = 2;

inline constexpr std::uint32_t kMaxSeriesSites = 8;

/// Slots in use of the record of a series of so many sites.
constexpr std::uint32_t used_series_slots(std::uint32_t sites) {
    return 1 + sites / 2;
}

/// All slots of that record: pairs.
constexpr std::uint32_t series_slots(std::uint32_t sites) {
    return (used_series_slots(sites) + 1) / 2 * 2;
}

/// The first slots of a region, written when the warp finds it. The times are those of the entry.
struct RegionHeader {
    std::uint64_t globaltimer;   ///< ns; 0: the warp never entered
    std::uint64_t clock;         ///< %clock64, read right after
    std::uint64_t block;         ///< linear block id: x + nx * (y + ny * z)
    std::uint32_t sm;            ///< %smid
    std::uint32_t cluster_rank;  ///< %cluster_ctarank; 0 below sm_90
};
static_assert(sizeof(RegionHeader) == 32);
inline constexpr std::uint32_t kHeaderSlots = sizeof(RegionHeader) / sizeof(Slot);
inline constexpr std::uint32_t kMinRegionSlots = 16;  ///< one cache line of 128 bytes

/// The first unit of a chunk.
struct ChunkHeader {
    /// On the device a place in its warp's region, or in a hot chunk of it that is full: bytes from
    /// the first region on. On the host the number of the region, from 1. 0: it is not in use.
    std::uint32_t owner;
    std::uint32_t lane;  ///< lane that owns the chunk, or kHotOwner
    std::uint32_t sm;    ///< %smid
    std::uint32_t reserved;
};

/// The chunk is hot: behind the header stand slots, which go on where the region, or the hot chunk
/// in front of it in the pool, was full.
inline constexpr std::uint32_t kHotOwner = kLanes;

/// A cold record.
struct Unit {
    std::uint32_t clock_low;
    std::uint16_t site;
    std::uint16_t clock_high;
    std::uint32_t mask;  ///< the lanes that passed together
    /// Of an exit the low word of %globaltimer, in ns; of a site with a payload the low word of the
    /// value that the writing lane had; else 0.
    std::uint32_t word;
};
/// The site of a unit that is no record of its own: it stands behind one with a payload of 64 bits,
/// in the next chunk of the lane if need be, with the same clock and mask, and its word is the high
/// one. It is missing when it found no chunk.
inline constexpr std::uint16_t kPayloadHighSite = 0xffff;
static_assert(sizeof(ChunkHeader) == 16 && sizeof(Unit) == 16);
inline constexpr std::uint32_t kChunkUnits = 64;  ///< the header and 63 records
inline constexpr std::uint32_t kChunkBytes = kChunkUnits * sizeof(Unit);
inline constexpr std::uint32_t kHotChunkSlots = (kChunkBytes - sizeof(ChunkHeader)) / sizeof(Slot);

/// Counters that the launch adds to.
struct Control {
    /// Passes the number of chunks by one for each warp that found none for itself; lanes that
    /// found none give their number back.
    std::uint32_t chunks_taken;
    std::uint32_t reserved;
    std::uint64_t dropped_records;  ///< cold ones without a chunk, and hot events without a slot
    std::uint64_t dropped_events;   ///< markers of those records; fused ones count each
    std::uint64_t most_overflow;    ///< hot events that one warp dropped, at most
    std::uint64_t cold_misses;      ///< cold records, or high halves of payloads, without a chunk
    std::uint64_t more_reserved[11];
};
static_assert(sizeof(Control) == 128);

/// What the injected code reads. An entry has it as its last parameter, kParameterName, whose cache
/// the launch fills. Device functions, which see no parameter of a kernel, and entries whose
/// parameters leave no room read the .const variable kConstantsName of the traced module.
struct LaunchConstants {
    std::uint64_t regions;       ///< device address
    std::uint32_t region_slots;  ///< a power of two, at least kMinRegionSlots
    std::uint32_t region_count;
    std::uint32_t block_first;   ///< the first block that is recorded
    std::uint32_t block_stride;  ///< then every block_stride-th one, at least 1
    std::uint64_t reciprocal;    ///< of block_stride: reciprocal_of()
    std::uint32_t block_count;   ///< number of recorded blocks
    std::uint32_t warp_mask;     ///< bit w: warp w of each recorded block is recorded
    std::uint64_t pool;          ///< device address
    std::uint64_t control;       ///< device address
    std::uint64_t lane_cursors;  ///< device address; 0 when no device function has a marker
    std::uint32_t pool_chunks;
    std::uint32_t pool_place;  ///< where the pool begins: bytes from the first region on
};
static_assert(sizeof(LaunchConstants) == 72);

/// The quotient n / divisor of 32-bit numbers, n < 2^32 - 1, is (n + 1) * this >> 64.
constexpr std::uint64_t reciprocal_of(std::uint32_t divisor) {
    return ~0ull / divisor;
}
inline constexpr char kConstantsName[] = "gwatch_launch";
inline constexpr char kParameterName[] = "gwatch_launch_parameter";

/// Where the constants stand among the parameters of a traced entry.
struct ParameterPlace {
    std::uint32_t index;  ///< from 0: the number of the kernel's own
    /// In bytes, among all parameters. 0 with parameters in front: only the driver knows.
    std::uint32_t offset;

    bool is_offset_known() const { return index == 0 || offset != 0; }

    friend bool operator==(const ParameterPlace&, const ParameterPlace&) = default;
};

/// Region of a recorded warp: regions of one block lie side by side, in order of warp.
///     region = (block - block_first) / block_stride * popcount(warp_mask)
///            + popcount(warp_mask & ((1 << warp) - 1))
/// A cursor of the hot path is an offset in bytes into all regions together, that
/// matters in lane 0 alone; the others have the same, so that they branch with it.
/// A region or hot chunk is full when
///     cursor >= limit = its end - the exit's slots - (slots of the longest record - 2)
/// In a warp that is not recorded the limit is out of reach.
inline std::uint32_t warps_per_region_group(std::uint32_t warp_mask) {
    return std::popcount(warp_mask);
}

/// Most bytes of regions, lane cursors and pool together: a cursor of the hot path counts them from
/// the first region on, in 32 bits.
inline constexpr std::uint64_t kReach = 1ull << 32;

}  // namespace gwatch::record
