#include "instrument/settling.h"

#include <string_view>

#include "instrument/opcodes.h"

namespace gwatch::instrument {

namespace {

using ptx::Statement;
using ptx::StatementKind;

/// Instructions behind a barrier of which each takes a cycle at least: by then it holds the warp.
constexpr int kFarthest = 8;

bool has_part(std::string_view opcode, std::string_view part) {
    const std::size_t at = opcode.find(part);
    return at != std::string_view::npos &&
           (at + part.size() == opcode.size() || opcode[at + part.size()] == '.');
}

/// Waits for other warps of the block.
bool is_barrier(std::string_view base, std::string_view opcode) {
    if (base != "bar" && base != "barrier") return false;
    if (has_part(opcode, ".warp") || has_part(opcode, ".cluster")) return false;
    return has_part(opcode, ".sync") || has_part(opcode, ".red");
}

bool holds_whole_warps(std::string_view base, std::string_view opcode) {
    return base == "bar" || has_part(opcode, ".aligned");
}

bool parts_lanes(std::string_view base) {
    return base == "bra" || base == "brx" || base == "ret" || base == "exit" || base == "call";
}

Settling settling_at(const ptx::Module& module, const ptx::Scope& body, const PlannedSite& site) {
    bool is_straight = site.guard.empty();
    int distance = 0;
    for (std::uint32_t i = site.statement; i-- > body.open_statement && distance < kFarthest;) {
        const Statement& statement = module.statements()[i];
        is_straight = is_straight && statement.kind != StatementKind::kLabel;
        const std::string_view base = base_opcode(module, statement);
        if (base.empty()) continue;
        const ptx::Instruction instruction = module.instruction(statement);
        if (base == "bar" && has_part(instruction.opcode, ".warp")) return Settling::kNone;
        if (is_barrier(base, instruction.opcode)) {
            const bool is_whole = is_straight && instruction.guard.empty() &&
                                  holds_whole_warps(base, instruction.opcode);
            return is_whole ? Settling::kWholeWarp : Settling::kActiveLanes;
        }
        is_straight = is_straight && !parts_lanes(base);
        ++distance;
    }
    return Settling::kNone;
}

}  // namespace

void find_settling(const analysis::FunctionCode& code, FunctionPlan* function) {
    const ptx::Module& module = code.module;
    const ptx::Scope& body = module.scopes()[module.functions()[function->function].body_scope];
    for (PlannedSite& site : function->sites) site.settling = settling_at(module, body, site);
}

}  // namespace gwatch::instrument
