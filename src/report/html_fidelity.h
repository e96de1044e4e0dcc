#pragma once

#include <nlohmann/json.hpp>

#include "trace/trace.h"

namespace gwatch::report {

/// What the page shows of a run's fidelity (src/viewer/fidelity.ts): its fields as in the archive;
/// null when it was not compared.
nlohmann::ordered_json fidelity_facts(const trace::Run& run);

}  // namespace gwatch::report
