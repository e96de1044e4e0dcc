#include "instrument/header_places.h"

#include <algorithm>
#include <cstddef>

#include "instrument/opcodes.h"
#include "instrument/setup_place.h"

namespace gwatch::instrument {

namespace {

/// A header that waits for longer would keep its registers from the kernel.
constexpr std::uint32_t kMostBlocks = 64;

using Places = std::vector<std::uint32_t>;  // statements, in text order

class Finder {
  public:
    Finder(const analysis::FunctionCode& entry, const FunctionPlan& function)
        : program_(entry.program), flow_(entry.flow), stops_(stops_of(entry, function)) {
        for (const analysis::Operation& operation : program_.operations) {
            const ptx::Statement& statement = entry.module.statements()[operation.statement];
            if (base_opcode(entry.module, statement) == "setmaxnreg")
                waits_.push_back(operation.statement);
        }
    }

    Places run(std::uint32_t setup) {
        if (waits_.empty()) return {};
        count_predecessors();
        const std::uint32_t begin = setup == ptx::kNone ? flow_.first_statement : setup;
        walk(flow_.block_of[begin - flow_.first_statement], begin);
        std::sort(places_.begin(), places_.end());
        return places_;
    }

  private:
    void count_predecessors() {
        predecessors_.assign(flow_.trap() + 1u, 0);
        predecessors_[0] = 1;
        for (const analysis::Block& block : flow_.blocks) {
            for (const std::uint32_t next : flow_.successors_of(block)) ++predecessors_[next];
        }
    }

    /// Notes the places of all ways from a statement of a block on. False, and nothing noted, if
    /// none of the ways leads to a wait in front of its first stop.
    bool walk(std::uint32_t number, std::uint32_t begin) {
        const analysis::Block& block = flow_.blocks[number];
        const std::uint32_t wait = first_from(waits_, begin);
        const std::uint32_t stop = first_from(stops_, begin);
        if (wait < stop && wait < block.end_statement) {
            places_.push_back(wait + 1);
            return true;
        }
        return stop >= block.end_statement && walk_successors(block);
    }

    static std::uint32_t first_from(const Places& statements, std::uint32_t begin) {
        const auto found = std::lower_bound(statements.begin(), statements.end(), begin);
        return found == statements.end() ? ptx::kNone : *found;
    }

    /// A way that leads to no wait stores the header where it parts from the others.
    bool walk_successors(const analysis::Block& block) {
        const std::size_t noted = places_.size();
        bool leads_to_wait = false;
        for (const std::uint32_t next : flow_.successors_of(block)) {
            if (next == flow_.trap()) continue;
            if (!may_go_to(next)) {
                leads_to_wait = false;
                break;
            }
            if (walk(next, flow_.blocks[next].first_statement)) {
                leads_to_wait = true;
            } else {
                places_.push_back(
                    program_.operations[flow_.blocks[next].first_operation].statement);
            }
        }
        if (!leads_to_wait) places_.resize(noted);
        return leads_to_wait;
    }

    /// A block where ways meet, such as the head of a loop, might come with the header stored and
    /// without it.
    bool may_go_to(std::uint32_t next) {
        if (next == flow_.exit() || predecessors_[next] != 1 || ++walked_ > kMostBlocks)
            return false;
        const analysis::Block& block = flow_.blocks[next];
        return block.first_operation < block.end_operation;
    }

    const analysis::Program& program_;
    const analysis::ControlFlow& flow_;
    const Places stops_;
    Places waits_;
    std::vector<std::uint32_t> predecessors_;
    std::uint32_t walked_ = 0;
    Places places_;
};

}  // namespace

Places header_places(const analysis::FunctionCode& entry, const FunctionPlan& function) {
    return Finder(entry, function).run(function.setup);
}

}  // namespace gwatch::instrument
