#pragma once

#include <string_view>

#include "ptx/module.h"

namespace gwatch::analysis {

/// A module with one entry, `k`, with a parameter `n`, registers %r0-9, %rd0-9 and %p0-9 and this
/// body. The test fails when it does not parse.
ptx::Module parse_body(std::string_view body, std::string_view before = {});

}  // namespace gwatch::analysis
