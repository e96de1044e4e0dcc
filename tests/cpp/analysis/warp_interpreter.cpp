#include "warp_interpreter.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>

#include "scalar.h"

namespace gwatch::analysis {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kMostSteps = 500;

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

struct Lane {
    std::uint32_t index;                  // in the warp
    std::array<std::uint32_t, 3> thread;  // %tid
    std::uint32_t next = 0;               // statement
    std::uint32_t steps = 0;
    bool ended = false;
    bool waits = false;  // at a collective
    std::map<std::string_view, std::uint64_t> registers;
    std::vector<std::uint32_t> counts;
};

enum class Step { kGoOn, kStop, kTrap, kUnknown };

class Warp {
  public:
    Warp(const ptx::Module& module, const WarpLaunch& launch) : module_(module), launch_(launch) {
        const ptx::Scope& body = module.scopes()[module.functions()[0].body_scope];
        end_ = body.close_statement;
        instructions_.resize(end_);
        for (std::uint32_t i = body.open_statement; i < end_; ++i) {
            const ptx::Statement& statement = module.statements()[i];
            if (statement.kind == ptx::StatementKind::kInstruction) {
                instructions_[i] = module.instruction(statement);
            }
            if (statement.kind == ptx::StatementKind::kLabel) labels_[module.head(statement)] = i;
        }
        for (std::uint32_t i = 0; i < kWarp; ++i) add_lane(i, body.open_statement + 1);
    }

    WarpRun run() {
        Ending ending = Ending::kDone;
        while (ending == Ending::kDone && !all_ended()) ending = run_to_collective();
        WarpRun run{ending, {}};
        for (Lane& lane : lanes_) run.counts.push_back(std::move(lane.counts));
        return run;
    }

  private:
    void add_lane(std::uint32_t index, std::uint32_t first) {
        const auto& block = launch_.block;
        const std::uint32_t linear = launch_.warp * kWarp + index;
        if (linear >= block[0] * block[1] * block[2]) return;
        Lane lane{};
        lane.index = index;
        lane.thread = {linear % block[0], linear / block[0] % block[1],
                       linear / block[0] / block[1]};
        lane.next = first;
        lane.counts.resize(module_.statements().size());
        lanes_.push_back(std::move(lane));
    }

    bool all_ended() const {
        return std::all_of(lanes_.begin(), lanes_.end(),
                           [](const Lane& lane) { return lane.ended; });
    }

    Ending run_to_collective() {
        for (Lane& lane : lanes_) {
            Step step = Step::kGoOn;
            while (step == Step::kGoOn) {
                if (++lane.steps > kMostSteps) return Ending::kTooLong;
                step = take_step(lane);
            }
            if (step == Step::kTrap) return Ending::kTrapped;
            if (step == Step::kUnknown) return Ending::kUnknown;
        }
        return all_ended() ? Ending::kDone : exchange();
    }

    Step end(Lane& lane) {
        lane.ended = true;
        return Step::kStop;
    }

    Step take_step(Lane& lane) {
        if (lane.ended) return Step::kStop;
        if (lane.next >= end_) return end(lane);
        const std::uint32_t at = lane.next++;
        const ptx::Instruction& instruction = instructions_[at];
        if (instruction.opcode.empty()) return Step::kGoOn;  // no instruction
        if (!instruction.guard.empty() &&
            (lane.registers[instruction.guard] != 0) == instruction.guard_negated) {
            return Step::kGoOn;
        }
        if (is_collective(instruction.opcode)) {
            lane.next = at;
            return Step::kStop;
        }
        ++lane.counts[at];
        return execute(lane, instruction);
    }

    static bool is_collective(std::string_view opcode) {
        return opcode.starts_with("shfl") || opcode.starts_with("vote") ||
               opcode.starts_with("redux") || opcode.starts_with("match");
    }

    Step execute(Lane& lane, const ptx::Instruction& instruction) {
        const std::string_view opcode = instruction.opcode;
        if (opcode == "ret" || opcode == "exit") return end(lane);
        if (opcode == "trap") return Step::kTrap;
        if (opcode.starts_with("bra")) return jump(lane, instruction.operands[0]);
        if (opcode == "brx.idx") return jump_by_table(lane, instruction);
        if (opcode.starts_with("ld.param")) return set(lane, instruction, mix(launch_.seed + 7));
        if (opcode.starts_with("ld.global")) return set(lane, instruction, load(lane, instruction));
        std::vector<std::uint64_t> operands;
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            operands.push_back(read(lane, instruction.operands[i]));
        }
        return set(lane, instruction, compute(opcode, operands));
    }

    Step jump(Lane& lane, std::string_view label) {
        const auto found = labels_.find(label);
        if (found == labels_.end()) return Step::kUnknown;
        lane.next = found->second;
        return Step::kGoOn;
    }

    // An index beyond the table is the program's fault; here it wraps.
    Step jump_by_table(Lane& lane, const ptx::Instruction& instruction) {
        const ptx::Statement& table = module_.statements()[labels_.at(instruction.operands[1]) + 1];
        std::vector<std::string_view> targets;
        for (std::uint32_t i = table.first_token; i < table.end_token; ++i) {
            const ptx::Token& token = module_.tokens()[i];
            if (token.kind == ptx::TokenKind::kWord) targets.push_back(module_.text_of(token));
        }
        return jump(lane, targets[read(lane, instruction.operands[0]) % targets.size()]);
    }

    // Small numbers are the rule, so that comparisons go both ways.
    std::uint64_t load(Lane& lane, const ptx::Instruction& instruction) {
        std::string_view address = instruction.operands[1];
        address = address.substr(1, address.size() - 2);
        return mix(read(lane, address) + launch_.seed) & 0x3F;
    }

    std::uint64_t read(Lane& lane, std::string_view operand) {
        if (operand.starts_with("%tid.")) return lane.thread[operand.back() - 'x'];
        if (operand.starts_with("%ntid.")) return launch_.block[operand.back() - 'x'];
        if (operand == "%laneid") return lane.index;
        if (operand == "%ctaid.x") return launch_.seed & 3;
        if (operand.starts_with('%')) return lane.registers[operand];
        return static_cast<std::uint64_t>(std::stoll(std::string(operand)));
    }

    Step set(Lane& lane, const ptx::Instruction& instruction, std::uint64_t value) {
        std::string_view result = instruction.operands[0];
        const std::size_t bar = result.find('|');
        if (bar != std::string_view::npos) {
            lane.registers[result.substr(bar + 1)] = value == 0 ? 1 : 0;  // only of setp
            result = result.substr(0, bar);
        }
        const bool is_narrow = result.starts_with("%r") && !result.starts_with("%rd");
        lane.registers[result] = is_narrow ? value & 0xFFFFFFFF : value;
        return Step::kGoOn;
    }

    // All lanes that exist must be at the same collective.
    Ending exchange() {
        const std::uint32_t at = lanes_[0].next;
        for (const Lane& lane : lanes_) {
            if (lane.ended || lane.next != at) return Ending::kUndefined;
        }
        const ptx::Instruction& instruction = instructions_[at];
        std::vector<std::uint64_t> values;
        for (Lane& lane : lanes_) values.push_back(read(lane, instruction.operands[1]));
        for (Lane& lane : lanes_) {
            std::uint64_t result = 0;
            if (!combine(lane, instruction, values, &result)) return Ending::kUndefined;
            set(lane, instruction, result);
            ++lane.counts[at];
            ++lane.next;
        }
        return Ending::kDone;
    }

    bool combine(Lane& lane, const ptx::Instruction& instruction,
                 const std::vector<std::uint64_t>& values, std::uint64_t* result) {
        const std::string_view opcode = instruction.opcode;
        if (opcode.starts_with("shfl")) {
            std::uint64_t from = read(lane, instruction.operands[2]) & 31;
            if (opcode.find(".bfly") != std::string_view::npos) from ^= lane.index;
            if (from >= values.size()) return false;
            *result = values[from];
        } else if (opcode.starts_with("redux")) {
            *result = *std::max_element(values.begin(), values.end());
        } else if (opcode.find(".any") != std::string_view::npos) {
            *result = std::any_of(values.begin(), values.end(), [](auto value) { return value; });
        } else {
            for (std::size_t i = 0; i < values.size(); ++i) *result |= (values[i] & 1) << i;
        }
        return true;
    }

    const ptx::Module& module_;
    const WarpLaunch& launch_;
    std::uint32_t end_ = 0;
    std::vector<ptx::Instruction> instructions_;  // by statement; empty for what is none
    std::map<std::string_view, std::uint32_t> labels_;
    std::vector<Lane> lanes_;
};

}  // namespace

WarpRun run_warp(const ptx::Module& module, const WarpLaunch& launch) {
    return Warp(module, launch).run();
}

}  // namespace gwatch::analysis
