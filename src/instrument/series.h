#pragma once

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// Joins an entry's proven markers that a warp always passes one after the other to series of at
/// most record::kMaxSeriesSites sites. Comes after prove_sites().
void form_series(const analysis::FunctionCode& entry, FunctionPlan* function, SiteTable* table);

}  // namespace gwatch::instrument
