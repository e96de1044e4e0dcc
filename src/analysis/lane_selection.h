#pragma once

#include <cstdint>
#include <vector>

#include "analysis/program.h"
#include "analysis/solver.h"

namespace gwatch::analysis {

/// Tells which branches choose lanes by their number, so that hardly ever a whole warp takes them.
class LaneSelection {
  public:
    /// Of a solution that is complete.
    LaneSelection(const Program& program, const Solver& solver);

    /// Whether a predicate comes from elect.sync, from a comparison of a constant with what the
    /// lane alone decides (`%laneid == 3`, `(%tid.x & 31) < 16`), or from one that tells a thread
    /// (`%tid.x == 0`).
    bool decides(std::uint32_t predicate) const;

  private:
    const Operation* definition_of(std::uint32_t reg) const;
    bool is_selection(const Operation& operation) const;
    bool comes_from_lane(std::uint32_t reg) const;
    bool reads_lane_number(const Operation& operation) const;
    const Operation* operation_at(std::uint32_t statement) const;
    LaneBits bits_of(const Source& source) const;

    const Program& program_;
    const Solver& solver_;
    std::vector<std::uint32_t> definition_of_;  // operation by register; kNone: none or several
};

}  // namespace gwatch::analysis
