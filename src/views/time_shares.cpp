#include "views/time_shares.h"

#include <algorithm>
#include <map>

#include "views/lane_shares.h"

namespace gwatch::views {

namespace {

/// Which scopes a lane ran, a bit each.
using ScopeSet = std::vector<std::uint64_t>;

struct Gathered {
    WarpGroup group;
    std::vector<bool> has_warp;  ///< [place in the block]
};

void fill_scopes(const trace::Run& run, const trace::Lane& lane, ScopeSet& set) {
    std::fill(set.begin(), set.end(), 0);
    for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice) {
        const std::uint32_t scope = run.slices.scope[slice];
        set[scope / 64] |= std::uint64_t{1} << (scope % 64);
    }
}

std::vector<std::uint32_t> listed(const ScopeSet& set, std::size_t scopes) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t scope = 0; scope < scopes; ++scope)
        if (set[scope / 64] >> (scope % 64) & 1) list.push_back(scope);
    return list;
}

std::map<ScopeSet, Gathered> gather(const trace::Run& run) {
    std::map<ScopeSet, Gathered> groups;
    LaneShares shares(run);
    ScopeSet set((run.scopes.size() + 63) / 64);
    for (std::uint32_t index = 0; index < run.lanes.size(); ++index) {
        const trace::Lane& lane = run.lanes[index];
        fill_scopes(run, lane, set);
        Gathered& gathered = groups[set];
        if (gathered.group.count++ == 0) gathered.group.time = TimeShares(run.scopes.size());
        shares.add(index, gathered.group.time);
        if (gathered.has_warp.size() <= lane.warp) gathered.has_warp.resize(lane.warp + 1);
        gathered.has_warp[lane.warp] = true;
    }
    return groups;
}

std::vector<std::uint32_t> places(const std::vector<bool>& has_warp) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t warp = 0; warp < has_warp.size(); ++warp)
        if (has_warp[warp]) list.push_back(warp);
    return list;
}

void join_rest(std::vector<WarpGroup>& groups, std::size_t kept) {
    WarpGroup& rest = groups[kept];
    rest.is_rest = true;
    rest.scopes.clear();
    for (std::size_t i = kept + 1; i < groups.size(); ++i) {
        rest.count += groups[i].count;
        rest.time.add(groups[i].time);
        std::vector<std::uint32_t> both;
        std::set_union(rest.warps.begin(), rest.warps.end(), groups[i].warps.begin(),
                       groups[i].warps.end(), std::back_inserter(both));
        rest.warps = std::move(both);
    }
    groups.resize(kept + 1);
}

}  // namespace

void TimeShares::add(const TimeShares& other) {
    lifetime_ns += other.lifetime_ns;
    gap_ns += other.gap_ns;
    for (std::size_t scope = 0; scope < self_ns.size(); ++scope)
        self_ns[scope] += other.self_ns[scope];
}

std::vector<WarpGroup> warp_groups(const trace::Run& run, std::size_t limit) {
    std::vector<WarpGroup> groups;
    for (auto& [set, gathered] : gather(run)) {
        gathered.group.scopes = listed(set, run.scopes.size());
        gathered.group.warps = places(gathered.has_warp);
        groups.push_back(std::move(gathered.group));
    }
    std::stable_sort(groups.begin(), groups.end(), [](const WarpGroup& a, const WarpGroup& b) {
        return a.time.lifetime_ns > b.time.lifetime_ns;
    });
    if (limit > 0 && groups.size() > limit) join_rest(groups, limit - 1);
    return groups;
}

TimeShares time_shares(const trace::Run& run) {
    TimeShares total(run.scopes.size());
    LaneShares shares(run);
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) shares.add(lane, total);
    return total;
}

}  // namespace gwatch::views
