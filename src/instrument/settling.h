#pragma once

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// Marks the sites of a function so close behind a barrier that a clock read there would not wait
/// for it: a barrier holds a warp some cycles after it was issued (docs/recording.md). Comes after
/// prove_sites().
void find_settling(const analysis::FunctionCode& code, const SiteTable& table,
                   FunctionPlan* function);

}  // namespace gwatch::instrument
