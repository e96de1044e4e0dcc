#include "views/critical.h"

#include <algorithm>

#include "views/lane_shares.h"

namespace gwatch::views {

namespace {

bool takes_longer(const CriticalWarp& a, const CriticalWarp& b) {
    return a.block_ns != b.block_ns ? a.block_ns > b.block_ns : a.block < b.block;
}

/// The block whose lanes are [first, end).
CriticalWarp critical_warp(const trace::Run& run, const LaneShares& shares, std::uint32_t first,
                           std::uint32_t end) {
    CriticalWarp warp{run.lanes[first].block, 0, first, TimeShares()};
    std::int64_t enter = run.lanes[first].enter_ns;
    std::int64_t exit = enter;
    for (std::uint32_t lane = first; lane < end; ++lane) {
        if (shares.lifetime_ns(lane) > shares.lifetime_ns(warp.lane)) warp.lane = lane;
        enter = std::min(enter, run.lanes[lane].enter_ns);
        exit = std::max(exit, run.lanes[lane].enter_ns + shares.lifetime_ns(lane));
    }
    warp.block_ns = exit - enter;
    return warp;
}

void count_leader(const TimeShares& time, CriticalPaths& paths) {
    const auto most = std::max_element(time.self_ns.begin(), time.self_ns.end());
    if (most == time.self_ns.end() || *most <= time.gap_ns)
        ++paths.led_by_no_scope;
    else
        ++paths.led_blocks[static_cast<std::size_t>(most - time.self_ns.begin())];
}

}  // namespace

CriticalPaths critical_paths(const trace::Run& run, std::size_t limit) {
    CriticalPaths paths;
    paths.time = TimeShares(run.scopes.size());
    paths.led_blocks.assign(run.scopes.size(), 0);
    LaneShares shares(run);
    TimeShares of_warp;
    for (std::uint32_t first = 0, end = 0; first < run.lanes.size(); first = end) {
        while (end < run.lanes.size() && run.lanes[end].block == run.lanes[first].block) ++end;
        const CriticalWarp warp = critical_warp(run, shares, first, end);
        of_warp = TimeShares(run.scopes.size());
        shares.add(warp.lane, of_warp);
        paths.time.add(of_warp);
        count_leader(of_warp, paths);
        ++paths.blocks;
        paths.slowest.push_back(warp);
    }
    const std::size_t kept = std::min(limit, paths.slowest.size());
    std::partial_sort(paths.slowest.begin(),
                      paths.slowest.begin() + static_cast<std::ptrdiff_t>(kept),
                      paths.slowest.end(), takes_longer);
    paths.slowest.resize(kept);
    for (CriticalWarp& warp : paths.slowest) {
        warp.time = TimeShares(run.scopes.size());
        shares.add(warp.lane, warp.time);
    }
    return paths;
}

}  // namespace gwatch::views
