#include "instrument/reach.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;
using ptx::TokenKind;

/// Walks the module's text for names of its functions.
class Reach {
  public:
    explicit Reach(const ptx::Module& module) : module_(module) {
        const auto& functions = module.functions();
        for (std::uint32_t i = 0; i < functions.size(); ++i) {
            names_.insert(functions[i].name);
            if (!functions[i].is_entry && functions[i].body_scope != ptx::kNone) {
                definitions_.emplace(functions[i].name, i);
            }
        }
        for (const Statement& statement : module.statements()) {
            if (statement.kind == StatementKind::kDirective && module.head(statement) == ".alias")
                add_alias(statement);
        }
    }

    std::vector<std::uint32_t> from(const std::vector<std::uint32_t>& entries) {
        for (const std::uint32_t entry : entries) add(entry);
        while (!pending_.empty()) {
            const std::uint32_t function = pending_.back();
            pending_.pop_back();
            visit(function);
        }
        std::vector<std::uint32_t> sorted(reached_.begin(), reached_.end());
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }

  private:
    // .alias other_name, function;
    void add_alias(const Statement& statement) {
        std::string_view alias;
        for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
            const ptx::Token& token = module_.tokens()[t];
            if (token.kind != TokenKind::kWord) continue;
            const auto function = definitions_.find(module_.text_of(token));
            if (function != definitions_.end() && !alias.empty())
                definitions_.emplace(alias, function->second);
            alias = module_.text_of(token);
        }
        names_.insert(alias);
    }

    void add(std::uint32_t function) {
        if (reached_.insert(function).second) pending_.push_back(function);
    }

    void visit(std::uint32_t function) {
        const ptx::Scope& body = module_.scopes()[module_.functions()[function].body_scope];
        for (std::uint32_t i = body.open_statement; i < body.close_statement; ++i) {
            const Statement& statement = module_.statements()[i];
            add_mentioned(statement);
            if (is_indirect_call(statement)) add_all_mentioned();
        }
    }

    void add_mentioned(const Statement& statement) {
        for (std::uint32_t t = statement.first_token; t < statement.end_token; ++t) {
            const ptx::Token& token = module_.tokens()[t];
            if (token.kind != TokenKind::kWord) continue;
            const auto found = definitions_.find(module_.text_of(token));
            if (found != definitions_.end()) add(found->second);
        }
    }

    void add_all_mentioned() {
        if (all_added_) return;
        all_added_ = true;
        for (const Statement& statement : module_.statements()) {
            if (statement.kind != StatementKind::kFunction) add_mentioned(statement);
        }
    }

    // A direct call names a function of the module; a declaration inside the body counts as
    // unknown.
    bool is_indirect_call(const Statement& statement) const {
        if (statement.kind != StatementKind::kInstruction) return false;
        const ptx::Instruction instruction = module_.instruction(statement);
        if (instruction.opcode != "call" && !instruction.opcode.starts_with("call.")) return false;
        return std::none_of(instruction.operands.begin(), instruction.operands.end(),
                            [&](std::string_view operand) { return names_.count(operand) != 0; });
    }

    const ptx::Module& module_;
    std::unordered_set<std::string_view> names_;
    std::unordered_map<std::string_view, std::uint32_t> definitions_;
    std::unordered_set<std::uint32_t> reached_;
    std::vector<std::uint32_t> pending_;
    bool all_added_ = false;
};

}  // namespace

std::vector<std::uint32_t> reachable_functions(const ptx::Module& module,
                                               const std::vector<std::uint32_t>& entries) {
    return Reach(module).from(entries);
}

}  // namespace gwatch::instrument
