#pragma once

#include <string_view>

#include "ptx/module.h"

namespace gwatch::instrument {

/// The opcode up to its first dot; empty for what is no instruction.
std::string_view base_opcode(const ptx::Module& module, const ptx::Statement& statement);

}  // namespace gwatch::instrument
