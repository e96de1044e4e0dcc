#pragma once

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// Marks the sites of a function so close behind a barrier that a clock read there would not wait
/// for it: a barrier holds a warp some cycles after it was issued (docs/recording.md).
void find_settling(const analysis::FunctionCode& code, FunctionPlan* function);

}  // namespace gwatch::instrument
