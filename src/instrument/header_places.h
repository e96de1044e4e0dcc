#pragma once

#include <cstdint>
#include <vector>

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// The statements in front of which an entry stores the header of its warp's region, in text order;
/// none: at its setup, whose place must be known. Each way from the setup passes exactly one of
/// them, in front of the first record and call. A `setmaxnreg` close behind the setup would wait
/// until a store has read its registers, so the header is stored behind it.
std::vector<std::uint32_t> header_places(const analysis::FunctionCode& entry,
                                         const FunctionPlan& function);

}  // namespace gwatch::instrument
