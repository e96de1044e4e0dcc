#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrument/plan.h"

namespace gwatch::instrument {

/// What stands between a site of a series and the one before it.
struct SeriesGap {
    std::uint32_t statements = 0;  ///< of the text
    bool waits = false;            ///< the warp may stay there for any time
    bool fences = false;           ///< something waits there for earlier stores
};

/// Decides at which sites of a series the slots of its record are stored. A pair of slots goes in
/// one store, if its first slot need not be held in registers for long. None is stored in front of
/// a fence, which would wait for it, as long as few registers hold them.
class StoreSchedule {
  public:
    /// One gap a site; the first site's is not used.
    explicit StoreSchedule(const std::vector<SeriesGap>& gaps) : gaps_(gaps) {}

    /// To be called for one site after the other.
    void apply(std::size_t place, PlannedSite* site);

  private:
    std::size_t slots() const;
    std::size_t full_slots(std::size_t place) const;
    std::size_t completing_place(std::size_t slot) const;
    bool fence_follows(std::size_t place) const;
    bool waits_for_partner(std::size_t place, std::size_t full) const;

    const std::vector<SeriesGap>& gaps_;
    std::size_t stored_ = 0;
};

}  // namespace gwatch::instrument
