#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/function_code.h"
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

/// The loops that do nothing but wait for an mbarrier, each as a whole; and by block whether it is
/// in one.
struct WaitLoops {
    std::vector<Span> spans;
    std::vector<bool> has_block;
};
WaitLoops find_wait_loops(const analysis::FunctionCode& code);

/// The waits and runs of work inside the blocks of the control flow, those in wait loops left out.
/// No run goes over one of the statements in `stops`, which are sorted.
std::vector<Span> find_block_spans(const analysis::FunctionCode& code, const WaitLoops& loops,
                                   const std::vector<std::uint32_t>& stops);

}  // namespace gwatch::instrument
