#pragma once

#include <vector>

#include "fidelity/code.h"

namespace gwatch::fidelity {

/// What a site does to one scope, taken together with what is fused into it.
struct Boundary {
    bool starts = false;  ///< the scope is open behind it
    bool ends = false;    ///< a scope that was open in front of it ends
};

/// By site number; 0 is no site.
std::vector<Boundary> boundaries_of(const instrument::SiteTable& sites, std::uint32_t scope);

/// The steps of a scope, and the timer reads around them.
struct Region {
    std::vector<bool> inside;  ///< by step: may run between a start and the end that follows
    std::uint32_t starts = 0;
    std::uint32_t ends = 0;  ///< that a way from a start meets
};

Region region_of(const Code& code, const std::vector<Boundary>& boundaries);

}  // namespace gwatch::fidelity
