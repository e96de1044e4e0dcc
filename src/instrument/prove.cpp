#include "instrument/prove.h"

#include <algorithm>
#include <map>
#include <string>

#include "instrument/exits.h"
#include "instrument/reach.h"

namespace gwatch::instrument {

namespace {

/// Whether a thread may end in a device function. Lane 0 could not report there what its warp's
/// region dropped: a function shares no register with its kernel.
bool may_end_in_a_function(const ptx::Module& module, std::uint32_t entry) {
    const auto reached = reachable_functions(module, {entry});
    return std::any_of(reached.begin(), reached.end(), [&](std::uint32_t index) {
        const ptx::Function& function = module.functions()[index];
        return !function.is_entry && !find_exits(module, function).empty();
    });
}

/// Says of each site of an entry why none is proven.
void refuse_entry(const FunctionPlan& function, std::map<std::uint16_t, std::string>* reasons) {
    for (const PlannedSite& planned : function.sites) {
        (*reasons)[planned.number] = "a device function that the kernel may call ends threads";
    }
}

/// Proves the sites of one entry; notes for each other site why not.
void prove_entry(const ptx::Module& module, const analysis::Uniformity& uniformity,
                 const FunctionPlan& function, SiteTable* table,
                 std::map<std::uint16_t, std::string>* reasons) {
    for (const PlannedSite& planned : function.sites) {
        if (planned.guard.empty() && uniformity.proven(planned.statement)) {
            table->sites[planned.number - 1].placement = Placement::kProven;
            continue;
        }
        if (uniformity.for_selected_lanes(planned.statement)) {
            table->sites[planned.number - 1].placement = Placement::kParted;
        }
        const auto spoiler = uniformity.spoiler(module, planned.statement);
        (*reasons)[planned.number] = spoiler ? spoiler->reason : "it stands under a guard";
    }
}

}  // namespace

void prove_sites(const analysis::FunctionCode& entry, const FunctionPlan& function, Plan* plan) {
    if (function.sites.empty()) return;
    std::map<std::uint16_t, std::string> reasons;
    if (may_end_in_a_function(entry.module, function.function)) {
        refuse_entry(function, &reasons);
    } else {
        prove_entry(entry.module, analysis::analyze(entry), function, &plan->table, &reasons);
    }
    // Markers stand in the order of their sites, and a function's sites one behind the other.
    auto marker =
        std::lower_bound(plan->markers.begin(), plan->markers.end(), function.sites.front().number,
                         [](const Marker& a, std::uint16_t site) { return a.site < site; });
    for (; marker != plan->markers.end() && marker->site <= function.sites.back().number;
         ++marker) {
        marker->placement = plan->table.sites[marker->site - 1].placement;
        marker->placement_reason = reasons[marker->site];
    }
}

}  // namespace gwatch::instrument
