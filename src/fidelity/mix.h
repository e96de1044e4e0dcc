#pragma once

#include <set>
#include <vector>

#include "fidelity/code.h"
#include "fidelity/facts.h"
#include "fidelity/listing.h"

namespace gwatch::fidelity {

/// The sections that a kernel's launch may run: its own, and those that are no kernels.
std::vector<const Section*> sections_of(const std::vector<Section>& sections,
                                        std::string_view entry);

/// Counts of both builds by family, in order of family. NOPs, which only pad, are left out.
/// `own_kinds`: of key instructions in gwatch's own code; no other is taken for its own.
std::vector<MixRow> compare_mix(const std::vector<const Section*>& original,
                                const std::vector<const Section*>& traced, const OwnLines& own,
                                const std::set<Kind>& own_kinds);

}  // namespace gwatch::fidelity
