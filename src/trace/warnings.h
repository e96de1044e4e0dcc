#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/plan.h"
#include "trace/clock_fit.h"
#include "trace/trace.h"
#include "trace/warps.h"

namespace gwatch::trace {

/// The buffer_bytes with which a launch like this one drops nothing: that has the chunks which
/// every lane that dropped records lacked at most, if these take so many units each. 0 when nothing
/// was dropped, or no size would do.
std::uint64_t buffer_bytes_needed(const record::RawRecords& raw, const SiteActions& sites);

/// What a reader of the run must know, in plain words: what happened, how often, what to do.
std::vector<std::string> warnings_of(const Run& run, const record::RawRecords& raw,
                                     const Faults& faults, const ClockFit& fit);

}  // namespace gwatch::trace
