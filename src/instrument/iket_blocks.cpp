#include "instrument/iket_blocks.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace gwatch::instrument {

namespace {

using ptx::StatementKind;

constexpr std::string_view kEventOpcode = "pmevent.mask";

/// The opcodes of a block, in order. `#` stands for the bits of the payload; its first instruction
/// is the mov that takes it.
constexpr std::string_view kForms[] = {
    "mov.b32 mov.u32 or.b32 mad.lo.u32 st.weak.shared.u32 pmevent.mask",
    "activemask.b32 elect.sync mov.b32 mov.u32 or.b32 mad.lo.u32 mov.b# st.weak.shared.u32 "
    "st.weak.shared.b# pmevent.mask",
    // With more than 31 events.
    "mov.b32 mov.u32 mad.lo.u32 mov.b32 mov.b64 st.weak.shared.u64 pmevent.mask",
    "activemask.b32 elect.sync mov.b32 mov.u32 mad.lo.u32 mov.b32 mov.b# mov.b64 "
    "st.weak.shared.u64 st.weak.shared.b# pmevent.mask"};

/// The place of a form's payload among its instructions.
std::size_t payload_index(std::string_view form) {
    const std::string_view before = form.substr(0, form.find('#'));
    return static_cast<std::size_t>(std::count(before.begin(), before.end(), ' '));
}

std::string with_bits(std::string_view form, std::string_view bits) {
    std::string opcodes;
    for (const char c : form) {
        if (c == '#') {
            opcodes += bits;
        } else {
            opcodes += c;
        }
    }
    return opcodes;
}

struct Instructions {
    std::vector<ptx::Instruction> all;
    std::string opcodes;  ///< with a blank between
};

/// The instructions of a scope. Directives may stand between, inner scopes and labels not.
std::optional<Instructions> instructions_of(const ptx::Module& module, const ptx::Scope& scope) {
    Instructions found;
    for (std::uint32_t i = scope.open_statement + 1; i < scope.close_statement; ++i) {
        const ptx::Statement& statement = module.statements()[i];
        if (statement.kind == StatementKind::kDirective) continue;
        if (statement.kind != StatementKind::kInstruction) return std::nullopt;
        found.all.push_back(module.instruction(statement));
        if (!found.opcodes.empty()) found.opcodes += ' ';
        found.opcodes += found.all.back().opcode;
    }
    return found;
}

bool reports_event(const std::optional<Instructions>& instructions) {
    return instructions && !instructions->all.empty() &&
           instructions->all.back().opcode == kEventOpcode;
}

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Whether another instruction than the last names the event, as all forms have it.
bool names_event(const Instructions& instructions, std::string_view event) {
    return std::any_of(instructions.all.begin(), instructions.all.end() - 1,
                       [&](const ptx::Instruction& instruction) {
                           const auto& operands = instruction.operands;
                           return (instruction.opcode == "or.b32" && operands.size() == 3 &&
                                   operands[2] == event) ||
                                  (instruction.opcode == "mov.b32" && operands.size() == 2 &&
                                   operands[1] == event);
                       });
}

std::optional<IketBlock> read_block(const Instructions& instructions, const ptx::Scope& scope) {
    const auto& last = instructions.all.back();
    const auto event = last.operands.size() == 1 ? number(last.operands[0]) : std::nullopt;
    if (!event || !names_event(instructions, last.operands[0])) return std::nullopt;
    IketBlock block{scope.open_statement, scope.close_statement, *event, {}, 0};
    for (const std::string_view form : kForms) {
        if (instructions.opcodes == form) return block;
        for (const std::uint32_t bits : {32u, 64u}) {
            if (instructions.opcodes != with_bits(form, std::to_string(bits))) continue;
            const ptx::Instruction& payload = instructions.all[payload_index(form)];
            if (payload.operands.size() != 2) return std::nullopt;
            block.payload = payload.operands[1];
            block.payload_bits = bits;
            return block;
        }
    }
    return std::nullopt;
}

Error unknown_form(const ptx::Module& module, const ptx::Scope& scope) {
    const std::uint32_t first = module.begin_of(module.statements()[scope.open_statement]);
    const std::uint32_t end = module.end_of(module.statements()[scope.close_statement]);
    return {ErrorKind::kInstrument,
            "PTX line " + std::to_string(module.position(first).line) +
                ": an IKET event of a form that is not known",
            std::string(module.text().substr(first, end - first)),
            "gwatch knows the events of the CuTe DSL 4.7 and 4.8. Compile the kernel with one of "
            "these, or mark it with gwatch.cuda.trace.cute."};
}

}  // namespace

Result<std::vector<IketBlock>> find_iket_blocks(const ptx::Module& module,
                                                const ptx::Function& function) {
    std::vector<IketBlock> blocks;
    const ptx::Scope& body = module.scopes()[function.body_scope];
    for (const ptx::Scope& scope : module.scopes()) {
        if (scope.open_statement == ptx::kNone || scope.open_statement <= body.open_statement ||
            scope.open_statement >= body.close_statement) {
            continue;
        }
        const auto instructions = instructions_of(module, scope);
        if (!reports_event(instructions)) continue;
        auto block = read_block(*instructions, scope);
        if (!block) return unknown_form(module, scope);
        blocks.push_back(*std::move(block));
    }
    std::sort(blocks.begin(), blocks.end(), [](const IketBlock& a, const IketBlock& b) {
        return a.open_statement < b.open_statement;
    });
    return blocks;
}

}  // namespace gwatch::instrument
