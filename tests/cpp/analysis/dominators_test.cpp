#include "analysis/dominators.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gwatch::analysis {
namespace {

// The nodes that the root reaches without passing `without`.
std::vector<bool> reach(std::uint32_t nodes, const Edges& edges, std::uint32_t root,
                        std::uint32_t without) {
    std::vector<bool> reached(nodes, false);
    std::vector<std::uint32_t> pending;
    const auto visit = [&](std::uint32_t node) {
        if (node == without || reached[node]) return;
        reached[node] = true;
        pending.push_back(node);
    };
    visit(root);
    while (!pending.empty()) {
        const std::uint32_t node = pending.back();
        pending.pop_back();
        for (const auto& [from, to] : edges) {
            if (from == node) visit(to);
        }
    }
    return reached;
}

// By definition: a dominates b when b is not reached without a.
std::vector<std::vector<bool>> dominance(std::uint32_t nodes, const Edges& edges,
                                         std::uint32_t root) {
    const std::vector<bool> reached = reach(nodes, edges, root, kNoDominator);
    std::vector<std::vector<bool>> dominates(nodes, std::vector<bool>(nodes, false));
    for (std::uint32_t a = 0; a < nodes; ++a) {
        const std::vector<bool> rest = reach(nodes, edges, root, a);
        for (std::uint32_t b = 0; b < nodes; ++b) dominates[a][b] = reached[b] && !rest[b];
    }
    return dominates;
}

bool has_ancestor(const DominatorTree& tree, std::uint32_t node, std::uint32_t ancestor) {
    while (node != ancestor && node != kNoDominator) node = tree.parent[node];
    return node == ancestor;
}

void check(std::uint32_t nodes, const Edges& edges) {
    const DominatorTree tree = find_dominators(nodes, edges, 0);
    const auto dominates = dominance(nodes, edges, 0);
    const std::vector<bool> reached = reach(nodes, edges, 0, kNoDominator);
    for (std::uint32_t b = 0; b < nodes; ++b) {
        if (!reached[b]) {
            ASSERT_EQ(tree.parent[b], kNoDominator);
            continue;
        }
        std::uint32_t dominators = 0;
        for (std::uint32_t a = 0; a < nodes; ++a) {
            ASSERT_EQ(has_ancestor(tree, b, a), dominates[a][b]) << a << " over " << b;
            dominators += dominates[a][b] ? 1 : 0;
        }
        ASSERT_EQ(tree.depth[b] + 1, dominators);
    }
}

TEST(Dominators, AreThoseOfTheDefinitionOnRandomGraphs) {
    std::mt19937 random(11);
    for (int round = 0; round < 2000 && !HasFatalFailure(); ++round) {
        const std::uint32_t nodes = 1 + random() % 14;
        Edges edges;
        for (std::uint32_t i = random() % (3 * nodes); i-- > 0;) {
            edges.emplace_back(random() % nodes, random() % nodes);
        }
        check(nodes, edges);
    }
}

TEST(Dominators, OfADiamondMeetAtItsTop) {
    const DominatorTree tree = find_dominators(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 0);
    EXPECT_EQ(tree.parent, (std::vector<std::uint32_t>{kNoDominator, 0, 0, 0}));
}

TEST(Dominators, OfALoopWithTwoEntriesStandAboveIt) {
    const DominatorTree tree = find_dominators(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}}, 0);
    EXPECT_EQ(tree.parent, (std::vector<std::uint32_t>{kNoDominator, 0, 0}));
}

TEST(Dominators, OfALongChainNeedNoDeepStack) {
    constexpr std::uint32_t kNodes = 1000000;
    Edges edges;
    for (std::uint32_t i = 0; i + 1 < kNodes; ++i) edges.emplace_back(i, i + 1);
    EXPECT_EQ(find_dominators(kNodes, edges, 0).depth.back(), kNodes - 1);
}

}  // namespace
}  // namespace gwatch::analysis
