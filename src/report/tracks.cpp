#include "report/tracks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/flatten.h"
#include "trace/text.h"

namespace gwatch::report {

namespace {

struct OpenSlice {
    std::int64_t end_ns;
    std::uint32_t mask;
};
using Track = std::vector<OpenSlice>;  ///< what is open on it, outer ones first

/// Whether the track takes a slice; what ended before is taken off it.
bool takes(Track& track, std::int64_t start_ns, const OpenSlice& slice) {
    while (!track.empty() && track.back().end_ns <= start_ns) track.pop_back();
    return track.empty() ||
           (slice.end_ns <= track.back().end_ns && (slice.mask & ~track.back().mask) == 0);
}

void add_lane(const trace::Run& run, std::uint32_t index, Group* group) {
    const trace::Lane& lane = run.lanes[index];
    const std::int64_t end = lane_end_ns(run, lane);
    group->lanes.push_back(index);
    if (group->blocks.empty() || group->blocks.back().block != lane.block) {
        group->blocks.push_back({lane.block, lane.sm, lane.cluster_rank, lane.enter_ns, end, 0});
    }
    BlockSpan& span = group->blocks.back();
    span.begin_ns = std::min(span.begin_ns, lane.enter_ns);
    span.end_ns = std::max(span.end_ns, end);
}

/// Gives each block the first row that is free when it begins.
void lay_out_blocks(Group* group) {
    std::sort(group->blocks.begin(), group->blocks.end(),
              [](const BlockSpan& left, const BlockSpan& right) {
                  return std::tie(left.begin_ns, left.block) <
                         std::tie(right.begin_ns, right.block);
              });
    std::vector<std::int64_t> free_from;
    for (BlockSpan& span : group->blocks) {
        const auto free = std::find_if(free_from.begin(), free_from.end(),
                                       [&](std::int64_t time) { return time <= span.begin_ns; });
        span.row = static_cast<std::uint32_t>(free - free_from.begin());
        if (free == free_from.end()) free_from.emplace_back();
        free_from[span.row] = span.end_ns;
    }
    group->rows = static_cast<std::uint32_t>(free_from.size());
}

}  // namespace

std::vector<Group> group_lanes(const trace::Run& run, GroupBy by) {
    std::map<std::uint64_t, Group> groups;
    for (std::uint32_t index = 0; index < run.lanes.size(); ++index) {
        const trace::Lane& lane = run.lanes[index];
        add_lane(run, index, &groups[by == GroupBy::kBlock ? lane.block : lane.sm]);
    }
    std::vector<Group> result;
    result.reserve(groups.size());
    for (auto& [key, group] : groups) {
        group.name =
            by == GroupBy::kBlock ? block_name(run, key) : std::string("SM ") + std::to_string(key);
        lay_out_blocks(&group);
        result.push_back(std::move(group));
    }
    return result;
}

std::string block_name(const trace::Run& run, std::uint64_t block) {
    const std::array<std::uint32_t, 3>& grid = run.launch.grid;
    const std::uint64_t width = std::max<std::uint64_t>(grid[0], 1);
    const std::uint64_t height = std::max<std::uint64_t>(grid[1], 1);
    return "block " + std::to_string(block) + " (" + std::to_string(block % width) + ", " +
           std::to_string(block / width % height) + ", " + std::to_string(block / width / height) +
           ")";
}

std::string lane_name(const trace::Run& run, const trace::Lane& lane, GroupBy by) {
    const std::string warp = "warp " + std::to_string(lane.warp);
    return by == GroupBy::kBlock ? warp : block_name(run, lane.block) + " " + warp;
}

std::uint32_t lay_out_slices(const trace::Run& run, const trace::Lane& lane,
                             std::vector<std::uint32_t>* tracks) {
    const trace::Slices& slices = run.slices;
    std::vector<Track> open(1);
    tracks->clear();
    for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
        const std::int64_t start = slices.start_ns[i];
        const OpenSlice slice{start + slices.duration_ns[i], slices.mask[i]};
        std::uint32_t number = 0;
        while (number < open.size() && !takes(open[number], start, slice)) ++number;
        if (number == open.size()) open.emplace_back();
        open[number].push_back(slice);
        tracks->push_back(number);
    }
    return static_cast<std::uint32_t>(open.size());
}

std::uint64_t count_slices(const trace::Trace& trace) {
    std::uint64_t count = 0;
    for (const trace::Run& run : trace.runs) count += run.slices.size();
    return count;
}

std::string run_name(const trace::Trace& trace, std::size_t index) {
    const trace::LaunchFacts& launch = trace.runs[index].launch;
    const std::string& kernel =
        launch.kernel_demangled.empty() ? launch.kernel : launch.kernel_demangled;
    return process_prefix(trace, index) + trace::to_utf8(kernel);
}

std::string process_prefix(const trace::Trace& trace, std::size_t index) {
    const std::optional<std::uint32_t>& rank = trace.runs[index].launch.rank;
    std::string prefix;
    if (trace.runs.size() > 1) prefix = "run " + std::to_string(index + 1);
    if (rank) prefix += (prefix.empty() ? "rank " : ", rank ") + std::to_string(*rank);
    return prefix.empty() ? prefix : prefix + ": ";
}

}  // namespace gwatch::report
