#pragma once

#include <vector>

#include "fidelity/code.h"
#include "fidelity/facts.h"

namespace gwatch::fidelity {

/// Compares every scope that has a start. A scope's code is what may run between a timer read that
/// starts it and the next one that ends it, in the PTX as in the machine code.
std::vector<ScopeCheck> check_scopes(const ptx::Module& module, const Code& ptx, const Code& sass,
                                     const instrument::SiteTable& sites, const OwnLines& own);

}  // namespace gwatch::fidelity
