#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// What automatic scopes are put around (docs/auto-scopes.md).
enum class AutoKind : std::uint8_t {
    kMbarrier,   ///< waits for an mbarrier
    kBarrier,    ///< waits for the threads of a block or cluster, or for the grid before
    kAsyncCopy,  ///< waits for cp.async
    kTma,        ///< issue of bulk copies, and waits for them
    kMma         ///< issue of tensor-core work, and waits for it
};

/// A place of the text that was put in a scope.
struct AutoFind {
    AutoKind kind;
    std::string scope;  ///< the name of its markers
    std::string function;
    std::uint32_t ptx_line;      ///< of its first instruction in the text, from 1
    std::uint32_t end_ptx_line;  ///< of its last instruction
    ptx::SourceLine source;
};

/// A text with markers around what was found.
struct AutoMarked {
    std::string ptx;
    std::vector<AutoFind> finds;           ///< in text order, a function at a time
    std::vector<ptx::Insertion> inserted;  ///< what the text has more than the original
};

/// The name of a kind: "mbarrier".
std::string_view name_of(AutoKind kind);

/// The kinds of these names, without doubles. kUsage for an unknown one.
Result<std::vector<AutoKind>> auto_kinds(const std::vector<std::string>& names);

/// Puts scopes of these kinds around the waits and phases of some entries and of the functions they
/// may reach. Markers that stand there already stay as they are. kInstrument for an entry that the
/// module has not, and for a malformed marker.
Result<AutoMarked> mark_automatically(const ptx::Module& module,
                                      const std::vector<std::string>& entries,
                                      const std::vector<AutoKind>& kinds);

}  // namespace gwatch::instrument
