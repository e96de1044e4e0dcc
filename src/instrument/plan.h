#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "instrument/instrument.h"
#include "instrument/markers.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// How the lanes at a site wait until a barrier in front of it holds them, the surest last.
enum class Settling : std::uint8_t {
    kNone,        ///< no barrier is near
    kWholeWarp,   ///< all lanes come straight from one that holds whole warps
    kActiveLanes  ///< the lanes that are there together
};

/// Where the code of one site goes.
struct PlannedSite {
    std::uint16_t number;     ///< from 1; sites[number - 1] of the table
    std::uint32_t statement;  ///< the code stands in front of it: a carrier, a ret or exit, or the
                              ///< body's closing brace
    bool is_exit;
    bool in_inner_scope = false;  ///< in a `{ }` of the body: labels in there are its own
    /// The predicate under which the statement, and so the record, happens; else empty.
    std::string_view guard = {};
    bool guard_negated = false;
    CarriedPayload payload = {};  ///< of one of its markers; the statement is its carrier then
    /// Used slots of its series' record that are stored here: from, and behind the last.
    std::uint8_t first_slot = 0;
    std::uint8_t end_slot = 1;
    Settling settling = Settling::kNone;
    /// The last site of a series may also read the timer, for a record of this site; 0: it does
    /// not.
    std::uint16_t reading = 0;
};

struct FunctionPlan {
    std::uint32_t function;               ///< index into Module::functions()
    std::vector<PlannedSite> sites = {};  ///< in text order
    /// In front of which statement an entry finds its warp's region; ptx::kNone: at its begin.
    std::uint32_t setup = ptx::kNone;
    /// In front of which statements it stores the region's header; none: at the setup.
    std::vector<std::uint32_t> headers = {};
};

/// All sites of the entries that may pass a marker and of the functions they may reach.
struct Plan {
    SiteTable table;
    std::vector<Marker> markers;  ///< in text order
    /// In text order; those without a site only if they are entries.
    std::vector<FunctionPlan> functions;
};

/// Fuses markers, numbers sites and scopes. An entry that can pass no marker has no part in the
/// plan. An entry's exits are sites; a device function's only if it has `exit`. What
/// place_sites() decides is left open. kInstrument for a malformed marker or too many sites.
Result<Plan> make_plan(const ptx::Module& module, const std::vector<std::uint32_t>& entries);

}  // namespace gwatch::instrument
