#include "instrument/prove.h"

#include <map>
#include <string>

namespace gwatch::instrument {

namespace {

/// Proves the sites of one entry; notes for each other site why not.
void prove_entry(const ptx::Module& module, const analysis::Uniformity& uniformity,
                 const FunctionPlan& function, SiteTable* table,
                 std::map<std::uint16_t, std::string>* reasons) {
    for (const PlannedSite& planned : function.sites) {
        if (planned.guard.empty() && uniformity.proven(planned.statement)) {
            table->sites[planned.number - 1].placement = Placement::kProven;
            continue;
        }
        const auto spoiler = uniformity.spoiler(module, planned.statement);
        (*reasons)[planned.number] = spoiler ? spoiler->reason : "it stands under a guard";
    }
}

}  // namespace

void prove_sites(const ptx::Module& module, const analysis::LaunchShape& shape, Plan* plan) {
    std::map<std::uint16_t, std::string> reasons;
    for (const FunctionPlan& planned : plan->functions) {
        const ptx::Function& function = module.functions()[planned.function];
        if (!function.is_entry) continue;
        prove_entry(module, analysis::analyze(module, function, shape), planned, &plan->table,
                    &reasons);
    }
    for (Marker& marker : plan->markers) {
        if (!marker.in_entry) continue;
        marker.placement = plan->table.sites[marker.site - 1].placement;
        marker.placement_reason =
            marker.placement == Placement::kProven ? std::string() : reasons[marker.site];
    }
}

}  // namespace gwatch::instrument
