#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.h"

// The site table: what a record's site number means. Made by the instrumenter, read by the decoder,
// kept in the archive.
namespace gwatch::instrument {

enum class Verb : std::uint8_t { kStart, kEnd, kSwitch, kMark };

/// How a marker's record is placed (docs/recording.md).
enum class Placement : std::uint8_t {
    kProven,   ///< 1: all lanes pass it equally often; lane 0 writes
    kUnknown,  ///< 2: the active mask decides between the warp's region and the pool
    kFunction  ///< 3: in a device function; lane cursors in memory
};

/// A scope as the markers name it.
struct Scope {
    std::string name;        ///< decoded from %XX; a number's digits when it has an id
    std::int32_t id = -1;    ///< 0..65535, or -1 when it was marked by name
    ptx::SourceLine source;  ///< of its first start or mark
};

enum class ActionKind : std::uint8_t { kStart, kEnd, kMark, kExit };

/// One thing that happens at a site. A switch is an end and a start; an exit has no scope.
struct Action {
    ActionKind kind;
    std::uint32_t scope;  ///< index into SiteTable::scopes, or ptx::kNone
};

/// One place of injected code. Fused markers are several actions, in order.
struct Site {
    std::vector<Action> actions;
    std::uint32_t markers = 0;  ///< markers that were fused here; 0 for an exit
    Placement placement = Placement::kUnknown;
    ptx::SourceLine source;
    std::string function;
};

struct SiteTable {
    std::vector<Scope> scopes;
    std::vector<Site> sites;  ///< sites[i] is the site numbered i + 1
};

}  // namespace gwatch::instrument
