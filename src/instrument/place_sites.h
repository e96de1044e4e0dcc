#pragma once

#include "instrument/instrument.h"
#include "instrument/plan.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// Decides how each site of a plan records, and where entries find their warps' regions. Reads the
/// code of each function once.
void place_sites(const ptx::Module& module, const Options& options, Plan* plan);

}  // namespace gwatch::instrument
