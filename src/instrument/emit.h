#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "instrument/plan.h"
#include "instrument/target.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// Whether a full region of an entry drops records, which its exits then report.
struct Overflow {
    bool possible = false;   ///< some marker is proven
    bool has_extra = false;  ///< some proven site has more than one marker
};
Overflow overflow_of(const FunctionPlan& function, const SiteTable& table);

/// Writes the injected PTX, whole lines each. What it writes to is record/layout.h; its names
/// collide with no word of the module; it branches only forward, calls nothing, and uses neither
/// barriers nor shared memory.
class Emitter {
  public:
    Emitter(const ptx::Module& module, Capabilities capabilities);

    /// The .const variable that the host fills in.
    std::string declaration() const;
    /// Goes right behind the opening brace of an entry.
    std::string prologue(const Overflow& overflow) const;
    /// The record of a site, guard and all. The overflow is that of the site's function.
    std::string record(const PlannedSite& planned, const Site& site,
                       const Overflow& overflow) const;

  private:
    using Parts = std::map<std::string, std::string, std::less<>>;

    std::string fill(std::string_view text, const Parts& parts) const;

    Capabilities capabilities_;
    std::string prefix_;
};

}  // namespace gwatch::instrument
