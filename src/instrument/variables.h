#pragma once

#include <string>
#include <vector>

#include "ptx/module.h"

namespace gwatch::instrument {

/// Names of the module's .global and .const variables in text order: memory that a second copy of
/// the module has of its own. Not textures, samplers and surfaces, nor what is only declared
/// .extern.
std::vector<std::string> module_variables(const ptx::Module& module);

}  // namespace gwatch::instrument
