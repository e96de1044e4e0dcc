#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace gwatch::instrument {

/// Names of the module's .global and .const variables in text order: memory that a second copy of
/// the module has of its own. Not textures, samplers and surfaces, nor what is only declared
/// .extern.
std::vector<std::string> module_variables(const ptx::Module& module);

/// Those that the entries, or what they may reach, name. Others they can only reach by an address
/// that they are given, which is one of the original's.
std::vector<std::string> used_variables(const ptx::Module& module,
                                        const std::vector<std::uint32_t>& entries);

}  // namespace gwatch::instrument
