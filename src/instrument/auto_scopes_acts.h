#pragma once

#include <cstdint>
#include <string_view>

#include "instrument/auto_scopes.h"

namespace gwatch::instrument {

/// The part an instruction has in a scope.
enum class Part : std::uint8_t {
    kWhole,   ///< a scope of its own
    kFeeds,   ///< loads what a run works on: the run begins with the first of these
    kOpens,   ///< a run begins anew with it; neither makes a run without a kWork
    kWork,    ///< a run is made of these
    kCloses,  ///< ends the run of its label; none of its own
    kArrives  ///< joins the wait that stands right behind it
};

/// What an instruction does that a scope is made for.
struct Act {
    AutoKind kind;
    Part part;
    std::string_view label;  ///< "barrier.wait"; parts of one run have the same
};

/// The act of an opcode, or nullptr.
const Act* act_of(std::string_view opcode);

/// Whether the opcode looks once whether a phase of an mbarrier is over.
bool asks_mbarrier(std::string_view opcode);

/// Whether a loop that only waits may have this opcode: it changes nothing but the registers of its
/// thread, and does no work.
bool may_stand_in_wait_loop(std::string_view opcode);

}  // namespace gwatch::instrument
