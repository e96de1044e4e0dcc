#pragma once

#include "instrument/plan.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// Joins proven markers that a warp always passes one after the other to series of at most
/// record::kMaxSeriesSites sites. Comes after prove_sites().
void form_series(const ptx::Module& module, Plan* plan);

}  // namespace gwatch::instrument
