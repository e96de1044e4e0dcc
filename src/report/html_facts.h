#pragma once

#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "trace/trace.h"

namespace gwatch::report {

/// The page's layout version: html_facts.cpp and html_columns.cpp against src/viewer/facts.ts.
inline constexpr int kPageVersion = 2;

/// What the page shows of a run without looking at its slices, and where its columns are.
nlohmann::ordered_json run_facts(const trace::Run& run, const ColumnPacker& columns,
                                 std::size_t chunk_count);

/// JSON text that may stand inside a script element: no `<`, no invalid UTF-8.
std::string script_safe(const nlohmann::ordered_json& facts);

}  // namespace gwatch::report
