#include "analysis/control_flow.h"

#include <algorithm>
#include <string_view>

#include "analysis/callees.h"
#include "analysis/names.h"

namespace gwatch::analysis {
namespace {

using ptx::kNone;
using ptx::StatementKind;

class ControlFlowBuilder {
  public:
    ControlFlowBuilder(const ptx::Module& module, const Program& program)
        : module_(module),
          program_(program),
          labels_(find_labels(module, program.body)),
          callees_(module) {}

    ControlFlow run() {
        cut_blocks();
        for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) connect(i);
        return std::move(flow_);
    }

  private:
    void cut_blocks() {
        flow_.first_statement = program_.body.begin;
        std::uint32_t operation = 0;
        open_block(program_.body.begin, operation);
        for (std::uint32_t i = program_.body.begin; i < program_.body.end; ++i) {
            const StatementKind kind = module_.statements()[i].kind;
            if (kind == StatementKind::kLabel) start_block(i, operation);
            flow_.block_of.push_back(static_cast<std::uint32_t>(flow_.blocks.size() - 1));
            if (kind == StatementKind::kInstruction && ends_block(operation++)) {
                flow_.blocks.back().terminator = operation - 1;
                start_block(i + 1, operation);
            }
        }
        close_block(program_.body.end, operation);
    }

    void open_block(std::uint32_t statement, std::uint32_t operation) {
        flow_.blocks.push_back({statement, statement, operation, operation});
    }

    void close_block(std::uint32_t statement, std::uint32_t operation) {
        flow_.blocks.back().end_statement = statement;
        flow_.blocks.back().end_operation = operation;
    }

    void start_block(std::uint32_t statement, std::uint32_t operation) {
        if (flow_.blocks.back().first_statement == statement) return;
        close_block(statement, operation);
        open_block(statement, operation);
    }

    bool ends_block(std::uint32_t operation) {
        switch (program_.operations[operation].opcode.effect) {
            case Effect::kBranch:
            case Effect::kIndexedBranch:
            case Effect::kExit:
            case Effect::kTrap:
                return true;
            case Effect::kCall:
                return callees_.may_exit(instruction_of(operation));
            default:
                return false;
        }
    }

    ptx::Instruction instruction_of(std::uint32_t operation) const {
        const std::uint32_t statement = program_.operations[operation].statement;
        return module_.instruction(module_.statements()[statement]);
    }

    void connect(std::uint32_t number) {
        Block& block = flow_.blocks[number];
        block.first_successor = static_cast<std::uint32_t>(flow_.successors.size());
        const bool is_last = number + 1 == flow_.blocks.size();
        const std::uint32_t next = is_last ? flow_.exit() : number + 1;
        if (block.terminator == kNone || falls_through(block.terminator)) {
            flow_.successors.push_back(next);
        }
        if (block.terminator != kNone) add_targets(block);
        const auto begin = flow_.successors.begin() + block.first_successor;
        std::sort(begin, flow_.successors.end());
        flow_.successors.erase(std::unique(begin, flow_.successors.end()), flow_.successors.end());
        block.end_successor = static_cast<std::uint32_t>(flow_.successors.size());
    }

    bool falls_through(std::uint32_t operation) const {
        const Operation& last = program_.operations[operation];
        return last.guard != kNone || last.opcode.effect == Effect::kCall;
    }

    void add_targets(Block& block) {
        switch (program_.operations[block.terminator].opcode.effect) {
            case Effect::kBranch:
                add_branch_target(block);
                break;
            case Effect::kIndexedBranch:
                add_table_targets(block);
                break;
            case Effect::kCall:
                block.always_parts = true;
                flow_.successors.push_back(flow_.exit());
                break;
            case Effect::kTrap:
                flow_.successors.push_back(flow_.trap());
                break;
            default:
                flow_.successors.push_back(flow_.exit());
                break;
        }
    }

    void add_branch_target(Block& block) {
        const ptx::Instruction branch = instruction_of(block.terminator);
        if (!branch.operands.empty() && add_label(scope_of(block), branch.operands[0])) return;
        add_all_labels(block);
    }

    // The targets stand in a .branchtargets directive behind the table's label.
    void add_table_targets(Block& block) {
        const ptx::Instruction branch = instruction_of(block.terminator);
        const std::uint32_t label =
            branch.operands.size() < 2 ? kNone : labels_.find(scope_of(block), branch.operands[1]);
        if (label == kNone || label + 1 >= program_.body.end || !add_table(label + 1)) {
            add_all_labels(block);
        }
    }

    bool add_table(std::uint32_t statement) {
        const ptx::Statement& table = module_.statements()[statement];
        if (module_.head(table) != ".branchtargets") return false;
        bool complete = true;
        for (std::uint32_t i = table.first_token; i < table.end_token; ++i) {
            const ptx::Token& token = module_.tokens()[i];
            if (token.kind != ptx::TokenKind::kWord) continue;
            complete = add_label(table.scope, module_.text_of(token)) && complete;
        }
        return complete;
    }

    bool add_label(std::uint32_t scope, std::string_view name) {
        const std::uint32_t statement = labels_.find(scope, name);
        if (statement == kNone) return false;
        flow_.successors.push_back(flow_.block_of[statement - flow_.first_statement]);
        return true;
    }

    // A target that cannot be told may be any.
    void add_all_labels(Block& block) {
        block.always_parts = true;
        flow_.successors.push_back(flow_.exit());
        for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) {
            const std::uint32_t first = flow_.blocks[i].first_statement;
            if (first >= program_.body.end) continue;
            const bool is_label = module_.statements()[first].kind == StatementKind::kLabel;
            if (is_label) flow_.successors.push_back(i);
        }
    }

    std::uint32_t scope_of(const Block& block) const {
        return module_.statements()[program_.operations[block.terminator].statement].scope;
    }

    const ptx::Module& module_;
    const Program& program_;
    ScopedNames labels_;
    Callees callees_;
    ControlFlow flow_;
};

}  // namespace

ControlFlow build_control_flow(const ptx::Module& module, const Program& program) {
    return ControlFlowBuilder(module, program).run();
}

Edges edges_of(const ControlFlow& flow) {
    Edges edges;
    edges.reserve(flow.successors.size());
    for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
        for (const std::uint32_t next : flow.successors_of(flow.blocks[block]))
            edges.emplace_back(block, next);
    }
    return edges;
}

}  // namespace gwatch::analysis
