#pragma once

#include <vector>

#include "base/result.h"
#include "ptx/diagnostics.h"
#include "ptx/module.h"

namespace gwatch::ptx {

/// Cuts a text into tokens, every byte in one of them. Fails on a comment or string without an end.
Result<std::vector<Token>> lex(const SourceText& source);

}  // namespace gwatch::ptx
