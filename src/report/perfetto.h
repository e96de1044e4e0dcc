#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/tracks.h"
#include "trace/trace.h"

namespace gwatch::report {

/// Writes the trace for Perfetto (ui.perfetto.dev, trace_processor), through gzip when the path
/// ends in .gz. Times are exact ns. kIo when it cannot.
Result<void> write_perfetto(const trace::Trace& trace, std::string_view producer,
                            const std::string& path, GroupBy by);

}  // namespace gwatch::report
