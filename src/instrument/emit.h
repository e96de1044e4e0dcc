#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "instrument/plan.h"
#include "instrument/target.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// What the code of an entry's setup and exits depends on.
struct EntryFacts {
    bool has_hot_records = false;       ///< of whole warps, beside those of exits
    bool counts_drops_at_once = false;  ///< and not in a register until a warp leaves
    std::uint32_t longest_record = 2;   ///< in slots
    bool has_parameter = false;         ///< it has the launch constants as a parameter
    bool has_late_header = false;       ///< the header of its warp's region comes behind the setup
};
EntryFacts facts_of(const FunctionPlan& function, const SiteTable& table);

/// Writes the injected PTX, whole lines each. What it writes to is record/layout.h; its names
/// collide with no word of the module; it has no loop, calls nothing, and uses neither barriers of
/// a block nor shared memory.
class Emitter {
  public:
    Emitter(const ptx::Module& module, Capabilities capabilities, const Options& options);

    /// The .const variable that the host fills in.
    std::string declaration() const;
    /// The parameter of an entry that has the same.
    std::string parameter() const;
    /// Goes right behind the opening brace of an entry.
    std::string enter() const;
    /// Finds the warp's region: goes where every thread passes once, before its first record.
    std::string setup(const EntryFacts& facts) const;
    /// Stores the header of the warp's region.
    std::string header() const;
    /// The record of a site, or its part in the record of a series; guard and all. The facts are
    /// those of the site's function.
    std::string record(const PlannedSite& planned, const SiteTable& table,
                       const EntryFacts& facts) const;
    /// What that record jumps to when its warp's region is full behind it: goes behind the last
    /// statement of the entry. Empty where nothing jumps.
    std::string refill(const PlannedSite& planned, const SiteTable& table,
                       const EntryFacts& facts) const;

  private:
    using Parts = std::map<std::string, std::string, std::less<>>;

    /// The holes of a site's code.
    Parts parts_of(const PlannedSite& planned, const SiteTable& table,
                   const EntryFacts& facts) const;
    /// The holes of the code that finds a warp's place.
    Parts place_parts() const;
    std::string fill(std::string_view text, const Parts& parts) const;

    Capabilities capabilities_;
    bool has_flat_blocks_;           ///< threads have no y and z
    std::uint32_t warps_per_block_;  ///< 0: not known, or not every warp is recorded
    std::string prefix_;
};

}  // namespace gwatch::instrument
