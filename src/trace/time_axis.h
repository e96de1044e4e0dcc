#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace gwatch::trace {

/// Where a run stands among the others of its trace.
struct RunPlace {
    std::uint32_t axis = 0;      ///< runs of one axis can be compared in time
    std::int64_t offset_ns = 0;  ///< of the run's 0 from the first run of its axis
};

struct TimeAxes {
    std::vector<RunPlace> runs;      ///< one a run
    std::vector<std::string> notes;  ///< what a reader of the common axis must know
};

/// Puts the runs of each host on one axis, by the timers of its GPUs. Runs of other hosts, and runs
/// that do not tell when they began, get axes of their own.
TimeAxes time_axes(const Trace& trace);

}  // namespace gwatch::trace
