#pragma once

#include <string>

#include "ptx/module.h"

namespace gwatch::ptx {

/// All that a module tells about its text, a statement a line, indented by scope.
std::string outline(const Module& module);

}  // namespace gwatch::ptx
