#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace gwatch::analysis {

/// What is known of a launch.
struct LaunchShape {
    std::array<std::uint32_t, 3> block{};  ///< threads a block in x, y, z; 0 = unknown
};

/// Why a statement is not proven.
struct Spoiler {
    std::uint32_t statement;  ///< the branch, exit or call that parts the lanes, or the guarded
                              ///< statement itself
    std::uint32_t ptx_line;   ///< its line in the text, from 1
    ptx::SourceLine source;   ///< its source line
    std::string reason;       ///< "branch at line 120 depends on %p3, set from %tid.x at line 88"
};

/// Where a register got its first value that may differ between the lanes of a warp.
struct Origin {
    std::uint32_t statement = ptx::kNone;  ///< kNone: nothing sets the register
    std::uint32_t from = ptx::kNone;       ///< the register that brought it in, else kNone
    std::uint32_t cause = ptx::kNone;      ///< the cause that parts the lanes there, else kNone
};

/// What parts the lanes of a warp.
struct Cause {
    std::uint32_t statement;     ///< a branch, exit or call, or a guarded statement
    std::uint32_t by;            ///< the register that decides; kNone for a call
    bool selects_lanes = false;  ///< lanes are chosen by their number (lane_selection.h)
};

/// Which statements of one entry all lanes of a warp pass equally often.
class Uniformity {
  public:
    /// Whether all lanes of a warp that exist execute the statement equally often in one run of the
    /// kernel. They need not do so in the same cycle. False when unsure, and for a statement that
    /// is not in the body of the entry.
    bool proven(std::uint32_t statement) const;

    /// Whether the statement is not proven, and what parts the lanes there chooses them by their
    /// number: hardly ever will a whole warp pass it together.
    bool for_selected_lanes(std::uint32_t statement) const;

    /// Why not; nothing for a proven statement, or one outside the entry's body. The module is the
    /// one that was analysed.
    std::optional<Spoiler> spoiler(const ptx::Module& module, std::uint32_t statement) const;

  private:
    friend class UniformityBuilder;

    std::string words_of(const ptx::Module& module, const Cause& cause, bool is_guard) const;
    std::string origin_of(const ptx::Module& module, std::uint32_t reg) const;

    std::uint32_t first_statement_ = 0;    // the body's opening brace
    std::vector<std::uint32_t> cause_of_;  // by statement from there; kNone = proven
    std::vector<Cause> causes_;
    std::vector<Origin> origins_;              // by register
    std::vector<std::string_view> registers_;  // their names, views into the module's text
};

/// Analyses an entry that has a body. Near-linear in the body's text.
Uniformity analyze(const ptx::Module& module, const ptx::Function& entry, const LaunchShape& shape);

}  // namespace gwatch::analysis
