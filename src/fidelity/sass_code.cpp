#include <unordered_map>

#include "fidelity/code.h"
#include "fidelity/listing.h"

namespace gwatch::fidelity {

namespace {

std::string_view family(std::string_view opcode) {
    return opcode.substr(0, opcode.find('.'));
}

bool never_falls_through(const MachineInstruction& instruction) {
    const std::string_view name = family(instruction.opcode);
    // With a label of the section itself this is no call but a jump behind a WARPSYNC.
    const bool jumps_by_call = instruction.opcode.starts_with("CALL.REL.NOINC") &&
                               instruction.operands.starts_with("`(.L_");
    const bool ends = jumps_by_call || name == "EXIT" || name == "RET" || name == "BRA" ||
                      name == "JMP" || name == "BRX" || name == "JMX" || name == "BRXU" ||
                      name == "JMXU" || name == "KILL";
    // BRA.DIV and BRA.CONV, and a uniform predicate among the operands, decide like a guard.
    const bool decides =
        instruction.opcode.find(".DIV") != std::string_view::npos ||
        instruction.opcode.find(".CONV") != std::string_view::npos ||
        instruction.operands.starts_with("UP") || instruction.operands.starts_with("!UP") ||
        instruction.operands.starts_with("P") || instruction.operands.starts_with("!P");
    return ends && instruction.guard.empty() && !decides;
}

class SassReader {
  public:
    SassReader(const Section& section, const OwnLines& own) : section_(section), own_(own) {}

    Code read() {
        find_labels();
        for (const MachineInstruction& instruction : section_.instructions) add(instruction);
        for (std::uint32_t i = 0; i < size(); ++i) connect(i);
        return std::move(code_);
    }

  private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(section_.instructions.size()); }

    void find_labels() {
        for (std::uint32_t i = 0; i < size(); ++i) {
            for (const std::string_view label : section_.instructions[i].labels) {
                labels_.emplace(label, i);
            }
        }
    }

    void add(const MachineInstruction& instruction) {
        Step step;
        step.line = instruction.ptx_line;
        step.is_own = own_.contains(step.line);
        step.opcode = instruction.opcode;
        // Some are never executed: they only fill a gap.
        if (instruction.guard != "@!PT") step.kind = kind_of_sass(instruction.opcode);
        const bool reads_clock = instruction.operands.find("SR_CLOCK") != std::string_view::npos;
        if (step.is_own && reads_clock) step.clock_site = own_.site_of(step.line);
        code_.steps.push_back(std::move(step));
    }

    void connect(std::uint32_t at) {
        const MachineInstruction& instruction = section_.instructions[at];
        std::vector<std::uint32_t>& next = code_.steps[at].next;
        if (!never_falls_through(instruction) && at + 1 < size()) next.push_back(at + 1);
        const std::string_view name = family(instruction.opcode);
        // What a BSSY names stands right behind its BSYNC, so neither is a way of its own.
        if (name != "BSSY" && name != "BSYNC" && name != "RET") add_targets(instruction, &next);
    }

    /// Labels stand as `(.L_x_3), and those of an indexed branch as .L_x_3 in a comment.
    void add_targets(const MachineInstruction& instruction, std::vector<std::uint32_t>* targets) {
        const std::string_view text = instruction.operands;
        bool found = false;
        for (std::size_t at = text.find(".L_"); at != std::string_view::npos;
             at = text.find(".L_", at + 1)) {
            const auto label = labels_.find(text.substr(at, text.find_first_of(" ,)\"", at) - at));
            if (label == labels_.end()) continue;
            targets->push_back(label->second);
            found = true;
        }
        const std::string_view name = family(instruction.opcode);
        const bool is_jump =
            name == "BRX" || name == "JMX" || name == "BRXU" || name == "JMXU" || name == "BRA";
        if (is_jump && !found) {
            code_.unknown =
                "the targets of a branch (" + std::string(instruction.opcode) + ") are not known";
        }
    }

    const Section& section_;
    const OwnLines& own_;
    Code code_;
    std::unordered_map<std::string_view, std::uint32_t> labels_;
};

}  // namespace

Code read_sass(const Section& section, const OwnLines& own) {
    return SassReader(section, own).read();
}

}  // namespace gwatch::fidelity
