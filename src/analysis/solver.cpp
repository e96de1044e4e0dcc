#include "analysis/solver.h"

#include <algorithm>

namespace gwatch::analysis {
namespace {

using ptx::kNone;

// After so many changes a register's bits are given up, lest a loop counter loses them one by one.
constexpr std::uint8_t kMostChanges = 8;

bool is_full_mask(const LaneBits& mask) {
    return truncate(mask, 32) == constant(0xFFFFFFFF);
}

bool is_terminator(Effect effect) {
    return effect == Effect::kBranch || effect == Effect::kIndexedBranch ||
           effect == Effect::kCall || effect == Effect::kExit || effect == Effect::kTrap;
}

template <class Visit>
void for_each_read(const Program& program, const Operation& operation, Visit visit) {
    if (operation.guard != kNone) visit(operation.guard);
    for (const Source& source : program.sources_of(operation)) {
        if (source.reg != kNone) visit(source.reg);
    }
}

}  // namespace

Solver::Solver(const Program& program, const ControlFlow& flow)
    : program_(program),
      flow_(flow),
      regions_(flow),
      bits_(program.registers.size(), kUnset),
      times_lowered_(program.registers.size(), 0),
      origins_(program.registers.size()),
      block_of_(program.operations.size()),
      has_parted_(flow.blocks.size(), false),
      is_queued_(program.operations.size(), false) {
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
        block_of_[i] = flow.block_of[program.operations[i].statement - flow.first_statement];
    }
    find_users();
}

void Solver::find_users() {
    first_user_.assign(bits_.size() + 1, 0);
    for (const Operation& operation : program_.operations) {
        for_each_read(program_, operation, [&](std::uint32_t reg) { ++first_user_[reg + 1]; });
    }
    for (std::size_t i = 0; i < bits_.size(); ++i) first_user_[i + 1] += first_user_[i];
    users_.resize(first_user_.back());
    std::vector<std::uint32_t> next(first_user_.begin(), first_user_.end() - 1);
    for (std::uint32_t i = 0; i < program_.operations.size(); ++i) {
        for_each_read(program_, program_.operations[i],
                      [&](std::uint32_t reg) { users_[next[reg]++] = i; });
    }
}

void Solver::run() {
    lower_undefined();
    for (std::uint32_t i = 0; i < program_.operations.size(); ++i) enqueue(i);
    do {
        drain();
    } while (lower_unset());
}

void Solver::lower_undefined() {
    std::vector<bool> is_defined(bits_.size(), false);
    for (const std::uint32_t reg : program_.results) is_defined[reg] = true;
    for (std::uint32_t reg = 0; reg < bits_.size(); ++reg) {
        if (!is_defined[reg]) lower(reg, kAnyValue, {});
    }
}

// What depends on nothing but itself was never given a value.
bool Solver::lower_unset() {
    bool changed = false;
    for (std::uint32_t reg = 0; reg < bits_.size(); ++reg) {
        if (!bits_[reg].is_unset()) continue;
        lower(reg, kAnyValue, {});
        changed = true;
    }
    return changed;
}

void Solver::drain() {
    while (!queue_.empty()) {
        const std::uint32_t operation = queue_.front();
        queue_.pop_front();
        is_queued_[operation] = false;
        evaluate(operation);
    }
}

void Solver::enqueue(std::uint32_t operation) {
    if (is_queued_[operation]) return;
    is_queued_[operation] = true;
    queue_.push_back(operation);
}

void Solver::evaluate(std::uint32_t number) {
    const Operation& operation = program_.operations[number];
    if (is_terminator(operation.opcode.effect)) evaluate_terminator(number);
    if (operation.first_result == operation.end_result) return;
    const bool is_parted = regions_.cause_of(block_of_[number]) != kNone;
    const bool is_guard_varying = operation.guard != kNone && !bits_[operation.guard].is_uniform();
    const LaneBits bits = is_parted || is_guard_varying ? kAnyValue : result_of(operation);
    if (bits.is_unset()) return;
    for (const std::uint32_t reg : program_.results_of(operation)) {
        lower(reg, bits, bits.is_uniform() ? Origin{} : origin_at(number));
    }
}

// The .uni of a branch speaks of the lanes that are together there, which need not be all.
void Solver::evaluate_terminator(std::uint32_t number) {
    const Operation& operation = program_.operations[number];
    const Block& block = flow_.blocks[block_of_[number]];
    if (block.terminator != number || has_parted_[block_of_[number]]) return;
    const std::uint32_t by = block.always_parts ? kNone : varying_source(operation);
    if (block.always_parts || by != kNone) part_lanes(number, by);
}

void Solver::part_lanes(std::uint32_t number, std::uint32_t by) {
    const std::uint32_t block = block_of_[number];
    has_parted_[block] = true;
    const auto cause = static_cast<std::uint32_t>(causes_.size());
    causes_.push_back({program_.operations[number].statement, by});
    regions_.part(block, cause, [&](std::uint32_t parted) {
        const Block& affected = flow_.blocks[parted];
        for (std::uint32_t i = affected.first_operation; i < affected.end_operation; ++i) {
            enqueue(i);
        }
    });
}

LaneBits Solver::bits_of(const Source& source) const {
    return source.reg != kNone ? bits_[source.reg] : source.value;
}

bool Solver::has_unset_source(const Operation& operation) const {
    const auto sources = program_.sources_of(operation);
    return std::any_of(sources.begin(), sources.end(),
                       [&](const Source& source) { return bits_of(source).is_unset(); });
}

LaneBits Solver::result_of(const Operation& operation) const {
    if (has_unset_source(operation)) return kUnset;
    const auto sources = program_.sources_of(operation);
    switch (operation.opcode.effect) {
        case Effect::kValue: {
            LaneOperands operands{};
            if (sources.size() > std::size(operands.bits)) return uniform_sources_result(operation);
            for (const Source& source : sources) operands.bits[operands.count++] = bits_of(source);
            return transfer(operation.opcode, operands);
        }
        case Effect::kLoad:
            return uniform_sources_result(operation);
        case Effect::kShuffle:
            return shuffle_result(operation);
        case Effect::kVote:
            return !sources.empty() && is_full_mask(bits_of(sources.back())) ? kUniformValue
                                                                             : kAnyValue;
        case Effect::kBlockVote:
            return kUniformValue;
        default:
            return kAnyValue;
    }
}

LaneBits Solver::uniform_sources_result(const Operation& operation) const {
    const auto sources = program_.sources_of(operation);
    const bool uniform = std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
        return bits_of(source).is_uniform();
    });
    return uniform ? kUniformValue : kAnyValue;
}

// shfl.sync.idx value, lane, segments, mask: one lane's value for all when the lane is the same in
// all, the warp is one segment and all lanes take part.
LaneBits Solver::shuffle_result(const Operation& operation) const {
    constexpr std::uint64_t kSegmentBits = 0x1F1F;
    constexpr std::uint64_t kWholeWarp = 0x1F;
    const auto sources = program_.sources_of(operation);
    if (sources.size() != 4) return kAnyValue;
    const bool same_lane = truncate(bits_of(sources[1]), 5).is_uniform();
    const LaneBits segments = bits_of(sources[2]);
    const bool whole_warp = segments.is_constant() && (segments.ones & kSegmentBits) == kWholeWarp;
    const bool uniform = same_lane && whole_warp && is_full_mask(bits_of(sources[3]));
    return uniform ? kUniformValue : kAnyValue;
}

std::uint32_t Solver::varying_source(const Operation& operation) const {
    std::uint32_t found = kNone;
    for_each_read(program_, operation, [&](std::uint32_t reg) {
        if (found == kNone && !bits_[reg].is_uniform()) found = reg;
    });
    return found;
}

Origin Solver::origin_at(std::uint32_t number) const {
    const Operation& operation = program_.operations[number];
    return {operation.statement, varying_source(operation), regions_.cause_of(block_of_[number])};
}

void Solver::lower(std::uint32_t reg, const LaneBits& bits, const Origin& origin) {
    LaneBits lowered = meet(bits_[reg], bits);
    if (lowered == bits_[reg]) return;
    if (++times_lowered_[reg] > kMostChanges) {
        lowered = lowered.is_uniform() ? kUniformValue : kAnyValue;
    }
    if (bits_[reg].is_uniform() && !lowered.is_uniform()) origins_[reg] = origin;
    bits_[reg] = lowered;
    for (std::uint32_t i = first_user_[reg]; i < first_user_[reg + 1]; ++i) enqueue(users_[i]);
}

}  // namespace gwatch::analysis
