#pragma once

#include "report/columns.h"
#include "trace/trace.h"

namespace gwatch::report {

/// The rows, slices and instants of a run as columns; html_columns.cpp names each and says what it
/// holds.
ColumnPacker pack_columns(const trace::Run& run);

}  // namespace gwatch::report
