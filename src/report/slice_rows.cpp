#include "report/slice_rows.h"

#include <algorithm>

namespace gwatch::report {

namespace {

void add_lane(const trace::Run& run, const trace::Lane& lane, std::size_t count, SliceRows* rows) {
    const std::uint64_t width = std::max<std::uint64_t>(run.launch.grid[0], 1);
    const std::uint64_t height = std::max<std::uint64_t>(run.launch.grid[1], 1);
    const auto add = [&](std::vector<std::uint32_t>& column, std::uint64_t value) {
        column.insert(column.end(), count, static_cast<std::uint32_t>(value));
    };
    rows->block.insert(rows->block.end(), count, lane.block);
    add(rows->block_x, lane.block % width);
    add(rows->block_y, lane.block / width % height);
    add(rows->block_z, lane.block / width / height);
    add(rows->warp, lane.warp);
    add(rows->sm, lane.sm);
    add(rows->cluster_rank, lane.cluster_rank);
}

}  // namespace

SliceRows slice_rows(const trace::Run& run, std::uint64_t first, std::uint64_t end) {
    SliceRows rows;
    for (const trace::Lane& lane : run.lanes) {
        const std::uint64_t begin = std::max(first, lane.first_slice);
        const std::uint64_t stop = std::min(end, lane.end_slice);
        if (begin < stop) add_lane(run, lane, stop - begin, &rows);
    }
    rows.end_ns.reserve(rows.block.size());
    for (std::uint64_t i = first; i < end && i < run.slices.size(); ++i) {
        rows.end_ns.push_back(run.slices.start_ns[i] + run.slices.duration_ns[i]);
    }
    return rows;
}

}  // namespace gwatch::report
