#include "views/outliers.h"

#include <algorithm>

#include "trace/statistics.h"
#include "views/longest.h"

namespace gwatch::views {

namespace {

bool is_slower(const SlowSlice& a, const SlowSlice& b) {
    return a.duration_ns != b.duration_ns ? a.duration_ns > b.duration_ns : a.slice < b.slice;
}

using Slowest = FirstOf<SlowSlice, bool (*)(const SlowSlice&, const SlowSlice&)>;

constexpr std::uint32_t kUnseen = ~0u;

}  // namespace

std::vector<ScopeOutliers> find_outliers(const trace::Run& run, std::size_t limit) {
    std::vector<ScopeOutliers> all;
    std::vector<std::uint32_t> entry_of(run.scopes.size(), kUnseen);
    for (const trace::ScopeStatistics& scope : trace::scope_statistics(run)) {
        entry_of[scope.scope] = static_cast<std::uint32_t>(all.size());
        all.push_back(
            {scope.scope, scope.count, scope.p50_ns, scope.p95_ns, scope.total_ns, 0, 0, {}});
    }
    std::vector<Slowest> slowest(all.size(), Slowest(limit, &is_slower));
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
        for (std::uint64_t i = run.lanes[lane].first_slice; i < run.lanes[lane].end_slice; ++i) {
            const std::uint32_t entry = entry_of[run.slices.scope[i]];
            const std::int64_t duration = run.slices.duration_ns[i];
            ScopeOutliers& scope = all[entry];
            if (static_cast<double>(duration) <= kSlowFactor * scope.p50_ns) continue;
            ++scope.slow_count;
            scope.excess_ns += static_cast<double>(duration) - scope.p50_ns;
            slowest[entry].offer({i, lane, run.slices.start_ns[i], duration});
        }
    }
    for (std::size_t entry = 0; entry < all.size(); ++entry)
        all[entry].slowest = slowest[entry].take();
    std::stable_sort(all.begin(), all.end(), [](const ScopeOutliers& a, const ScopeOutliers& b) {
        return a.excess_ns > b.excess_ns;
    });
    return all;
}

}  // namespace gwatch::views
