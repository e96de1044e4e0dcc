#include "analysis/dominators.h"

#include <span>

namespace gwatch::analysis {
namespace {

/// The neighbours of each node, in one array.
class Adjacency {
  public:
    Adjacency(std::uint32_t nodes, const Edges& edges, bool reversed) : begins_(nodes + 1, 0) {
        for (const auto& [from, to] : edges) ++begins_[(reversed ? to : from) + 1];
        for (std::uint32_t i = 0; i < nodes; ++i) begins_[i + 1] += begins_[i];
        neighbours_.resize(edges.size());
        std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
        for (const auto& [from, to] : edges) {
            neighbours_[next[reversed ? to : from]++] = reversed ? from : to;
        }
    }

    std::span<const std::uint32_t> of(std::uint32_t node) const {
        return std::span(neighbours_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
    }

  private:
    std::vector<std::uint32_t> begins_;
    std::vector<std::uint32_t> neighbours_;
};

// Nodes are named by their number in depth-first order, from 0, except where `node` is said.
class LengauerTarjan {
  public:
    LengauerTarjan(std::uint32_t nodes, const Edges& edges, std::uint32_t root)
        : successors_(nodes, edges, false),
          predecessors_(nodes, edges, true),
          number_(nodes, kNoDominator) {
        number_nodes(root);
        const auto count = static_cast<std::uint32_t>(node_.size());
        semi_.resize(count);
        label_.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) semi_[i] = label_[i] = i;
        ancestor_.assign(count, kNoDominator);
        dominator_.assign(count, kNoDominator);
        bucket_.assign(count, kNoDominator);
        next_in_bucket_.assign(count, kNoDominator);
    }

    DominatorTree run() {
        for (auto i = static_cast<std::uint32_t>(node_.size()); i-- > 1;) {
            find_semidominator(i);
            next_in_bucket_[i] = bucket_[semi_[i]];
            bucket_[semi_[i]] = i;
            ancestor_[i] = parent_[i];
            empty_bucket(parent_[i]);
        }
        return make_tree();
    }

  private:
    void number_nodes(std::uint32_t root) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{root, kNoDominator}};
        while (!stack.empty()) {
            const auto [node, parent] = stack.back();
            stack.pop_back();
            if (number_[node] != kNoDominator) continue;
            const auto number = static_cast<std::uint32_t>(node_.size());
            number_[node] = number;
            node_.push_back(node);
            parent_.push_back(parent);
            for (const std::uint32_t next : successors_.of(node)) {
                if (number_[next] == kNoDominator) stack.emplace_back(next, number);
            }
        }
    }

    void find_semidominator(std::uint32_t i) {
        for (const std::uint32_t node : predecessors_.of(node_[i])) {
            const std::uint32_t predecessor = number_[node];
            if (predecessor == kNoDominator) continue;
            const std::uint32_t candidate = semi_[evaluate(predecessor)];
            if (candidate < semi_[i]) semi_[i] = candidate;
        }
    }

    void empty_bucket(std::uint32_t owner) {
        for (std::uint32_t i = bucket_[owner]; i != kNoDominator; i = next_in_bucket_[i]) {
            const std::uint32_t lowest = evaluate(i);
            dominator_[i] = semi_[lowest] < semi_[i] ? lowest : owner;
        }
        bucket_[owner] = kNoDominator;
    }

    // The node of least semidominator on the path from i up to, without, the root of its tree.
    std::uint32_t evaluate(std::uint32_t i) {
        if (ancestor_[i] == kNoDominator) return i;
        path_.clear();
        for (std::uint32_t j = i; ancestor_[ancestor_[j]] != kNoDominator; j = ancestor_[j]) {
            path_.push_back(j);
        }
        while (!path_.empty()) {
            const std::uint32_t j = path_.back();
            path_.pop_back();
            const std::uint32_t above = ancestor_[j];
            if (semi_[label_[above]] < semi_[label_[j]]) label_[j] = label_[above];
            ancestor_[j] = ancestor_[above];
        }
        return label_[i];
    }

    DominatorTree make_tree() {
        const auto nodes = static_cast<std::uint32_t>(number_.size());
        DominatorTree tree{std::vector<std::uint32_t>(nodes, kNoDominator),
                           std::vector<std::uint32_t>(nodes, 0)};
        for (std::uint32_t i = 1; i < node_.size(); ++i) {
            if (dominator_[i] != semi_[i]) dominator_[i] = dominator_[dominator_[i]];
            const std::uint32_t parent = node_[dominator_[i]];
            tree.parent[node_[i]] = parent;
            tree.depth[node_[i]] = tree.depth[parent] + 1;
        }
        return tree;
    }

    Adjacency successors_;
    Adjacency predecessors_;
    std::vector<std::uint32_t> number_;  // by node
    std::vector<std::uint32_t> node_;
    std::vector<std::uint32_t> parent_;  // in the depth-first tree
    std::vector<std::uint32_t> semi_;
    std::vector<std::uint32_t> label_;
    std::vector<std::uint32_t> ancestor_;
    std::vector<std::uint32_t> dominator_;
    std::vector<std::uint32_t> bucket_;  // heads of the lists of nodes by semidominator
    std::vector<std::uint32_t> next_in_bucket_;
    std::vector<std::uint32_t> path_;
};

}  // namespace

DominatorTree find_dominators(std::uint32_t nodes, const Edges& edges, std::uint32_t root) {
    return LengauerTarjan(nodes, edges, root).run();
}

bool dominates(const DominatorTree& tree, std::uint32_t above, std::uint32_t below) {
    if (below != 0 && tree.parent[below] == kNoDominator) return false;
    while (below != above && tree.depth[below] > tree.depth[above]) below = tree.parent[below];
    return below == above;
}

}  // namespace gwatch::analysis
