#pragma once

#include <string>

#include "base/result.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// The module's text with gwatch's markers in the place of the blocks that report the events of
/// IKET, the CuTe DSL's annotations (docs/iket.md); unchanged when it has none. kInstrument for
/// tables or events of an unknown version, and for events in a device function.
Result<std::string> iket_to_markers(const ptx::Module& module);

}  // namespace gwatch::instrument
