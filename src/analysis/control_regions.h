#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/control_flow.h"
#include "analysis/dominators.h"

namespace gwatch::analysis {

/// Which blocks lanes of a warp may pass unequally often, as branches turn out to part them.
///
/// A block depends on a branch when one way from the branch always leads through it and another
/// may not: it stands on the tree of post-dominators between a successor and the branch's own
/// parent. Lanes that end go to the exit node, so what follows a partial exit depends on it. A way
/// that can only trap ends the whole grid and is no way; a loop without a way out is taken to
/// have one, at a gate in front of its head.
class ControlRegions {
  public:
    explicit ControlRegions(const ControlFlow& flow);

    /// Parts the lanes at the end of a block: everything that depends on it, and on what depends on
    /// it, gets this cause, unless it has one. Calls `on_parted` for each block that gets it.
    void part(std::uint32_t block, std::uint32_t cause,
              const std::function<void(std::uint32_t block)>& on_parted);

    /// The cause of a block, or ptx::kNone.
    std::uint32_t cause_of(std::uint32_t block) const { return cause_of_[block]; }

  private:
    void mark_reaching(std::uint32_t node);
    void open_endless_loops();
    std::vector<std::uint32_t> find_loop_heads() const;
    void build_tree();
    std::vector<std::uint32_t> ways_from(std::uint32_t node) const;
    std::uint32_t entry_of(std::uint32_t node) const;
    void part_one(std::uint32_t node, std::uint32_t cause, std::vector<std::uint32_t>& parted);
    std::uint32_t first_unparted(std::uint32_t node);

    // Nodes are the blocks, exit, trap, then the gates.
    const ControlFlow& flow_;
    std::vector<std::vector<std::uint32_t>> predecessors_;  // by node but gates
    std::vector<bool> reaches_exit_;            // by node but gates; if not, all its ways trap
    std::vector<std::uint32_t> gates_;          // by block: its gate, or kNone
    std::vector<std::uint32_t> gated_;          // the blocks that have one
    DominatorTree tree_;                        // of post-dominators, root exit()
    std::vector<std::uint32_t> cause_of_;       // by node
    std::vector<std::uint32_t> next_unparted_;  // by node, a way up the tree; path-compressed
};

}  // namespace gwatch::analysis
