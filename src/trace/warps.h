#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "record/plan.h"
#include "trace/site_actions.h"

namespace gwatch::trace {

/// The chunk of the pool that a lane of a warp filled, as far as it got.
struct ColdRun {
    std::uint32_t lane;
    std::span<const record::Unit> units;
};

/// Faults of the records that are counted and told, and do not stop the decoder.
struct Faults {
    std::uint64_t broken_chunks =
        0;  ///< header names no region, no lane, or a warp that never entered
    std::uint64_t stray_masks = 0;       ///< cold records of threads that the warp does not have
    std::uint64_t clocks_backwards = 0;  ///< records whose clock is before the one ahead of them
    std::uint64_t unsure_pauses =
        0;  ///< of seconds, where a series does not tell before which site
    std::uint64_t lost_payloads = 0;     ///< of 64 bits, without their high half
    std::uint64_t headless_regions = 0;  ///< regions with records but without an entry
};

/// What a warp wrote: everything the raw records hold about it.
struct WarpRecords {
    record::RegionHeader header;
    std::uint32_t region;
    std::uint32_t warp;                    ///< linear thread id / 32
    std::uint32_t threads;                 ///< mask of the threads it has
    std::span<const std::uint64_t> slots;  ///< behind the header
    std::uint32_t first_cold_run;          ///< into RawWarps::cold_runs
    std::uint32_t cold_run_count;
    bool ends_with_exit;  ///< the last two slots are the record of a hot exit
};

/// A record of the clock and the device's timer.
struct TimerReading {
    std::uint32_t warp;  ///< index into RawWarps::warps
    std::uint64_t clock48;
    std::uint64_t timer;
};

/// The raw records, sorted by warp and checked: every site is in the table, every index in range.
struct RawWarps {
    std::vector<WarpRecords> warps;              ///< those that entered, in order of region
    std::vector<ColdRun> cold_runs;              ///< of a warp side by side: by lane, then by age
    std::vector<TimerReading> readings;          ///< on the way of warps
    std::vector<std::uint64_t> records_of_site;  ///< [site - 1]
    std::uint64_t records = 0;
    Faults faults;

    std::span<const ColdRun> cold_of(const WarpRecords& warp) const {
        return {cold_runs.data() + warp.first_cold_run, warp.cold_run_count};
    }
};

/// kArchive when the parts contradict each other or the site table. The result points into `raw`.
Result<RawWarps> sort_by_warp(const record::RawRecords& raw, const SiteActions& sites);

inline std::uint32_t site_of(std::uint64_t slot) {
    return (slot >> 32) & 0xffff;
}

/// The 48 bits of the clock in a slot.
inline std::uint64_t clock48_of(std::uint64_t slot) {
    return (slot >> 48 << 32) | (slot & 0xffffffff);
}
inline std::uint64_t clock48_of(const record::Unit& unit) {
    return std::uint64_t{unit.clock_high} << 32 | unit.clock_low;
}

/// The full clock of a record of a warp that entered at `entry`: the first at or after it with
/// these 48 bits. 0 (before any entry) when that would be more than 2^47 cycles on, which means
/// that the clock went backwards.
inline std::uint64_t unwrap_clock(std::uint64_t clock48, std::uint64_t entry) {
    const std::uint64_t ahead = (clock48 - entry) & ((1ull << 48) - 1);
    return ahead >> 47 == 0 ? entry + ahead : 0;
}

}  // namespace gwatch::trace
