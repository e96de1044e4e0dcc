#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/control_flow.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// Which sites of an entry control may reach next.
class SiteOrder {
  public:
    SiteOrder(const analysis::ControlFlow& flow, const FunctionPlan& function);

    /// Whether a thread that passes the first site always passes the second next, unless it stops,
    /// and passes the second only that way. Both are indices into FunctionPlan::sites.
    bool always_follows(std::uint32_t first, std::uint32_t second) const;

  private:
    void place_sites(const FunctionPlan& function);
    void find_next();
    void add_first_sites(std::uint32_t block, std::set<std::uint32_t>* found) const;

    const analysis::ControlFlow& flow_;
    std::vector<std::uint32_t> block_of_site_;
    std::vector<std::vector<std::uint32_t>> sites_of_block_;
    std::vector<std::set<std::uint32_t>> next_;      // by site
    std::vector<std::set<std::uint32_t>> previous_;  // by site; kStart for the entry
};

}  // namespace gwatch::instrument
