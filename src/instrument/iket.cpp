#include "instrument/iket.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "instrument/iket_blocks.h"
#include "instrument/iket_roles.h"
#include "instrument/iket_tables.h"
#include "instrument/marker_text.h"

namespace gwatch::instrument {

namespace {

std::string_view word_of(Verb verb) {
    switch (verb) {
        case Verb::kStart:
            return "start";
        case Verb::kEnd:
            return "end";
        default:
            return "mark";
    }
}

/// How a type of payload is carried.
struct IketCarrier {
    IketType type;
    std::uint32_t bits;
    std::string_view type_name;
    std::string_view narrow = {};  ///< what the value is widened from
};
constexpr IketCarrier kCarriers[] = {
    {IketType::kSigned8, 32, ".s32", ".s8"}, {IketType::kSigned16, 32, ".s32", ".s16"},
    {IketType::kSigned32, 32, ".s32"},       {IketType::kUnsigned32, 32, ".u32"},
    {IketType::kFloat32, 32, ".f32"},        {IketType::kSigned64, 64, ".s64"},
    {IketType::kFloat64, 64, ".f64"}};

IketCarrier carrier_of(const IketBlock& block, const IketTables& tables) {
    const auto event = tables.find(block.event);
    for (const IketCarrier& carrier : kCarriers) {
        if (event != tables.end() && event->second.type == carrier.type &&
            carrier.bits == block.payload_bits)
            return carrier;
    }
    return {{}, block.payload_bits, block.payload_bits == 64 ? ".b64" : ".b32"};
}

/// A block's text as a marker. A range's end has a payload too, which a marker has not.
std::string to_marker(const IketBlock& block, const IketRole& role, const IketTables& tables) {
    if (role.name.empty()) return "{\n\t}";
    const bool has_payload = block.payload_bits != 0 && role.verb != Verb::kEnd;
    const IketCarrier carrier = has_payload ? carrier_of(block, tables)  //
                                            : IketCarrier{{}, 32, ".u32"};
    std::string source = has_payload ? block.payload : "0";
    std::string text = "{\n\t.reg .b" + std::to_string(carrier.bits) + " %gwatch_carrier;\n";
    if (!carrier.narrow.empty()) {
        text.append("\tmov.b32 %gwatch_carrier, ").append(source);
        text.append(";\n\tcvt.s32").append(carrier.narrow);
        text.append(" %gwatch_carrier, %gwatch_carrier;\n");
        source = "%gwatch_carrier";
    }
    text.append("\t// gwatch:").append(word_of(role.verb)).append(" ");
    text.append(spell_name(role.name)).append("\n\tmov").append(carrier.type_name);
    text.append(" %gwatch_carrier, ").append(source).append(";\n\t}");
    return text;
}

/// A block of the text and what stands in its place.
struct Replacement {
    std::uint32_t begin;
    std::uint32_t end;
    std::string text;
};

Result<std::vector<Replacement>> replace_in(const ptx::Module& module,
                                            const ptx::Function& function,
                                            const IketTables& tables) {
    const auto blocks = find_iket_blocks(module, function);
    if (!blocks) return blocks.error();
    if (!function.is_entry && !blocks->empty()) {
        return Error{ErrorKind::kInstrument,
                     "IKET events in the device function " + std::string(function.name) +
                         " cannot be told apart",
                     {},
                     "Mark it with gwatch.cuda.trace.cute."};
    }
    const auto roles = iket_roles(module, function, *blocks, tables);
    if (!roles) return roles.error();
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < blocks->size(); ++i) {
        const IketBlock& block = (*blocks)[i];
        replacements.push_back({module.begin_of(module.statements()[block.open_statement]),
                                module.end_of(module.statements()[block.close_statement]),
                                to_marker(block, (*roles)[i], tables)});
    }
    return replacements;
}

}  // namespace

Result<std::string> iket_to_markers(const ptx::Module& module) {
    const auto tables = read_iket_tables(module);
    if (!tables) return tables.error();
    if (!tables->has_value()) return std::string(module.text());
    std::string text;
    std::uint32_t copied = 0;
    for (const ptx::Function& function : module.functions()) {
        if (function.body_scope == ptx::kNone) continue;
        const auto replacements = replace_in(module, function, **tables);
        if (!replacements) return replacements.error();
        for (const Replacement& replacement : *replacements) {
            text.append(module.text().substr(copied, replacement.begin - copied));
            text.append(replacement.text);
            copied = replacement.end;
        }
    }
    text.append(module.text().substr(copied));
    return text;
}

}  // namespace gwatch::instrument
