#include <string>
#include <string_view>

#include "analysis/uniformity.h"

namespace gwatch::analysis {
namespace {

using ptx::kNone;

std::string line_of(const ptx::Module& module, std::uint32_t statement) {
    const std::uint32_t offset = module.begin_of(module.statements()[statement]);
    return "line " + std::to_string(module.position(offset).line);
}

std::string_view opcode_of(const ptx::Module& module, std::uint32_t statement) {
    return module.instruction(module.statements()[statement]).opcode;
}

std::string_view kind_of(std::string_view opcode) {
    const std::string_view base = opcode.substr(0, opcode.find_first_of(". \t"));
    if (base == "bra" || base == "brx") return "branch";
    return base;
}

// What an instruction that reads no varying register takes its value from.
std::string source_of(const ptx::Module& module, std::uint32_t statement) {
    const ptx::Instruction instruction = module.instruction(module.statements()[statement]);
    const bool reads_special = instruction.opcode.starts_with("mov") &&
                               instruction.operands.size() == 2 &&
                               instruction.operands[1].starts_with('%');
    return std::string(reads_special ? instruction.operands[1] : instruction.opcode);
}

}  // namespace

bool Uniformity::proven(std::uint32_t statement) const {
    const std::uint32_t index = statement - first_statement_;
    return index < cause_of_.size() && cause_of_[index] == kNone;
}

bool Uniformity::for_selected_lanes(std::uint32_t statement) const {
    const std::uint32_t index = statement - first_statement_;
    return index < cause_of_.size() && cause_of_[index] != kNone &&
           causes_[cause_of_[index]].selects_lanes;
}

std::optional<Spoiler> Uniformity::spoiler(const ptx::Module& module,
                                           std::uint32_t statement) const {
    const std::uint32_t index = statement - first_statement_;
    if (index >= cause_of_.size() || cause_of_[index] == kNone) return std::nullopt;
    const Cause& cause = causes_[cause_of_[index]];
    const std::uint32_t offset = module.begin_of(module.statements()[cause.statement]);
    return Spoiler{cause.statement, module.position(offset).line,
                   module.source_line(cause.statement),
                   words_of(module, cause, cause.statement == statement)};
}

std::string Uniformity::words_of(const ptx::Module& module, const Cause& cause,
                                 bool is_guard) const {
    const std::string_view kind = kind_of(opcode_of(module, cause.statement));
    const std::string where = line_of(module, cause.statement);
    if (cause.by == kNone) return std::string(kind) + " at " + where + " may end some lanes only";
    const std::string on = std::string(registers_[cause.by]) + ", " + origin_of(module, cause.by);
    if (is_guard) return "guard at " + where + " is " + on;
    return std::string(kind) + " at " + where + " depends on " + on;
}

// Follows the registers back to the first that varies.
std::string Uniformity::origin_of(const ptx::Module& module, std::uint32_t reg) const {
    Origin origin = origins_[reg];
    while (origin.from != kNone && origin.cause == kNone) origin = origins_[origin.from];
    if (origin.statement == kNone) return "which nothing sets";
    const std::string where = line_of(module, origin.statement);
    if (origin.cause == kNone)
        return "set from " + source_of(module, origin.statement) + " at " + where;
    return "set at " + where + " where lanes are parted by the " +
           std::string(kind_of(opcode_of(module, causes_[origin.cause].statement))) + " at " +
           line_of(module, causes_[origin.cause].statement);
}

}  // namespace gwatch::analysis
