#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace gwatch::trace {

/// The runs of all archives as one trace, in their order; title and date are the first one's.
/// Fails with the first archive that cannot be read.
Result<Trace> merge_archives(const std::vector<std::string>& paths);

}  // namespace gwatch::trace
