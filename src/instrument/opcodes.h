#pragma once

#include <string_view>
#include <unordered_set>

#include "ptx/module.h"

namespace gwatch::instrument {

/// The opcode up to its first dot; empty for what is no instruction.
std::string_view base_opcode(const ptx::Module& module, const ptx::Statement& statement);

/// All words of a body but the names of its labels: a label among them may be jumped to.
std::unordered_set<std::string_view> words_of(const ptx::Module& module, const ptx::Scope& body);

}  // namespace gwatch::instrument
