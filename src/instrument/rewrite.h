#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instrument/plan.h"
#include "instrument/target.h"
#include "ptx/module.h"
#include "record/layout.h"

namespace gwatch::instrument {

struct Rewritten {
    std::string ptx;
    std::vector<InsertedLines> inserted;              ///< in text order
    std::optional<record::ParameterPlace> parameter;  ///< as Instrumented::parameter
};

/// The module's text with the code of a plan put in. Nothing of the text is changed or taken away.
Rewritten rewrite(const ptx::Module& module, const Plan& plan, Capabilities capabilities,
                  const Options& options);

}  // namespace gwatch::instrument
