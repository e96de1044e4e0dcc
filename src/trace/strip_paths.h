#pragma once

#include <string>
#include <string_view>

#include "trace/trace.h"

namespace gwatch::trace {

/// Leaves only the last part of every path in the trace, and numbers in place of host names: what a
/// machine is called and how its folders are named is nobody's business. Kernel and scope names
/// stay.
void strip_paths(Trace* trace);

/// A text with every absolute path in it cut to its last part.
std::string without_folders(std::string_view text);

}  // namespace gwatch::trace
