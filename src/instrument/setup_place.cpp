#include "instrument/setup_place.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/dominators.h"

namespace gwatch::instrument {

namespace {

using analysis::kNoDominator;

class Finder {
  public:
    Finder(const analysis::FunctionCode& entry, const FunctionPlan& function)
        : program_(entry.program), flow_(entry.flow), stops_(stops_of(entry, function)) {}

    std::uint32_t run() const {
        const analysis::DominatorTree tree =
            analysis::find_dominators(flow_.trap() + 1, analysis::edges_of(flow_), 0);
        std::uint32_t common = common_dominator(tree);
        if (common == ptx::kNone) return ptx::kNone;
        const std::vector<bool> looped = blocks_from_loops_on();
        while (common != 0 && looped[common]) common = tree.parent[common];
        return looped[common] ? ptx::kNone : last_place_in(common);
    }

  private:
    std::uint32_t block_of(std::uint32_t statement) const {
        return flow_.block_of[statement - flow_.first_statement];
    }

    /// The deepest block that dominates all sites and calls that can be reached. Ways up the
    /// tree end where they meet an earlier one: both are the same from there on.
    std::uint32_t common_dominator(const analysis::DominatorTree& tree) const {
        std::vector<bool> climbed(flow_.blocks.size(), false);
        std::uint32_t common = ptx::kNone;
        for (const std::uint32_t statement : stops_) {
            std::uint32_t block = block_of(statement);
            if (block != 0 && tree.parent[block] == kNoDominator) continue;
            const bool is_first = common == ptx::kNone;
            if (is_first) common = block;
            while (block != 0 && !climbed[block]) {
                climbed[block] = true;
                block = tree.parent[block];
            }
            if (!is_first && tree.depth[block] < tree.depth[common]) common = block;
        }
        return common;
    }

    /// Those in a loop, or behind one. In a loop lanes may wait for one that has gone on: the
    /// setup, where the lanes of a warp meet, would keep it from going on.
    std::vector<bool> blocks_from_loops_on() const {
        std::vector<bool> looped(flow_.blocks.size(), false);
        std::vector<std::uint32_t> pending = loop_heads();
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            if (at >= looped.size() || looped[at]) continue;
            looped[at] = true;
            for (const std::uint32_t next : flow_.successors_of(flow_.blocks[at]))
                pending.push_back(next);
        }
        return looped;
    }

    /// At least one block of each loop: those that a walk into the depth meets on its own way.
    std::vector<std::uint32_t> loop_heads() const {
        enum class State : std::uint8_t { kNew, kOnTheWay, kDone };
        std::vector<State> states(flow_.blocks.size(), State::kNew);
        std::vector<std::pair<std::uint32_t, std::size_t>> way{{0, 0}};  // block, next successor
        std::vector<std::uint32_t> heads;
        states[0] = State::kOnTheWay;
        while (!way.empty()) {
            const std::uint32_t block = way.back().first;
            const auto successors = flow_.successors_of(flow_.blocks[block]);
            if (way.back().second == successors.size()) {
                states[block] = State::kDone;
                way.pop_back();
                continue;
            }
            const std::uint32_t next = successors[way.back().second++];
            if (next >= states.size()) continue;
            if (states[next] == State::kOnTheWay) heads.push_back(next);
            if (states[next] != State::kNew) continue;
            states[next] = State::kOnTheWay;
            way.emplace_back(next, 0);
        }
        return heads;
    }

    /// In front of the block's first site or call, or of what ends it.
    std::uint32_t last_place_in(std::uint32_t number) const {
        const analysis::Block& block = flow_.blocks[number];
        for (const std::uint32_t statement : stops_) {
            if (block_of(statement) == number) return statement;
        }
        if (block.terminator == ptx::kNone) return ptx::kNone;
        return program_.operations[block.terminator].statement;
    }

    const analysis::Program& program_;
    const analysis::ControlFlow& flow_;
    const std::vector<std::uint32_t> stops_;
};

}  // namespace

std::vector<std::uint32_t> stops_of(const analysis::FunctionCode& entry,
                                    const FunctionPlan& function) {
    std::vector<std::uint32_t> stops;
    for (const PlannedSite& site : function.sites) stops.push_back(site.statement);
    for (const analysis::Operation& operation : entry.program.operations) {
        if (operation.opcode.effect == analysis::Effect::kCall)
            stops.push_back(operation.statement);
    }
    std::sort(stops.begin(), stops.end());
    return stops;
}

std::uint32_t setup_place(const analysis::FunctionCode& entry, const FunctionPlan& function) {
    return Finder(entry, function).run();
}

}  // namespace gwatch::instrument
