#pragma once

#include "analysis/function_code.h"
#include "instrument/plan.h"

namespace gwatch::instrument {

/// Has series of proven sites read the device's timer: one a turn of each loop around another loop.
/// A warp that runs for long reads the timer at its ends otherwise, and in between the clock may
/// change. Loops that only wait do not count as inner ones: where a warp waits and records in every
/// turn, a reading would cost as much as the record.
void add_timer_readings(const analysis::FunctionCode& entry, FunctionPlan* function,
                        SiteTable* table);

}  // namespace gwatch::instrument
