#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace gwatch::instrument {

/// The functions with a body that the entries may run, themselves included, as sorted indices into
/// Module::functions(). Never too few: a name that a body mentions counts as called, and a call
/// through a register reaches every .func whose name stands anywhere but in its own header.
std::vector<std::uint32_t> reachable_functions(const ptx::Module& module,
                                               const std::vector<std::uint32_t>& entries);

}  // namespace gwatch::instrument
