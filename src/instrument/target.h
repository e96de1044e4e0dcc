#pragma once

#include "base/result.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// What the module's .version and .target let the injected code use.
struct Capabilities {
    bool activemask;    ///< else vote.ballot without .sync, which such old text may still use
    bool shuffle;       ///< shfl.sync: tells the assembler that a warp's number is uniform
    bool cluster_rank;  ///< %cluster_ctarank
};

/// kInstrument for text that is too old for a 64-bit %globaltimer (PTX 3.1, sm_30) or has 32-bit
/// addresses.
Result<Capabilities> capabilities_of(const ptx::Module& module);

}  // namespace gwatch::instrument
