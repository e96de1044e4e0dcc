#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace gwatch::trace {

/// What tracing did to the kernel that a reader must know before trusting the times, in plain
/// words; empty when the traced kernel is as good as the original, or nothing was compared.
std::vector<std::string> fidelity_warnings(const Run& run);

}  // namespace gwatch::trace
