#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "record/layout.h"
#include "trace/warps.h"

namespace gwatch::trace {

/// Slots of a hot record that begins with a slot of this site.
inline std::uint32_t hot_slots(const SiteActions& sites, std::uint32_t site) {
    return sites.is_exit(site) ? record::kExitSlots : record::series_slots(sites.series(site));
}

/// Sites of a series whose clocks stand in these slots, the ones of its record: a warp may have
/// been stopped before it stored them all.
std::uint32_t written_sites(std::span<const std::uint64_t> slots, std::uint32_t sites);

/// The clocks of the sites of one series. A site whose slot is missing (the warp was stopped) is
/// not among them.
struct SeriesClocks {
    std::array<std::uint64_t, record::kMaxSeriesSites> clocks;
    std::uint32_t count;
    bool is_unsure;  ///< a gap of 2^32 cycles or more may stand between other sites of the series
};

/// Reads the record of a series, whose first clock is known in full. `slots` begins with its Slot
/// and may end early.
SeriesClocks read_series(std::span<const std::uint64_t> slots, std::uint32_t first_site,
                         const SiteActions& sites, std::uint64_t first_clock);

/// Whether the record leaves open which side of its last site a pause behind it stands on.
inline bool leaves_pause_open(const SiteActions& sites, std::uint32_t first_site) {
    return sites.series(first_site) % 2 == 1 && sites.series_waits(first_site) != 0;
}

inline constexpr std::uint64_t kLongPause = 1ull << 32;  ///< cycles; two seconds and more

/// Calls visit(site, clock, payload) for each hot record of a warp, a series' sites one after the
/// other; `payload` is nullptr where the site has none. Clocks never descend: `faults` counts those
/// that did, and pauses whose place is not sure. Returns the clock of the last record if it leaves
/// the place of a pause behind it open.
template <class Visit>
std::optional<std::uint64_t> for_each_hot(const WarpRecords& warp, const SiteActions& sites,
                                          Faults* faults, Visit&& visit) {
    const bool has_payloads = sites.has_payloads();
    std::uint64_t last = warp.header.clock;
    bool is_pause_open = false;
    for (std::size_t i = 0; i < warp.slots.size();) {
        const std::uint32_t site = site_of(warp.slots[i]);
        const std::uint64_t clock = unwrap_clock(clock48_of(warp.slots[i]), warp.header.clock);
        if (clock < last) ++faults->clocks_backwards;
        if (is_pause_open && clock >= last + kLongPause) ++faults->unsure_pauses;
        is_pause_open = false;
        last = std::max(clock, last);
        const bool has_payload =
            has_payloads && sites.has_payload(site) && i + 1 < warp.slots.size();
        visit(site, last, has_payload ? &warp.slots[i + 1] : nullptr);
        if (sites.series(site) > 1) {
            const SeriesClocks series = read_series(warp.slots.subspan(i), site, sites, last);
            for (std::uint32_t place = 1; place < series.count; ++place) {
                last = std::max(last, series.clocks[place]);
                visit(site + place, last, nullptr);
            }
            if (series.is_unsure) ++faults->unsure_pauses;
            is_pause_open = leaves_pause_open(sites, site);
        }
        i += hot_slots(sites, site);
    }
    return is_pause_open ? std::optional(last) : std::nullopt;
}

}  // namespace gwatch::trace
