#pragma once

#include <string>

#include "instrument/plan.h"
#include "instrument/target.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// The module's text with the code of a plan put in. Nothing of the text is changed or taken away.
std::string rewrite(const ptx::Module& module, const Plan& plan, Capabilities capabilities);

}  // namespace gwatch::instrument
