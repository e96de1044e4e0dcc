#include "instrument/site_order.h"

namespace gwatch::instrument {

namespace {

constexpr std::uint32_t kStart = ptx::kNone;

}  // namespace

SiteOrder::SiteOrder(const analysis::ControlFlow& flow, const FunctionPlan& function)
    : flow_(flow) {
    place_sites(function);
    find_next();
}

void SiteOrder::place_sites(const FunctionPlan& function) {
    sites_of_block_.resize(flow_.blocks.size());
    for (std::uint32_t site = 0; site < function.sites.size(); ++site) {
        const std::uint32_t block =
            flow_.block_of[function.sites[site].statement - flow_.first_statement];
        block_of_site_.push_back(block);
        sites_of_block_[block].push_back(site);
    }
}

void SiteOrder::find_next() {
    next_.resize(block_of_site_.size());
    previous_.resize(block_of_site_.size());
    std::set<std::uint32_t> first;
    add_first_sites(0, &first);
    for (const std::uint32_t site : first) previous_[site].insert(kStart);
    for (std::uint32_t block = 0; block < sites_of_block_.size(); ++block) {
        const std::vector<std::uint32_t>& sites = sites_of_block_[block];
        if (sites.empty()) continue;
        for (std::size_t i = 0; i + 1 < sites.size(); ++i) next_[sites[i]].insert(sites[i + 1]);
        for (const std::uint32_t successor : flow_.successors_of(flow_.blocks[block])) {
            add_first_sites(successor, &next_[sites.back()]);
        }
    }
    for (std::uint32_t site = 0; site < next_.size(); ++site) {
        for (const std::uint32_t next : next_[site]) previous_[next].insert(site);
    }
}

/// The first sites on all ways from a block's begin. A way that ends at the exit or in a trap has
/// none.
void SiteOrder::add_first_sites(std::uint32_t block, std::set<std::uint32_t>* found) const {
    std::vector<bool> is_seen(flow_.blocks.size(), false);
    std::vector<std::uint32_t> pending{block};
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        if (at >= flow_.blocks.size() || is_seen[at]) continue;
        is_seen[at] = true;
        if (!sites_of_block_[at].empty()) {
            found->insert(sites_of_block_[at].front());
            continue;
        }
        for (const std::uint32_t successor : flow_.successors_of(flow_.blocks[at])) {
            pending.push_back(successor);
        }
    }
}

bool SiteOrder::always_follows(std::uint32_t first, std::uint32_t second) const {
    return next_[first].size() == 1 && *next_[first].begin() == second &&
           previous_[second].size() == 1 && *previous_[second].begin() == first;
}

}  // namespace gwatch::instrument
