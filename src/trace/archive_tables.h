#pragma once

#include <string>

#include "trace/archive_sax.h"
#include "trace/trace.h"

namespace gwatch::trace {

/// Fills a run's lanes, slices and instants from its columns. The run's launch and scopes must be
/// there. Returns what contradicts, with the table's name in front, or an empty text.
std::string fill_tables(const Columns& columns, Run* run);

}  // namespace gwatch::trace
