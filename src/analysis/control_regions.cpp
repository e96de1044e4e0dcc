#include "analysis/control_regions.h"

#include <cstddef>
#include <utility>

namespace gwatch::analysis {

using ptx::kNone;

ControlRegions::ControlRegions(const ControlFlow& flow)
    : flow_(flow),
      predecessors_(flow.blocks.size() + 2),
      reaches_exit_(flow.blocks.size() + 2, false),
      gates_(flow.blocks.size(), kNone) {
    for (std::uint32_t i = 0; i < flow.blocks.size(); ++i) {
        for (const std::uint32_t next : flow.successors_of(flow.blocks[i])) {
            predecessors_[next].push_back(i);
        }
    }
    mark_reaching(flow.exit());
    open_endless_loops();
    build_tree();
}

// The node, and all from which it can be reached.
void ControlRegions::mark_reaching(std::uint32_t node) {
    std::vector<std::uint32_t> pending{node};
    reaches_exit_[node] = true;
    while (!pending.empty()) {
        const std::uint32_t reached = pending.back();
        pending.pop_back();
        for (const std::uint32_t before : predecessors_[reached]) {
            if (reaches_exit_[before]) continue;
            reaches_exit_[before] = true;
            pending.push_back(before);
        }
    }
}

// A loop that is entered from another endless one comes first.
void ControlRegions::open_endless_loops() {
    for (const std::uint32_t head : find_loop_heads()) {
        if (reaches_exit_[head]) continue;
        gates_[head] = static_cast<std::uint32_t>(flow_.blocks.size() + 2 + gated_.size());
        gated_.push_back(head);
        mark_reaching(head);
    }
}

// The heads of the loops that cannot reach the exit, in the order in which a depth-first walk
// leaves them.
std::vector<std::uint32_t> ControlRegions::find_loop_heads() const {
    enum class State : std::uint8_t { kNew, kOpen, kLeft };
    std::vector<State> states(flow_.blocks.size(), State::kNew);
    std::vector<bool> is_head(flow_.blocks.size(), false);
    std::vector<std::uint32_t> heads;
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    const auto enter = [&](std::uint32_t block) {
        states[block] = State::kOpen;
        stack.emplace_back(block, 0);
    };
    for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) {
        if (!reaches_exit_[i] && states[i] == State::kNew) enter(i);
        while (!stack.empty()) {
            auto& [block, position] = stack.back();
            const auto successors = flow_.successors_of(flow_.blocks[block]);
            if (position == successors.size()) {
                states[block] = State::kLeft;
                if (is_head[block]) heads.push_back(block);
                stack.pop_back();
                continue;
            }
            const std::uint32_t next = successors[position++];
            if (next >= flow_.blocks.size()) continue;
            if (states[next] == State::kOpen) is_head[next] = true;
            if (states[next] == State::kNew) enter(next);
        }
    }
    return heads;
}

// Where an edge to this node leads.
std::uint32_t ControlRegions::entry_of(std::uint32_t node) const {
    return node < gates_.size() && gates_[node] != kNone ? gates_[node] : node;
}

// The edges are reversed. Those into a way that only traps are left out; within such ways the trap
// is the end.
void ControlRegions::build_tree() {
    Edges edges;
    edges.reserve(flow_.successors.size());
    for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) {
        for (const std::uint32_t next : flow_.successors_of(flow_.blocks[i])) {
            if (reaches_exit_[i] && !reaches_exit_[next]) continue;
            edges.emplace_back(next == flow_.trap() ? flow_.exit() : entry_of(next), i);
        }
    }
    for (const std::uint32_t head : gated_) {
        edges.emplace_back(head, gates_[head]);
        edges.emplace_back(flow_.exit(), gates_[head]);
    }
    const auto nodes = static_cast<std::uint32_t>(flow_.blocks.size() + 2 + gated_.size());
    tree_ = find_dominators(nodes, edges, flow_.exit());
    cause_of_.assign(nodes, kNone);
    next_unparted_.resize(nodes);
    for (std::uint32_t i = 0; i < nodes; ++i) next_unparted_[i] = i;
}

std::uint32_t ControlRegions::first_unparted(std::uint32_t node) {
    std::uint32_t last = node;
    while (next_unparted_[last] != last) last = next_unparted_[last];
    while (next_unparted_[node] != last) node = std::exchange(next_unparted_[node], last);
    return last;
}

// The nodes that control may reach next; trap and exit, on which nothing depends, are left out.
std::vector<std::uint32_t> ControlRegions::ways_from(std::uint32_t node) const {
    if (node > flow_.trap()) return {gated_[node - flow_.trap() - 1]};
    std::vector<std::uint32_t> ways;
    for (const std::uint32_t next : flow_.successors_of(flow_.blocks[node])) {
        if (next < flow_.blocks.size()) ways.push_back(next);
    }
    return ways;
}

void ControlRegions::part_one(std::uint32_t node, std::uint32_t cause,
                              std::vector<std::uint32_t>& parted) {
    const bool is_gate = node > flow_.trap();
    for (const std::uint32_t next : ways_from(node)) {
        const bool enters_trap = !is_gate && reaches_exit_[node] && !reaches_exit_[next];
        const std::uint32_t end_depth = enters_trap ? 0 : tree_.depth[node] - 1;
        const std::uint32_t entry = is_gate ? next : entry_of(next);
        for (std::uint32_t i = first_unparted(entry); tree_.depth[i] > end_depth;
             i = first_unparted(i)) {
            cause_of_[i] = cause;
            parted.push_back(i);
            next_unparted_[i] = tree_.parent[i];
        }
    }
}

void ControlRegions::part(std::uint32_t block, std::uint32_t cause,
                          const std::function<void(std::uint32_t)>& on_parted) {
    std::vector<std::uint32_t> pending{block};
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        std::vector<std::uint32_t> parted;
        part_one(at, cause, parted);
        for (const std::uint32_t i : parted) {
            if (i < flow_.blocks.size()) on_parted(i);
            pending.push_back(i);
        }
    }
}

}  // namespace gwatch::analysis
