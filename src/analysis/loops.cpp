#include "analysis/loops.h"

#include <algorithm>
#include <map>

namespace gwatch::analysis {

namespace {

class Finder {
  public:
    explicit Finder(const ControlFlow& flow)
        : flow_(flow), before_(flow.blocks.size()), met_(flow.blocks.size(), 0) {}

    std::vector<Loop> run() {
        const Edges edges = edges_of(flow_);
        const DominatorTree tree = find_dominators(flow_.trap() + 1, edges, 0);
        for (const auto& [from, to] : edges) {
            if (to >= flow_.blocks.size()) continue;
            before_[to].push_back(from);
            if (dominates(tree, to, from)) ends_[to].push_back(from);
        }
        std::vector<Loop> loops;
        for (const auto& [head, ends] : ends_) loops.push_back({head, blocks_of(head, ends)});
        return loops;
    }

  private:
    /// Those from which a way leads back to the head without passing it.
    std::vector<std::uint32_t> blocks_of(std::uint32_t head, std::vector<std::uint32_t> waiting) {
        std::vector<std::uint32_t> blocks{head};
        met_[head] = ++walk_;
        while (!waiting.empty()) {
            const std::uint32_t at = waiting.back();
            waiting.pop_back();
            if (met_[at] == walk_) continue;
            met_[at] = walk_;
            blocks.push_back(at);
            waiting.insert(waiting.end(), before_[at].begin(), before_[at].end());
        }
        std::sort(blocks.begin(), blocks.end());
        return blocks;
    }

    const ControlFlow& flow_;
    std::vector<std::vector<std::uint32_t>> before_;            // blocks in front of each block
    std::map<std::uint32_t, std::vector<std::uint32_t>> ends_;  // of each head, what goes back
    std::vector<std::uint32_t> met_;  // by block: the last walk that met it
    std::uint32_t walk_ = 0;
};

}  // namespace

std::vector<Loop> find_loops(const ControlFlow& flow) {
    return flow.blocks.empty() ? std::vector<Loop>{} : Finder(flow).run();
}

}  // namespace gwatch::analysis
