#include "fidelity/mix.h"

#include <map>

namespace gwatch::fidelity {

std::vector<const Section*> sections_of(const std::vector<Section>& sections,
                                        std::string_view entry) {
    std::vector<const Section*> chosen;
    for (const Section& section : sections) {
        if (section.name == entry || !section.is_entry) chosen.push_back(&section);
    }
    return chosen;
}

std::vector<MixRow> compare_mix(const std::vector<const Section*>& original,
                                const std::vector<const Section*>& traced, const OwnLines& own,
                                const std::set<Kind>& own_kinds) {
    std::map<std::string_view, MixRow> rows;
    const auto row_of = [&](const MachineInstruction& instruction) -> MixRow& {
        return rows[instruction.opcode.substr(0, instruction.opcode.find('.'))];
    };
    for (const Section* section : original) {
        for (const MachineInstruction& instruction : section->instructions)
            ++row_of(instruction).original;
    }
    for (const Section* section : traced) {
        for (const MachineInstruction& instruction : section->instructions) {
            MixRow& row = row_of(instruction);
            ++row.traced;
            const Kind kind = kind_of_sass(instruction.opcode);
            const bool may_be_own = kind == Kind::kNone || own_kinds.contains(kind);
            row.own += may_be_own && own.contains(instruction.ptx_line);
        }
    }
    rows.erase("NOP");
    std::vector<MixRow> mix;
    for (auto& [family, row] : rows) {
        row.family = family;
        mix.push_back(std::move(row));
    }
    return mix;
}

}  // namespace gwatch::fidelity
