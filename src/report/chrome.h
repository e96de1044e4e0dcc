#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/tracks.h"
#include "trace/trace.h"

namespace gwatch::report {

/// Writes the trace as Chrome's trace event JSON, through gzip when the path ends in .gz. Times are
/// microseconds with three decimals: exact ns. kIo when it cannot.
Result<void> write_chrome(const trace::Trace& trace, std::string_view producer,
                          const std::string& path, GroupBy by);

}  // namespace gwatch::report
