#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"
#include "record/payload.h"

// The site table: what a record's site number means. Made by the instrumenter, read by the decoder,
// kept in the archive.
namespace gwatch::instrument {

enum class Verb : std::uint8_t { kStart, kEnd, kSwitch, kMark };

/// How a marker's record is placed (docs/recording.md).
enum class Placement : std::uint8_t {
    kProven,    ///< all lanes pass it equally often; lane 0 writes to the warp's region
    kUnknown,   ///< the active mask decides between the warp's region and the pool
    kFunction,  ///< in a device function; lane cursors in memory
    kParted     ///< chosen lanes pass it, hardly ever a whole warp: always the pool
};

/// A scope as the markers name it.
struct Scope {
    std::string name;        ///< decoded from %XX; a number's digits when it has an id
    std::int32_t id = -1;    ///< 0..65535, or -1 when it was marked by name
    ptx::SourceLine source;  ///< of its first start or mark
};

enum class ActionKind : std::uint8_t {
    kStart,
    kEnd,
    kMark,
    kExit,
    kTimer  ///< reads the device's timer, which is the record's value
};

inline bool has_scope(ActionKind kind) {
    return kind != ActionKind::kExit && kind != ActionKind::kTimer;
}

/// One thing that happens at a site. A switch is an end and a start; an exit and a reading of the
/// timer have no scope.
struct Action {
    ActionKind kind;
    std::uint32_t scope;  ///< index into SiteTable::scopes, or ptx::kNone
    /// Of a start, mark or reading that records a value; at most one action of a site does.
    record::PayloadKind payload = record::PayloadKind::kNone;
};

/// One place of injected code. Fused markers are several actions, in order. Proven sites that are
/// always passed one after the other make a series, which is one record (record/layout.h); their
/// numbers follow each other.
struct Site {
    std::vector<Action> actions;
    std::uint32_t markers = 0;  ///< markers that were fused here; 0 for an exit or a reading
    Placement placement = Placement::kUnknown;
    ptx::SourceLine source;
    std::string function;
    std::uint8_t series = 1;    ///< sites of its series
    std::uint8_t place = 0;     ///< in its series, from 0
    bool waits_before = false;  ///< since the site before in its series, a warp may wait for others
};

/// A record's number of its site has 16 bits; 0 and record::kPayloadHighSite are none.
inline constexpr std::size_t kMostSites = 65534;

struct SiteTable {
    std::vector<Scope> scopes;
    std::vector<Site> sites;  ///< sites[i] is the site numbered i + 1
};

}  // namespace gwatch::instrument
