#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace gwatch::trace {

/// A warning when the SM clock of a run was well below the highest of its device; needs the launch
/// facts. None where the timer was read often enough to follow the
/// clock, or the launch is too short to tell.
std::vector<std::string> clock_warnings(const Run& run);

}  // namespace gwatch::trace
