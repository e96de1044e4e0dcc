#include <algorithm>
#include <optional>
#include <utility>

#include "instrument/auto_scopes_acts.h"
#include "instrument/auto_scopes_spans.h"

namespace gwatch::instrument {

namespace {

using analysis::Block;
using analysis::Operation;
using ptx::kNone;

/// A run that goes on, or an instruction that waits for its other half.
struct Run {
    const Act* act;  ///< of its first instruction
    std::uint32_t guard;
    std::uint32_t first_statement;
    std::uint32_t last_statement;  ///< of its last work
    std::uint32_t named_statement;
    bool has_work;
    std::string_view guard_text;
    bool guard_negated;
};

/// Walks over one block after the other.
class BlockWalker {
  public:
    BlockWalker(const analysis::FunctionCode& code, const std::vector<std::uint32_t>& stops)
        : code_(code), stops_(stops) {}

    void walk(const Block& block) {
        auto stop = std::lower_bound(stops_.begin(), stops_.end(), block.first_statement);
        for (std::uint32_t i = block.first_operation; i < block.end_operation; ++i) {
            const Operation& operation = code_.program.operations[i];
            for (; stop != stops_.end() && *stop <= operation.statement; ++stop) close();
            step(operation);
        }
        close();
    }

    std::vector<Span> take() { return std::move(spans_); }

  private:
    void step(const Operation& operation) {
        const ptx::Instruction instruction = code_.instruction_of(operation);
        const Act* act = act_of(instruction.opcode);
        if (act == nullptr || (act->part == Part::kFeeds && !may_begin(*act, instruction))) {
            pass(operation, instruction.opcode);
            return;
        }
        if (run_ && !continues(*act, operation, instruction)) close();
        if (writes(operation, operation.guard)) return;  // who passed it could not be told behind
        if (!run_ && act->part == Part::kCloses) return;
        if (!run_) begin(*act, operation, instruction);
        extend(*act, operation.statement);
    }

    /// Whether a load of operands may begin a run: it stands under no guard, as nobody else would
    /// know of that, and in no run that is fed already.
    bool may_begin(const Act& act, const ptx::Instruction& instruction) const {
        return instruction.guard.empty() && !(run_ && run_->act->kind == act.kind);
    }

    /// An instruction that is no act, or has no part in one.
    void pass(const Operation& operation, std::string_view opcode) {
        if (!run_) return;
        const bool is_call = operation.opcode.effect == analysis::Effect::kCall;
        if (is_call || waits_for_half() || asks_mbarrier(opcode) ||
            writes(operation, run_->guard)) {
            close();
        }
    }

    bool waits_for_half() const { return run_->act->part == Part::kArrives; }

    bool writes(const Operation& operation, std::uint32_t guard) const {
        const auto results = code_.program.results_of(operation);
        return guard != kNone && std::find(results.begin(), results.end(), guard) != results.end();
    }

    bool continues(const Act& act, const Operation& operation,
                   const ptx::Instruction& instruction) const {
        if (act.label != run_->act->label || operation.guard != run_->guard ||
            instruction.guard_negated != run_->guard_negated) {
            return false;
        }
        if (waits_for_half()) return act.part == Part::kWhole;
        return act.part == Part::kWork || act.part == Part::kCloses;
    }

    void begin(const Act& act, const Operation& operation, const ptx::Instruction& instruction) {
        const std::uint32_t statement = operation.statement;
        run_ = Run{&act,      operation.guard, statement,         statement,
                   statement, false,           instruction.guard, instruction.guard_negated};
    }

    void extend(const Act& act, std::uint32_t statement) {
        const bool is_work = act.part == Part::kWork || act.part == Part::kWhole;
        if (is_work && !run_->has_work) run_->named_statement = statement;
        run_->has_work = run_->has_work || is_work;
        if (is_work || act.part == Part::kCloses) run_->last_statement = statement;
        if (act.part == Part::kWhole || act.part == Part::kCloses) close();
    }

    void close() {
        if (run_ && run_->has_work) {
            const MarkerPlace start{run_->first_statement, false, run_->guard_text,
                                    run_->guard_negated};
            const MarkerPlace end{run_->last_statement, true, run_->guard_text,
                                  run_->guard_negated};
            spans_.push_back({run_->act->kind,
                              run_->act->label,
                              run_->named_statement,
                              run_->last_statement,
                              {start},
                              {end}});
        }
        run_.reset();
    }

    const analysis::FunctionCode& code_;
    const std::vector<std::uint32_t>& stops_;
    std::optional<Run> run_;
    std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> find_block_spans(const analysis::FunctionCode& code, const WaitLoops& loops,
                                   const std::vector<std::uint32_t>& stops) {
    BlockWalker walker(code, stops);
    for (std::uint32_t i = 0; i < code.flow.blocks.size(); ++i) {
        if (!loops.has_block[i]) walker.walk(code.flow.blocks[i]);
    }
    return walker.take();
}

}  // namespace gwatch::instrument
