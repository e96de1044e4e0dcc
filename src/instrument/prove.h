#pragma once

#include "analysis/uniformity.h"
#include "instrument/plan.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// Gives the sites of entries that all lanes of a warp provably pass equally often the placement
/// kProven, those that only chosen lanes pass kParted, and their markers the reason why they are
/// not proven.
void prove_sites(const ptx::Module& module, const analysis::LaunchShape& shape, Plan* plan);

}  // namespace gwatch::instrument
