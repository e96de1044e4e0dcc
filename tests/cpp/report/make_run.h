#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace gwatch::report::testing {

/// A slice as the tests write it down.
struct SliceSpec {
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::uint32_t scope;
    std::uint16_t depth = 0;
    std::uint32_t mask = 0xffffffff;
};

/// A run with the scopes "load", "dot" and "store" and no lanes.
inline trace::Run make_run() {
    trace::Run run;
    run.scopes = {
        {"load", 100, "kernel.py", 12}, {"dot", 101, "kernel.py", 20}, {"store", -1, "", 0}};
    run.launch.grid = {1, 1, 1};
    run.launch.block = {32, 1, 1};
    return run;
}

/// Appends a warp; slices in order of start, an outer one before an inner one.
inline void add_lane(trace::Run& run, std::uint64_t block, std::uint32_t warp,
                     std::int64_t enter_ns, std::int64_t exit_ns,
                     const std::vector<SliceSpec>& slices) {
    trace::Lane lane{};
    lane.block = block;
    lane.warp = warp;
    lane.enter_ns = enter_ns;
    lane.exit_ns = exit_ns;
    lane.first_slice = run.slices.size();
    for (const SliceSpec& slice : slices) {
        run.slices.start_ns.push_back(slice.start_ns);
        run.slices.duration_ns.push_back(slice.end_ns - slice.start_ns);
        run.slices.scope.push_back(slice.scope);
        run.slices.depth.push_back(slice.depth);
        run.slices.mask.push_back(slice.mask);
    }
    lane.end_slice = run.slices.size();
    run.lanes.push_back(lane);
}

}  // namespace gwatch::report::testing
