#include "simulator_program.h"

#include <charconv>

namespace gwatch::testing {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else if (c != ' ' && c != '\t') {
            parts.back() += c;
        }
    }
    return parts;
}

bool is_number(std::string_view text) {
    return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

}  // namespace

Program::Program(const ptx::Module& module) : module_(module) {
    const auto& statements = module.statements();
    for (std::uint32_t i = 0; i < statements.size(); ++i) declare(i);
    steps_.resize(statements.size());
    for (std::uint32_t i = 0; i < statements.size(); ++i) add_step(i);
}

void Program::declare(std::uint32_t index) {
    const ptx::Statement& statement = module_.statements()[index];
    if (statement.kind == ptx::StatementKind::kLabel) {
        labels_[{statement.scope, std::string(module_.head(statement))}] = index;
    }
    if (statement.kind != ptx::StatementKind::kDirective || module_.head(statement) != ".reg")
        return;
    std::string_view text = module_.text_of(statement);
    text.remove_suffix(1);
    const std::size_t type = text.find('.', 1);
    const std::size_t names = text.find_first_of(" \t", type);
    for (const std::string& name : split(text.substr(names), ',')) {
        const std::size_t angle = name.find('<');
        if (angle == std::string::npos) {
            registers_[{statement.scope, name}] = slot_count_++;
            continue;
        }
        const int count = std::stoi(name.substr(angle + 1));
        for (int k = 0; k < count; ++k) {
            registers_[{statement.scope, name.substr(0, angle) + std::to_string(k)}] =
                slot_count_++;
        }
    }
}

void Program::add_step(std::uint32_t index) {
    const ptx::Statement& statement = module_.statements()[index];
    const bool is_injected = module_.text_of(statement).find("gwatch_") != std::string_view::npos;
    steps_[index].is_injected = is_injected;
    steps_[index].is_own_label = statement.kind == ptx::StatementKind::kLabel && !is_injected;
    if (statement.kind != ptx::StatementKind::kInstruction) return;
    const ptx::Instruction instruction = module_.instruction(statement);
    Step& step = steps_[index];
    step.is_instruction = true;
    step.opcode = split(instruction.opcode, '.');
    if (!instruction.guard.empty()) {
        step.guard = find(registers_, instruction.guard, statement.scope);
        step.guard_negated = instruction.guard_negated;
        if (step.guard == ptx::kNone)
            error_ = "unknown predicate in: " + std::string(module_.text_of(statement));
    }
    for (const std::string_view operand : instruction.operands) {
        step.operands.push_back(parse(operand, statement.scope));
    }
}

std::uint32_t Program::find(
    const std::map<std::pair<std::uint32_t, std::string>, std::uint32_t>& names,
    std::string_view name, std::uint32_t scope) const {
    while (scope != ptx::kNone) {
        const auto found = names.find({scope, std::string(name)});
        if (found != names.end()) return found->second;
        scope = module_.scopes()[scope].parent;
    }
    return ptx::kNone;
}

Operand Program::parse_number(std::string_view text) {
    Operand operand;
    const bool negative = text[0] == '-';
    if (negative) text.remove_prefix(1);
    const bool is_hex = text.starts_with("0x") || text.starts_with("0d") || text.starts_with("0f");
    if (is_hex) text.remove_prefix(2);
    std::from_chars(text.data(), text.data() + text.size(), operand.value, is_hex ? 16 : 10);
    if (negative) operand.value = -operand.value;
    return operand;
}

Operand Program::parse_address(std::string_view text, std::uint32_t scope) {
    Operand address;
    address.kind = Operand::Kind::kAddress;
    const std::size_t plus = text.find('+');
    const std::string_view base = text.substr(0, plus);
    if (plus != std::string_view::npos) address.value = parse_number(text.substr(plus + 1)).value;
    address.slot = find(registers_, base, scope);
    if (address.slot == ptx::kNone) address.name = base;
    return address;
}

Operand Program::parse(std::string_view text, std::uint32_t scope) {
    Operand operand;
    if (text.front() == '[') return parse_address(text.substr(1, text.size() - 2), scope);
    if (text.front() == '{') {
        operand.kind = Operand::Kind::kVector;
        for (const std::string& part : split(text.substr(1, text.size() - 2), ',')) {
            operand.parts.push_back(parse(part, scope));
        }
        return operand;
    }
    if (is_number(text)) return parse_number(text);
    // Of two results the second, a predicate.
    if (const auto bar = text.find('|'); bar != std::string_view::npos)
        return parse(text.substr(bar + 1), scope);
    operand.slot = find(registers_, text, scope);
    if (operand.slot != ptx::kNone) {
        operand.kind = Operand::Kind::kRegister;
        return operand;
    }
    const std::uint32_t label = find(labels_, text, scope);
    if (label != ptx::kNone) {
        operand.kind = Operand::Kind::kLabel;
        operand.value = label;
        return operand;
    }
    if (const ptx::Function* function = module_.find_definition(text)) {
        operand.kind = Operand::Kind::kFunction;
        operand.value = static_cast<std::uint64_t>(function - module_.functions().data());
        return operand;
    }
    // Also a variable of the module, whose address it is.
    operand.kind = Operand::Kind::kSpecial;
    operand.name = text;
    return operand;
}

}  // namespace gwatch::testing
