#pragma once

#include <cstdint>
#include <vector>

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// The statements at which an entry may record or end: its sites and calls, in text order.
std::vector<std::uint32_t> stops_of(const analysis::FunctionCode& entry,
                                    const FunctionPlan& function);

/// The statement in front of which an entry finds its warp's region: as late as possible, where
/// every thread passes once and before its first record and the first call, so that what it reads
/// has arrived by then; ptx::kNone: at the entry's begin.
std::uint32_t setup_place(const analysis::FunctionCode& entry, const FunctionPlan& function);

}  // namespace gwatch::instrument
