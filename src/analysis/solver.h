#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "analysis/control_flow.h"
#include "analysis/control_regions.h"
#include "analysis/lane_bits.h"
#include "analysis/program.h"
#include "analysis/uniformity.h"

namespace gwatch::analysis {

/// Finds what varies between the lanes of a warp.
///
/// It begins with no register varying and no branch parting the lanes, and takes back what the
/// program refutes, until nothing changes. What is left holds: by induction over a lane's way
/// through the blocks that no branch parts, all lanes take the same way through these and read the
/// same bits there. A register that is also set where lanes are parted may hold anything.
class Solver {
  public:
    Solver(const Program& program, const ControlFlow& flow);

    void run();

    /// The cause that parts the lanes at a block, or ptx::kNone.
    std::uint32_t cause_of_block(std::uint32_t block) const { return regions_.cause_of(block); }
    bool varies(std::uint32_t reg) const { return !bits_[reg].is_uniform(); }
    const LaneBits& bits_of(std::uint32_t reg) const { return bits_[reg]; }
    const std::vector<Cause>& causes() const { return causes_; }
    const std::vector<Origin>& origins() const { return origins_; }

  private:
    void find_users();
    void lower_undefined();
    bool lower_unset();
    void drain();
    void evaluate(std::uint32_t operation);
    void evaluate_terminator(std::uint32_t operation);
    void part_lanes(std::uint32_t operation, std::uint32_t by);
    LaneBits result_of(const Operation& operation) const;
    LaneBits shuffle_result(const Operation& operation) const;
    LaneBits uniform_sources_result(const Operation& operation) const;
    LaneBits bits_of(const Source& source) const;
    bool has_unset_source(const Operation& operation) const;
    std::uint32_t varying_source(const Operation& operation) const;
    Origin origin_at(std::uint32_t operation) const;
    void lower(std::uint32_t reg, const LaneBits& bits, const Origin& origin);
    void enqueue(std::uint32_t operation);

    const Program& program_;
    const ControlFlow& flow_;
    ControlRegions regions_;
    std::vector<LaneBits> bits_;               // by register
    std::vector<std::uint8_t> times_lowered_;  // by register
    std::vector<Origin> origins_;              // by register
    std::vector<Cause> causes_;
    std::vector<std::uint32_t> users_;       // operations, by the register they read
    std::vector<std::uint32_t> first_user_;  // by register, and one past the last
    std::vector<std::uint32_t> block_of_;    // by operation
    std::vector<bool> has_parted_;           // by block: its own terminator parts the lanes
    std::deque<std::uint32_t> queue_;        // operations
    std::vector<bool> is_queued_;            // by operation
};

}  // namespace gwatch::analysis
