#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/trace.h"

namespace gwatch::report {

/// What is to be known of a run besides its times: launch, build, counts, warnings, and the places
/// of its scopes. For formats without a place of their own for each.
nlohmann::ordered_json facts_of(const trace::Run& run);

}  // namespace gwatch::report
