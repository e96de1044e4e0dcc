#include "views/sampling_units.h"

#include <algorithm>

#include "trace/statistics.h"

namespace gwatch::views {

namespace {

constexpr std::uint64_t kStretchesOfWarp = 16;

std::size_t unit_count(const trace::Run& run, SamplingUnit unit) {
    if (unit == SamplingUnit::kWarps) return run.lanes.size();
    if (unit == SamplingUnit::kStretches) {
        std::uint64_t stretches = 0;
        for (const trace::Lane& lane : run.lanes)
            stretches += std::min(lane.end_slice - lane.first_slice, kStretchesOfWarp);
        return stretches;
    }
    std::size_t blocks = 0;
    for (std::size_t lane = 0; lane < run.lanes.size(); ++lane)
        if (lane == 0 || run.lanes[lane].block != run.lanes[lane - 1].block) ++blocks;
    return blocks;
}

/// Hands out units in the order of the lanes; every kMostGroups-th falls into the same group.
class GroupMaker {
  public:
    GroupMaker(const trace::Run& run, SamplingUnit unit) : run_(run), unit_(unit) {
        made_.groups = std::min(unit_count(run, unit), kMostGroups);
        made_.group_of_slice.resize(run.slices.size());
        for (std::vector<double>* row : {&made_.warps, &made_.lifetime_ns, &made_.gap_ns})
            row->assign(made_.groups, 0);
    }

    void add(const trace::LaneActivity& life) {
        const trace::Lane& lane = run_.lanes[life.lane];
        if (unit_ == SamplingUnit::kStretches) {
            add_stretches(lane, life);
            return;
        }
        const bool is_new = unit_ == SamplingUnit::kWarps || life.lane == 0 ||
                            run_.lanes[life.lane - 1].block != lane.block;
        if (is_new) ++units_;
        const auto group = static_cast<std::uint32_t>((units_ - 1) % made_.groups);
        add_time(group, life, 1);
        for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice)
            made_.group_of_slice[slice] = group;
    }

    SamplingGroups take() { return std::move(made_); }

  private:
    void add_stretches(const trace::Lane& lane, const trace::LaneActivity& life) {
        const std::uint64_t slices = lane.end_slice - lane.first_slice;
        const std::uint64_t stretches = std::min(slices, kStretchesOfWarp);
        for (std::uint64_t stretch = 0; stretch < stretches; ++stretch) {
            const auto group = static_cast<std::uint32_t>(units_++ % made_.groups);
            add_time(group, life, 1.0 / static_cast<double>(stretches));
            const std::uint64_t first = lane.first_slice + slices * stretch / stretches;
            const std::uint64_t end = lane.first_slice + slices * (stretch + 1) / stretches;
            for (std::uint64_t slice = first; slice < end; ++slice)
                made_.group_of_slice[slice] = group;
        }
    }

    void add_time(std::uint32_t group, const trace::LaneActivity& life, double part) {
        made_.warps[group] += part;
        made_.lifetime_ns[group] += part * static_cast<double>(life.lifetime_ns);
        made_.gap_ns[group] += part * static_cast<double>(life.gap_ns);
    }

    const trace::Run& run_;
    SamplingUnit unit_;
    std::size_t units_ = 0;
    SamplingGroups made_;
};

}  // namespace

std::string_view name_of(SamplingUnit unit) {
    switch (unit) {
        case SamplingUnit::kBlocks:
            return "blocks";
        case SamplingUnit::kWarps:
            return "warps";
        case SamplingUnit::kStretches:
            return "stretches";
        case SamplingUnit::kNone:
            break;
    }
    return "";
}

SamplingUnit common_unit(const trace::Run& before, const trace::Run& after) {
    for (const SamplingUnit unit :
         {SamplingUnit::kBlocks, SamplingUnit::kWarps, SamplingUnit::kStretches}) {
        if (std::min(unit_count(before, unit), unit_count(after, unit)) >= kFewestUnits)
            return unit;
    }
    return SamplingUnit::kNone;
}

SamplingGroups sampling_groups(const trace::Run& run, SamplingUnit unit) {
    if (unit == SamplingUnit::kNone) return {};
    GroupMaker maker(run, unit);
    for (const trace::LaneActivity& life : trace::lane_activity(run)) maker.add(life);
    return maker.take();
}

}  // namespace gwatch::views
