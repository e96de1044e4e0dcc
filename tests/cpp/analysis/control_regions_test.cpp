#include "analysis/control_regions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace gwatch::analysis {
namespace {

using Graph = std::vector<std::set<std::uint32_t>>;  // successors of each block

// Block count, and one more, stand for exit and trap.
ControlFlow make_flow(const Graph& graph) {
    ControlFlow flow;
    for (const auto& successors : graph) {
        Block block{};
        block.first_successor = static_cast<std::uint32_t>(flow.successors.size());
        flow.successors.insert(flow.successors.end(), successors.begin(), successors.end());
        block.end_successor = static_cast<std::uint32_t>(flow.successors.size());
        flow.blocks.push_back(block);
    }
    return flow;
}

std::set<std::uint32_t> parted_by(const Graph& graph, std::uint32_t branch) {
    const ControlFlow flow = make_flow(graph);
    ControlRegions regions(flow);
    std::set<std::uint32_t> parted;
    regions.part(branch, 7, [&](std::uint32_t block) { parted.insert(block); });
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        EXPECT_EQ(regions.cause_of(i), parted.contains(i) ? 7U : ptx::kNone);
    }
    return parted;
}

// Whether all ways from `from` to the exit lead through `node`.
bool post_dominates(const Graph& graph, std::uint32_t node, std::uint32_t from) {
    const auto exit = static_cast<std::uint32_t>(graph.size());
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> pending{from};
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        if (at == node || !seen.insert(at).second) continue;
        if (at == exit) return false;
        pending.insert(pending.end(), graph[at].begin(), graph[at].end());
    }
    return true;
}

// By definition: what post-dominates a successor of the branch, but not the branch from behind it.
std::set<std::uint32_t> dependents(const Graph& graph, std::uint32_t branch) {
    std::set<std::uint32_t> found;
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
        bool of_one = false;
        bool of_all = true;
        for (const std::uint32_t next : graph[branch]) {
            const bool dominates = post_dominates(graph, node, next);
            of_one |= dominates;
            of_all &= dominates;
        }
        const bool strictly_above = of_all && node != branch;
        if (of_one && !strictly_above) found.insert(node);
    }
    return found;
}

std::set<std::uint32_t> closure(const Graph& graph, std::uint32_t branch) {
    std::set<std::uint32_t> all;
    std::vector<std::uint32_t> pending{branch};
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        for (const std::uint32_t node : dependents(graph, at)) {
            if (all.insert(node).second) pending.push_back(node);
        }
    }
    return all;
}

bool all_reach_exit(const Graph& graph) {
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (post_dominates(graph, static_cast<std::uint32_t>(graph.size()) + 5, i)) return false;
    }
    return true;
}

// A branch whose ways all lead to the same place parts nothing; so the test of the definition
// leaves branches out that have one way only.
TEST(ControlRegions, AreThoseOfTheDefinitionOnRandomGraphs) {
    std::mt19937 random(5);
    int checked = 0;
    while (checked < 1500) {
        const std::uint32_t blocks = 2 + random() % 9;
        Graph graph(blocks);
        for (auto& successors : graph) {
            for (std::uint32_t i = 1 + random() % 2; i-- > 0;) {
                successors.insert(random() % (blocks + 1));
            }
        }
        if (!all_reach_exit(graph)) continue;
        ++checked;
        for (std::uint32_t branch = 0; branch < blocks; ++branch) {
            if (graph[branch].size() < 2) continue;
            ASSERT_EQ(parted_by(graph, branch), closure(graph, branch)) << "branch " << branch;
        }
    }
}

using Blocks = std::set<std::uint32_t>;

TEST(ControlRegions, OfADiamondAreItsSides) {
    EXPECT_EQ(parted_by({{1, 2}, {3}, {3}, {4}}, 0), (Blocks{1, 2}));
}

TEST(ControlRegions, OfAPartialExitAreAllThatFollows) {
    EXPECT_EQ(parted_by({{1, 3}, {2}, {3}}, 0), (Blocks{1, 2}));  // 3 is the exit
}

TEST(ControlRegions, OfALoopsBranchAreTheLoopItself) {
    EXPECT_EQ(parted_by({{1}, {2}, {1, 3}, {4}}, 2), (Blocks{1, 2}));
}

TEST(ControlRegions, OfATrappingBranchAreTheWayToTheTrapAlone) {
    constexpr std::uint32_t kExit = 4;
    constexpr std::uint32_t kTrap = 5;
    EXPECT_EQ(parted_by({{1, 2}, {kExit}, {3}, {kTrap}}, 0), (Blocks{2, 3}));
}

TEST(ControlRegions, WhereAllWaysTrapTheTrapIsTheEnd) {
    constexpr std::uint32_t kTrap = 4;
    EXPECT_EQ(parted_by({{1, 2}, {kTrap}, {kTrap}}, 0), (Blocks{1, 2}));
}

TEST(ControlRegions, OfABranchInAnEndlessLoopAreOnlyItsSides) {
    EXPECT_EQ(parted_by({{1}, {2, 3}, {3}, {1}}, 1), (Blocks{2}));
}

TEST(ControlRegions, OfABranchIntoAnEndlessLoopAreAllBehindIt) {
    constexpr std::uint32_t kExit = 3;
    EXPECT_EQ(parted_by({{1, 2}, {1}, {kExit}}, 0), (Blocks{1, 2}));
}

TEST(ControlRegions, KeepTheFirstCause) {
    const Graph graph = {{1, 5}, {2, 3}, {3}, {5}, {5}};
    const ControlFlow flow = make_flow(graph);
    ControlRegions regions(flow);
    const auto ignore = [](std::uint32_t) {};
    regions.part(1, 8, ignore);
    regions.part(0, 9, ignore);
    EXPECT_EQ(regions.cause_of(2), 8U);
    EXPECT_EQ(regions.cause_of(1), 9U);
    EXPECT_EQ(regions.cause_of(3), 9U);
}

TEST(ControlRegions, OfManyPartialExitsTakeNoSquareTime) {
    constexpr std::uint32_t kBlocks = 200000;
    Graph graph(kBlocks);
    for (std::uint32_t i = 0; i < kBlocks; ++i) graph[i] = {i + 1, kBlocks};
    const ControlFlow flow = make_flow(graph);
    ControlRegions regions(flow);
    std::uint32_t parted = 0;
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
        regions.part(i, i, [&](std::uint32_t) { ++parted; });
    }
    EXPECT_EQ(parted, kBlocks - 1);
}

}  // namespace
}  // namespace gwatch::analysis
