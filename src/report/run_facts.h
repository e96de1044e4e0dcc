#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/trace.h"

namespace gwatch::report {

/// What is to be known of a run besides its times: launch, build, counts, warnings, and the places
/// of its scopes. For formats without a place of their own for each.
nlohmann::ordered_json facts_of(const trace::Run& run);

/// Facts under the names and in the order of the archive.
nlohmann::ordered_json archive_fields(const trace::CompileFacts& facts);
nlohmann::ordered_json archive_fields(const trace::Counts& facts);

}  // namespace gwatch::report
