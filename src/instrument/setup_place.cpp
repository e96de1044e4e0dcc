#include "instrument/setup_place.h"

#include <utility>
#include <vector>

#include "analysis/control_flow.h"
#include "analysis/dominators.h"
#include "analysis/program.h"

namespace gwatch::instrument {

namespace {

using analysis::kNoDominator;

class Finder {
  public:
    Finder(const ptx::Module& module, const FunctionPlan& function)
        : function_(function),
          program_(analysis::read_program(module, module.functions()[function.function], {})),
          flow_(analysis::build_control_flow(module, program_)) {}

    std::uint32_t run() const {
        const analysis::DominatorTree tree =
            analysis::find_dominators(flow_.trap() + 1, edges(), 0);
        std::uint32_t common = ptx::kNone;
        for (const PlannedSite& site : function_.sites) {
            const std::uint32_t block = block_of(site);
            if (block == ptx::kNone || (block != 0 && tree.parent[block] == kNoDominator)) continue;
            common = common == ptx::kNone ? block : meet(tree, common, block);
        }
        if (common == ptx::kNone) return ptx::kNone;
        while (common != 0 && is_in_loop(common)) common = tree.parent[common];
        return is_in_loop(common) ? ptx::kNone : last_place_in(common);
    }

  private:
    analysis::Edges edges() const {
        analysis::Edges all;
        for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
            for (const std::uint32_t next : flow_.successors_of(flow_.blocks[block]))
                all.emplace_back(block, next);
        }
        return all;
    }

    std::uint32_t block_of(const PlannedSite& site) const {
        const std::uint32_t index = site.statement - flow_.first_statement;
        return index < flow_.block_of.size() ? flow_.block_of[index] : ptx::kNone;
    }

    static std::uint32_t meet(const analysis::DominatorTree& tree, std::uint32_t a,
                              std::uint32_t b) {
        while (a != b) {
            if (tree.depth[a] < tree.depth[b]) std::swap(a, b);
            a = tree.parent[a];
        }
        return a;
    }

    bool is_in_loop(std::uint32_t block) const {
        std::vector<bool> seen(flow_.blocks.size(), false);
        std::vector<std::uint32_t> pending{block};
        while (!pending.empty()) {
            const std::uint32_t at = pending.back();
            pending.pop_back();
            for (const std::uint32_t next : flow_.successors_of(flow_.blocks[at])) {
                if (next == block) return true;
                if (next >= flow_.blocks.size() || seen[next]) continue;
                seen[next] = true;
                pending.push_back(next);
            }
        }
        return false;
    }

    /// In front of the block's first site, or of what ends it.
    std::uint32_t last_place_in(std::uint32_t number) const {
        const analysis::Block& block = flow_.blocks[number];
        for (const PlannedSite& site : function_.sites) {
            if (block_of(site) == number) return site.statement;
        }
        if (block.terminator == ptx::kNone) return ptx::kNone;
        return program_.operations[block.terminator].statement;
    }

    const FunctionPlan& function_;
    analysis::Program program_;
    analysis::ControlFlow flow_;
};

}  // namespace

std::uint32_t setup_place(const ptx::Module& module, const FunctionPlan& function) {
    return Finder(module, function).run();
}

}  // namespace gwatch::instrument
