#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gwatch::analysis {

/// Edges of a graph, from and to nodes.
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The tree of a graph's dominators.
struct DominatorTree {
    std::vector<std::uint32_t> parent;  ///< the immediate dominator; the root's and that of nodes
                                        ///< which the root does not reach is kNoDominator
    std::vector<std::uint32_t> depth;   ///< edges to the root
};

inline constexpr std::uint32_t kNoDominator = 0xffffffff;

/// Dominators from `root` by Lengauer and Tarjan's algorithm, in O(edges * log(nodes)). With all
/// edges reversed these are post-dominators.
DominatorTree find_dominators(std::uint32_t nodes, const Edges& edges, std::uint32_t root);

/// False where the root does not reach `below`.
bool dominates(const DominatorTree& tree, std::uint32_t above, std::uint32_t below);

}  // namespace gwatch::analysis
