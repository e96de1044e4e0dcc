#pragma once

#include "base/result.h"
#include "instrument/sites.h"
#include "record/plan.h"
#include "trace/trace.h"

namespace gwatch::trace {

/// Turns the records of a launch into lanes of slices. Fills lanes, slices, instants, scopes,
/// sites, counts, time and the warnings that follow from them, and of launch the grid and the
/// block; the rest is left for the caller. kArchive when the records contradict the site table.
///
/// Starts and ends meet per warp, per thread and per scope, the innermost open one first: an end of
/// a part of a slice's threads closes it for those threads alone. What has no other half becomes an
/// orphan; nothing is dropped or invented. Clocks become ns by a fit of each SM's (globaltimer,
/// clock) pairs.
Result<Run> decode(const record::RawRecords& raw, const instrument::SiteTable& sites);

}  // namespace gwatch::trace
