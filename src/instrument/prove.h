#pragma once

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// Gives the sites of an entry that all lanes of a warp provably pass equally often the placement
/// kProven, those that only chosen lanes pass kParted, and their markers the reason why they are
/// not proven.
void prove_sites(const analysis::FunctionCode& entry, const FunctionPlan& function, Plan* plan);

}  // namespace gwatch::instrument
