#pragma once

#include "analysis/control_flow.h"
#include "analysis/program.h"
#include "analysis/uniformity.h"
#include "ptx/module.h"

namespace gwatch::analysis {

/// A function's code with its control flow.
struct FunctionCode {
    const ptx::Module& module;
    Program program;
    ControlFlow flow;

    ptx::Instruction instruction_of(const Operation& operation) const {
        return module.instruction(module.statements()[operation.statement]);
    }
};

/// Only for a function with a body. What the shape leaves open, .reqntid may say.
FunctionCode read_function(const ptx::Module& module, const ptx::Function& function,
                           const LaunchShape& shape = {});

/// The analysis of an entry's code. Near-linear in its text.
Uniformity analyze(const FunctionCode& entry);

}  // namespace gwatch::analysis
