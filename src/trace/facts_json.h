#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace gwatch::trace {

/// What the decoder cannot know of a run, as JSON text: launch, compile and stage_seconds. A raw
/// capture carries it.
std::string facts_to_json(const Run& run);

/// Sets them from what facts_to_json() wrote. kArchive when the text is none; the run is then
/// unchanged.
Result<void> set_facts(std::string_view text, Run* run);

}  // namespace gwatch::trace
