#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

namespace gwatch::analysis {

/// A `// gwatch:` comment and the instruction behind it.
struct TestMarker {
    std::string text;         ///< "start 1"
    std::uint32_t line;       ///< of the comment, from 1
    std::uint32_t statement;  ///< the carrier
};

/// The markers of one function, in text order.
std::vector<TestMarker> find_test_markers(const ptx::Module& module, const ptx::Function& function);

/// The verdict on each marker of each entry, a line each: "line 12 start 1: proven". `block` is
/// the launch shape: "128 1 1", "0 0 0" for an unknown one.
std::string describe_verdicts(const ptx::Module& module, const std::string& block);

}  // namespace gwatch::analysis
