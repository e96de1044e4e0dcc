#include "instrument/store_schedule.h"

#include <algorithm>

#include "record/layout.h"

namespace gwatch::instrument {

namespace {

constexpr std::size_t kMostHeldSlots = 2;
/// Statements over which a slot may wait for the other of its pair: the registers that hold it lack
/// the kernel.
constexpr std::uint32_t kFarthestPartner = 200;

}  // namespace

void StoreSchedule::apply(std::size_t place, PlannedSite* site) {
    const std::size_t full = full_slots(place);
    const bool holds = full - stored_ <= kMostHeldSlots &&
                       (fence_follows(place) || waits_for_partner(place, full));
    site->first_slot = static_cast<std::uint8_t>(stored_);
    if (!holds) stored_ = full;
    site->end_slot = static_cast<std::uint8_t>(stored_);
}

std::size_t StoreSchedule::slots() const {
    return record::used_series_slots(static_cast<std::uint32_t>(gaps_.size()));
}

/// Slots whose sites have all been passed: slot j holds sites 2j - 1 and 2j.
std::size_t StoreSchedule::full_slots(std::size_t place) const {
    return place + 1 == gaps_.size() ? slots() : 1 + place / 2;
}

std::size_t StoreSchedule::completing_place(std::size_t slot) const {
    return std::min(2 * slot, gaps_.size() - 1);
}

bool StoreSchedule::fence_follows(std::size_t place) const {
    return std::any_of(gaps_.begin() + static_cast<std::ptrdiff_t>(place) + 1, gaps_.end(),
                       [](const SeriesGap& gap) { return gap.fences; });
}

bool StoreSchedule::waits_for_partner(std::size_t place, std::size_t full) const {
    const bool is_first_of_pair = stored_ % 2 == 0 && full == stored_ + 1 && full < slots();
    if (!is_first_of_pair) return false;
    std::uint32_t statements = 0;
    for (std::size_t next = place + 1; next <= completing_place(full); ++next)
        statements += gaps_[next].statements;
    return statements <= kFarthestPartner;
}

}  // namespace gwatch::instrument
