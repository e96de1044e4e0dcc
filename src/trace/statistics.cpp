#include "trace/statistics.h"

#include <algorithm>
#include <cmath>

namespace gwatch::trace {

namespace {

/// Durations of all slices, grouped by scope.
struct Grouped {
    std::vector<std::uint64_t> starts;  ///< [scope], one more than scopes
    std::vector<std::int64_t> durations;
};

Grouped group_by_scope(const Run& run) {
    Grouped grouped;
    grouped.starts.resize(run.scopes.size() + 1);
    for (const std::uint32_t scope : run.slices.scope) ++grouped.starts[scope + 1];
    for (std::size_t i = 1; i < grouped.starts.size(); ++i)
        grouped.starts[i] += grouped.starts[i - 1];
    grouped.durations.resize(run.slices.size());
    std::vector<std::uint64_t> next = grouped.starts;
    for (std::size_t i = 0; i < run.slices.size(); ++i) {
        grouped.durations[next[run.slices.scope[i]]++] = run.slices.duration_ns[i];
    }
    return grouped;
}

/// Linear between ranks; reorders the values.
double percentile(std::int64_t* first, std::uint64_t count, double fraction) {
    const double rank = fraction * static_cast<double>(count - 1);
    const auto below = static_cast<std::uint64_t>(rank);
    std::nth_element(first, first + below, first + count);
    const auto low = static_cast<double>(first[below]);
    if (below + 1 >= count) return low;
    const auto high = static_cast<double>(*std::min_element(first + below + 1, first + count));
    return low + (rank - static_cast<double>(below)) * (high - low);
}

ScopeStatistics statistics_of(std::uint32_t scope, std::int64_t* first, std::uint64_t count) {
    ScopeStatistics statistics{};
    statistics.scope = scope;
    statistics.count = count;
    const auto [least, most] = std::minmax_element(first, first + count);
    statistics.min_ns = *least;
    statistics.max_ns = *most;
    std::uint64_t total = 0;  // a damaged archive may make it wrap
    for (std::uint64_t i = 0; i < count; ++i) total += static_cast<std::uint64_t>(first[i]);
    statistics.total_ns = static_cast<std::int64_t>(total);
    statistics.mean_ns = static_cast<double>(statistics.total_ns) / static_cast<double>(count);
    statistics.p50_ns = percentile(first, count, 0.50);
    statistics.p95_ns = percentile(first, count, 0.95);
    return statistics;
}

/// [scope]: lanes with at least one slice of it.
std::vector<std::uint32_t> warps_by_scope(const Run& run) {
    std::vector<std::uint32_t> warps(run.scopes.size());
    std::vector<std::uint64_t> last_lane(run.scopes.size(), ~0ull);
    for (std::size_t lane = 0; lane < run.lanes.size(); ++lane) {
        for (std::uint64_t i = run.lanes[lane].first_slice; i < run.lanes[lane].end_slice; ++i) {
            const std::uint32_t scope = run.slices.scope[i];
            if (last_lane[scope] == lane) continue;
            last_lane[scope] = lane;
            ++warps[scope];
        }
    }
    return warps;
}

/// [lane]: time of its last record of any kind, at least its entry.
std::vector<std::int64_t> last_times(const Run& run) {
    std::vector<std::int64_t> last;
    last.reserve(run.lanes.size());
    for (const Lane& lane : run.lanes) {
        std::int64_t time = lane.enter_ns;
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            time = std::max(time, run.slices.start_ns[i] + run.slices.duration_ns[i]);
        }
        last.push_back(time);
    }
    for (const Instants* instants : {&run.marks, &run.orphan_starts, &run.orphan_ends}) {
        for (std::size_t i = 0; i < instants->size(); ++i) {
            std::int64_t& time = last[instants->lane[i]];
            time = std::max(time, instants->time_ns[i]);
        }
    }
    return last;
}

void note_gap(std::int64_t from, std::int64_t to, LaneActivity* activity) {
    if (to - from <= activity->longest_gap_ns) return;
    activity->longest_gap_ns = to - from;
    activity->longest_gap_start_ns = from;
}

LaneActivity activity_of(const Run& run, std::uint32_t index, std::int64_t end_ns) {
    const Lane& lane = run.lanes[index];
    LaneActivity activity{index, end_ns - lane.enter_ns, 0, 0, 0, lane.enter_ns};
    std::int64_t covered_to = lane.enter_ns;
    for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
        const std::int64_t start = run.slices.start_ns[i];
        const std::int64_t end = start + run.slices.duration_ns[i];
        note_gap(covered_to, start, &activity);
        if (end <= covered_to) continue;
        activity.active_ns += end - std::max(start, covered_to);
        covered_to = end;
    }
    note_gap(covered_to, end_ns, &activity);
    activity.gap_ns = activity.lifetime_ns - activity.active_ns;
    return activity;
}

}  // namespace

std::vector<ScopeStatistics> scope_statistics(const Run& run) {
    Grouped grouped = group_by_scope(run);
    const std::vector<std::uint32_t> warps = warps_by_scope(run);
    std::vector<ScopeStatistics> all;
    for (std::uint32_t scope = 0; scope < run.scopes.size(); ++scope) {
        const std::uint64_t count = grouped.starts[scope + 1] - grouped.starts[scope];
        if (count == 0) continue;
        all.push_back(
            statistics_of(scope, grouped.durations.data() + grouped.starts[scope], count));
        all.back().warps = warps[scope];
    }
    return all;
}

std::vector<LaneActivity> lane_activity(const Run& run) {
    const std::vector<std::int64_t> last = last_times(run);
    std::vector<LaneActivity> all;
    all.reserve(run.lanes.size());
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
        // A record of other threads may follow the exit that was recorded.
        const std::int64_t end = std::max(last[lane], run.lanes[lane].exit_ns);
        all.push_back(activity_of(run, lane, end));
    }
    return all;
}

PipelineSummary pipeline_summary(const Run& run, std::size_t most_gap_count) {
    std::vector<LaneActivity> activity = lane_activity(run);
    PipelineSummary summary{};
    summary.warps = activity.size();
    for (const LaneActivity& lane : activity) {
        summary.lifetime_ns += lane.lifetime_ns;
        summary.active_ns += lane.active_ns;
        summary.gap_ns += lane.gap_ns;
    }
    if (summary.lifetime_ns > 0) {
        summary.active_ratio =
            static_cast<double>(summary.active_ns) / static_cast<double>(summary.lifetime_ns);
    }
    const std::size_t kept = std::min(most_gap_count, activity.size());
    std::partial_sort(activity.begin(), activity.begin() + static_cast<std::ptrdiff_t>(kept),
                      activity.end(), [](const LaneActivity& a, const LaneActivity& b) {
                          return a.gap_ns != b.gap_ns ? a.gap_ns > b.gap_ns : a.lane < b.lane;
                      });
    activity.resize(kept);
    summary.most_gap = std::move(activity);
    return summary;
}

}  // namespace gwatch::trace
