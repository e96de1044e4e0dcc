#include "trace/hot_records.h"

#include <algorithm>

namespace gwatch::trace {

namespace {

/// The first clock after `before` with this low word.
std::uint64_t next_with_low_word(std::uint64_t before, std::uint32_t low) {
    return before + static_cast<std::uint32_t>(low - static_cast<std::uint32_t>(before));
}

/// The last clock is known in full: what the low words could not tell is a pause before a site
/// that waits for others, or else before the last.
void place_pause(std::uint64_t pause, std::uint32_t first_site, const SiteActions& sites,
                 SeriesClocks* series) {
    std::uint32_t from = series->count - 1;
    std::uint32_t waiting = 0;
    for (std::uint32_t place = series->count - 1; place > 0; --place) {
        if (!sites.waits_before(first_site + place)) continue;
        from = place;
        ++waiting;
    }
    for (std::uint32_t place = from; place < series->count; ++place) series->clocks[place] += pause;
    series->is_unsure = series->count > 2 && waiting != 1;
}

}  // namespace

std::uint32_t written_sites(std::span<const std::uint64_t> slots, std::uint32_t sites) {
    const std::size_t end = std::min<std::size_t>(slots.size(), record::used_series_slots(sites));
    std::size_t slot = 1;
    while (slot < end && slots[slot] != 0) ++slot;
    return std::min(sites, static_cast<std::uint32_t>(2 * slot - 1));
}

SeriesClocks read_series(std::span<const std::uint64_t> slots, std::uint32_t first_site,
                         const SiteActions& sites, std::uint64_t first_clock) {
    SeriesClocks series{{first_clock}, 1, false};
    const std::uint32_t length = sites.series(first_site);
    const std::uint32_t written = written_sites(slots, length);
    for (; series.count < written; ++series.count) {
        const std::uint32_t place = series.count;
        const std::uint64_t slot = slots[(place + 1) / 2];
        const std::uint64_t before = series.clocks[place - 1];
        const auto low = static_cast<std::uint32_t>(place % 2 == 1 ? slot : slot >> 32);
        series.clocks[place] = next_with_low_word(before, low);
        const bool is_whole = place % 2 == 1 && place + 1 == length;
        if (!is_whole) continue;
        const std::uint64_t pause = slot - series.clocks[place];
        ++series.count;
        if (pause != 0 && slot >= before) place_pause(pause, first_site, sites, &series);
        break;
    }
    return series;
}

}  // namespace gwatch::trace
