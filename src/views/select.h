#pragma once

#include "report/block_choice.h"
#include "trace/trace.h"

namespace gwatch::views {

/// The run with only those warps that pass the filter; its facts and counts stay those of the whole
/// launch.
trace::Run select_warps(const trace::Run& run, const report::WarpFilter& filter);

}  // namespace gwatch::views
