#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/control_flow.h"
#include "analysis/program.h"
#include "instrument/auto_scopes.h"

namespace gwatch::instrument {

/// Where a marker goes.
struct MarkerPlace {
    std::uint32_t statement;
    bool is_behind;               ///< else in front of it
    std::string_view guard = {};  ///< under which threads pass it; else empty
    bool guard_negated = false;
};

/// Something to put in a scope: each way in has a start, each way out an end.
struct Span {
    AutoKind kind;
    std::string_view label;
    std::uint32_t first_statement;  ///< its first instruction of its kind, which names the line
    std::uint32_t last_statement;
    std::vector<MarkerPlace> starts;
    std::vector<MarkerPlace> ends;
};

/// A function's code with its control flow.
struct FunctionCode {
    const ptx::Module& module;
    analysis::Program program;
    analysis::ControlFlow flow;

    ptx::Instruction instruction_of(const analysis::Operation& operation) const {
        return module.instruction(module.statements()[operation.statement]);
    }
};

/// Only for a function with a body.
FunctionCode read_function(const ptx::Module& module, const ptx::Function& function);

/// The loops that do nothing but wait for an mbarrier, each as a whole; and by block whether it is
/// in one.
struct WaitLoops {
    std::vector<Span> spans;
    std::vector<bool> has_block;
};
WaitLoops find_wait_loops(const FunctionCode& code);

/// The waits and runs of work inside the blocks of the control flow, those in wait loops left out.
/// No run goes over one of the statements in `stops`, which are sorted.
std::vector<Span> find_block_spans(const FunctionCode& code, const WaitLoops& loops,
                                   const std::vector<std::uint32_t>& stops);

}  // namespace gwatch::instrument
