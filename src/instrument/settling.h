#pragma once

#include "instrument/plan.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// Marks the sites so close behind a barrier that a clock read there would not wait for it: a
/// barrier holds a warp some cycles after it was issued (docs/recording.md).
void find_settling(const ptx::Module& module, Plan* plan);

}  // namespace gwatch::instrument
