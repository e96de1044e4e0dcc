#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

namespace gwatch::instrument {

/// The statements in front of which a thread's last record goes, in text order: every `ret` and
/// `exit` of an entry and its closing brace if control may reach it; every `exit` of a device
/// function. A trap records nothing.
std::vector<std::uint32_t> find_exits(const ptx::Module& module, const ptx::Function& function);

}  // namespace gwatch::instrument
