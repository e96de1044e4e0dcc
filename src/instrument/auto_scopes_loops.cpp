#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/dominators.h"
#include "analysis/names.h"
#include "instrument/auto_scopes_acts.h"
#include "instrument/auto_scopes_spans.h"

namespace gwatch::instrument {

namespace {

using analysis::Block;
using analysis::Effect;
using analysis::Operation;
using ptx::kNone;
using Blocks = std::set<std::uint32_t>;

/// Finds loops by their back edges, and the ways in and out of each.
class LoopFinder {
  public:
    explicit LoopFinder(const analysis::FunctionCode& code)
        : code_(code), flow_(code.flow), predecessors_(flow_.blocks.size() + 2) {
        // Only what control reaches: a .loc between a branch and a label is a block too.
        std::set<std::uint32_t> seen = {0};
        std::vector<std::uint32_t> pending = {0};
        while (!pending.empty()) {
            const std::uint32_t from = pending.back();
            pending.pop_back();
            for (const std::uint32_t next : flow_.successors_of(flow_.blocks[from])) {
                predecessors_[next].push_back(from);
                edges_.emplace_back(from, next);
                if (next < flow_.blocks.size() && seen.insert(next).second) pending.push_back(next);
            }
        }
        for (const Block& block : flow_.blocks) quiet_.push_back(has_only_quiet_operations(block));
    }

    WaitLoops run() {
        WaitLoops found{{}, std::vector<bool>(flow_.blocks.size(), false)};
        std::vector<Loop> loops = quiet_loops();
        // Outer loops first: of nested ones that only wait, the outermost is the wait.
        std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) {
            return a.blocks.size() > b.blocks.size();
        });
        for (const Loop& loop : loops) {
            if (found.has_block[loop.header] || !only_waits(loop.blocks)) continue;
            if (auto span = to_span(loop.header, loop.blocks)) {
                found.spans.push_back(*std::move(span));
                for (const std::uint32_t block : loop.blocks) found.has_block[block] = true;
            }
        }
        return found;
    }

  private:
    struct Loop {
        std::uint32_t header;
        Blocks blocks;
    };

    /// The loops that have no other effect. A header may be that of a wait and of the loop around
    /// it, so each way back counts by itself, and all of them together.
    std::vector<Loop> quiet_loops() const {
        const auto nodes = static_cast<std::uint32_t>(flow_.blocks.size() + 2);
        const auto tree = analysis::find_dominators(nodes, edges_, 0);
        std::vector<Loop> loops;
        std::map<std::uint32_t, Blocks> together;
        for (const auto& [from, to] : edges_) {
            if (!is_quiet(from) || !is_quiet(to) || !analysis::dominates(tree, to, from)) continue;
            Loop loop{to, {to}};
            if (!add_body(from, &loop.blocks)) continue;
            together[to].insert(loop.blocks.begin(), loop.blocks.end());
            loops.push_back(std::move(loop));
        }
        for (auto& [header, blocks] : together) loops.push_back({header, std::move(blocks)});
        return loops;
    }

    bool is_quiet(std::uint32_t node) const { return node < quiet_.size() && quiet_[node]; }

    bool has_only_quiet_operations(const Block& block) const {
        for (std::uint32_t i = block.first_operation; i < block.end_operation; ++i) {
            const std::string_view opcode =
                code_.instruction_of(code_.program.operations[i]).opcode;
            if (!may_stand_in_wait_loop(opcode)) return false;
        }
        return true;
    }

    /// Adds what leads from the header, which is there, to a block; false when that is not quiet.
    bool add_body(std::uint32_t latch, Blocks* body) const {
        std::vector<std::uint32_t> pending;
        if (body->insert(latch).second) pending.push_back(latch);
        while (!pending.empty()) {
            const std::uint32_t block = pending.back();
            pending.pop_back();
            for (const std::uint32_t from : predecessors_[block]) {
                if (!is_quiet(from)) return false;
                if (body->insert(from).second) pending.push_back(from);
            }
        }
        return true;
    }

    template <class Visit>
    void each_operation(const Blocks& blocks, const Visit& visit) const {
        for (const std::uint32_t number : blocks) {
            const Block& block = flow_.blocks[number];
            for (std::uint32_t i = block.first_operation; i < block.end_operation; ++i) {
                visit(code_.program.operations[i]);
            }
        }
    }

    /// Whether what an mbarrier answers decides on a way out of a quiet loop.
    bool only_waits(const Blocks& blocks) const {
        std::set<std::uint32_t> answers;  // registers
        each_operation(blocks, [&](const Operation& operation) {
            if (asks_mbarrier(code_.instruction_of(operation).opcode))
                add_results(operation, &answers);
        });
        if (answers.empty()) return false;
        follow(blocks, &answers);
        return std::any_of(blocks.begin(), blocks.end(), [&](std::uint32_t block) {
            return leaves(blocks, block) &&
                   answers.count(terminator_of(flow_.blocks[block])->guard) != 0;
        });
    }

    bool add_results(const Operation& operation, std::set<std::uint32_t>* registers) const {
        bool is_new = false;
        for (const std::uint32_t result : code_.program.results_of(operation)) {
            is_new = registers->insert(result).second || is_new;
        }
        return is_new;
    }

    /// Adds what is computed from the registers.
    void follow(const Blocks& blocks, std::set<std::uint32_t>* registers) const {
        for (bool grows = true; grows;) {
            grows = false;
            each_operation(blocks, [&](const Operation& operation) {
                const auto sources = code_.program.sources_of(operation);
                const bool reads =
                    registers->count(operation.guard) != 0 ||
                    std::any_of(sources.begin(), sources.end(),
                                [&](const analysis::Source& source) {
                                    return source.reg != kNone && registers->count(source.reg) != 0;
                                });
                if (reads) grows = add_results(operation, registers) || grows;
            });
        }
    }

    const Operation* terminator_of(const Block& block) const {
        return block.terminator == kNone ? nullptr : &code_.program.operations[block.terminator];
    }

    bool leaves(const Blocks& blocks, std::uint32_t block) const {
        const auto next = flow_.successors_of(flow_.blocks[block]);
        return terminator_of(flow_.blocks[block]) != nullptr &&
               std::any_of(next.begin(), next.end(),
                           [&](std::uint32_t node) { return blocks.count(node) == 0; });
    }

    std::optional<Span> to_span(std::uint32_t header, const Blocks& blocks) const {
        Span span{AutoKind::kMbarrier, "mbarrier.wait", kNone, 0, {}, {}};
        each_operation(blocks, [&](const Operation& operation) {
            if (!asks_mbarrier(code_.instruction_of(operation).opcode)) return;
            span.first_statement = std::min(span.first_statement, operation.statement);
            span.last_statement = std::max(span.last_statement, operation.statement);
        });
        if (!add_starts(header, blocks, &span) || !add_ends(blocks, &span)) return std::nullopt;
        return span;
    }

    bool add_starts(std::uint32_t header, const Blocks& blocks, Span* span) const {
        for (const std::uint32_t from : predecessors_[header]) {
            if (blocks.count(from) != 0) continue;
            const Block& block = flow_.blocks[from];
            if (falls_into(from, header)) {
                span->starts.push_back({flow_.blocks[header].first_statement, false});
            }
            if (!jumps_to(block, header)) continue;
            if (!add_jump(block, &span->starts)) return false;
        }
        return !span->starts.empty();
    }

    bool add_ends(const Blocks& blocks, Span* span) const {
        std::set<std::uint32_t> ended;  // targets that have an end of their own
        for (const std::uint32_t from : blocks) {
            const Block& block = flow_.blocks[from];
            for (const std::uint32_t to : flow_.successors_of(block)) {
                if (blocks.count(to) != 0 || to == flow_.trap()) continue;
                if (to == flow_.exit()) return false;
                if (is_label(flow_.blocks[to].first_statement) && is_entered_from(blocks, to)) {
                    if (ended.insert(to).second)
                        span->ends.push_back({flow_.blocks[to].first_statement, true});
                    continue;
                }
                if (falls_into(from, to)) span->ends.push_back({block.end_statement - 1, true});
                if (jumps_to(block, to) && !add_jump(block, &span->ends)) return false;
            }
        }
        return !span->ends.empty();
    }

    /// In front of a branch, for the threads that take it.
    bool add_jump(const Block& block, std::vector<MarkerPlace>* places) const {
        const Operation& branch = *terminator_of(block);
        if (branch.opcode.effect != Effect::kBranch) return false;
        const ptx::Instruction instruction = code_.instruction_of(branch);
        places->push_back({branch.statement, false, instruction.guard, instruction.guard_negated});
        return true;
    }

    bool is_label(std::uint32_t statement) const {
        return code_.module.statements()[statement].kind == ptx::StatementKind::kLabel;
    }

    bool is_entered_from(const Blocks& blocks, std::uint32_t node) const {
        return std::all_of(predecessors_[node].begin(), predecessors_[node].end(),
                           [&](std::uint32_t from) { return blocks.count(from) != 0; });
    }

    bool falls_into(std::uint32_t from, std::uint32_t to) const {
        if (to != from + 1) return false;
        const Operation* last = terminator_of(flow_.blocks[from]);
        return last == nullptr || last->guard != kNone || last->opcode.effect == Effect::kCall;
    }

    /// Only for a successor.
    bool jumps_to(const Block& block, std::uint32_t to) const {
        const Operation* last = terminator_of(block);
        if (last == nullptr) return false;
        if (last->opcode.effect == Effect::kIndexedBranch) return true;
        if (last->opcode.effect != Effect::kBranch) return false;
        const auto& statements = code_.module.statements();
        const auto& operands = code_.instruction_of(*last).operands;
        if (operands.empty()) return true;
        const std::uint32_t label = labels_.find(statements[last->statement].scope, operands[0]);
        return label == kNone || flow_.block_of[label - flow_.first_statement] == to;
    }

    const analysis::FunctionCode& code_;
    const analysis::ControlFlow& flow_;
    analysis::ScopedNames labels_ = analysis::find_labels(code_.module, code_.program.body);
    std::vector<std::vector<std::uint32_t>> predecessors_;
    std::vector<bool> quiet_;  ///< [block]: it may stand in a wait loop
    analysis::Edges edges_;
};

}  // namespace

WaitLoops find_wait_loops(const analysis::FunctionCode& code) {
    return LoopFinder(code).run();
}

}  // namespace gwatch::instrument
