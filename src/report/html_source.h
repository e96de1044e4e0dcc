#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trace/trace.h"

namespace gwatch::report {

/// The lines around each scope of a run, for each file that scopes name: as far as the file is
/// there, is a text in a programming language, and is no larger than 4 MiB. `changed` tells that it
/// was written to after `created` (ISO 8601, UTC; the trace's), so that lines may have moved. With
/// `embed` off only the names of the files are listed.
nlohmann::ordered_json source_facts(const trace::Run& run, const std::string& created, bool embed);

}  // namespace gwatch::report
