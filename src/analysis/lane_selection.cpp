#include "analysis/lane_selection.h"

#include <algorithm>
#include <bit>

namespace gwatch::analysis {
namespace {

using ptx::kNone;

constexpr int kLongestWay = 16;  // of predicates that are made of others
constexpr std::uint32_t kSeveral = kNone - 1;

// Also through `selp 1, 0` and `setp.ne 0`, when one operand alone varies.
bool may_pass_on(const Opcode& opcode) {
    return opcode.transfer == Transfer::kAnd || opcode.transfer == Transfer::kOr ||
           opcode.transfer == Transfer::kNot || opcode.transfer == Transfer::kMove ||
           opcode.transfer == Transfer::kSelect || opcode.transfer == Transfer::kCompare;
}

constexpr unsigned kLaneBits = 5;
constexpr unsigned kThreadBits = 10;

// Bit 0 alone may be what any comparison gave.
bool has_number(const LaneBits& bits) {
    return bits.varying > 1;
}

// A lane's number has no more bits than these, wherever they stand in the value.
bool is_function_of_lane(const LaneBits& bits) {
    return std::popcount(bits.varying) <= static_cast<int>(kLaneBits) &&
           (bits.varying | bits.zeros | bits.ones) == ~std::uint64_t{0};
}

// The lowest bits vary: of a block whose shape is not known, all that a thread's number may have.
bool is_thread_number(const LaneBits& bits) {
    return (bits.varying & ~low_bits(kLaneBits)) == 0 || bits.varying == low_bits(kThreadBits);
}

}  // namespace

LaneSelection::LaneSelection(const Program& program, const Solver& solver)
    : program_(program), solver_(solver), definition_of_(program.registers.size(), kNone) {
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
        for (const std::uint32_t reg : program.results_of(program.operations[i])) {
            definition_of_[reg] = definition_of_[reg] == kNone ? i : kSeveral;
        }
    }
}

bool LaneSelection::decides(std::uint32_t predicate) const {
    for (int steps = 0; steps < kLongestWay && predicate != kNone; ++steps) {
        const Operation* operation = definition_of(predicate);
        if (operation == nullptr) return false;
        if (is_selection(*operation)) return true;
        if (!may_pass_on(operation->opcode)) return false;
        std::uint32_t varying = kNone;
        for (const Source& source : program_.sources_of(*operation)) {
            if (source.reg == kNone || !solver_.varies(source.reg)) continue;
            if (varying != kNone && varying != source.reg) return false;
            varying = source.reg;
        }
        predicate = varying;
    }
    return false;
}

const Operation* LaneSelection::definition_of(std::uint32_t reg) const {
    const std::uint32_t number = definition_of_[reg];
    return number < program_.operations.size() ? &program_.operations[number] : nullptr;
}

bool LaneSelection::is_selection(const Operation& operation) const {
    if (operation.opcode.effect == Effect::kElect) return true;
    const auto sources = program_.sources_of(operation);
    if (operation.opcode.transfer != Transfer::kCompare || sources.size() < 2) return false;
    const LaneBits a = bits_of(sources[0]);
    const LaneBits b = bits_of(sources[1]);
    if (!a.is_constant() && !b.is_constant()) return false;
    const Source& other = a.is_constant() ? sources[1] : sources[0];
    const LaneBits& compared = a.is_constant() ? b : a;
    if (other.reg == kNone || !has_number(compared) || !comes_from_lane(other.reg)) return false;
    return is_function_of_lane(compared) ||
           (operation.opcode.comparison == Comparison::kEqual && is_thread_number(compared));
}

// By a way of calculations alone.
bool LaneSelection::comes_from_lane(std::uint32_t reg) const {
    for (int steps = 0; steps < kLongestWay; ++steps) {
        const Origin& origin = solver_.origins()[reg];
        const Operation* operation = operation_at(origin.statement);
        if (operation == nullptr || operation->opcode.effect != Effect::kValue) return false;
        if (origin.cause != kNone) return false;
        if (origin.from == kNone) return reads_lane_number(*operation);
        reg = origin.from;
    }
    return false;
}

// From a special register, and none whose bits all vary, as those of a clock do.
bool LaneSelection::reads_lane_number(const Operation& operation) const {
    const auto sources = program_.sources_of(operation);
    return std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
        return (bits_of(source).varying & ~low_bits(kThreadBits)) == 0;
    });
}

const Operation* LaneSelection::operation_at(std::uint32_t statement) const {
    const auto found = std::lower_bound(
        program_.operations.begin(), program_.operations.end(), statement,
        [](const Operation& one, std::uint32_t number) { return one.statement < number; });
    const bool is_there = found != program_.operations.end() && found->statement == statement;
    return is_there ? &*found : nullptr;
}

LaneBits LaneSelection::bits_of(const Source& source) const {
    return source.reg != kNone ? solver_.bits_of(source.reg) : source.value;
}

}  // namespace gwatch::analysis
