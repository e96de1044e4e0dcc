#include "witness.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gwatch::testing {

namespace {

constexpr std::string_view kCarrierRegisters[] = {"%mk", "%ml"};

/// The index of the marker whose carrier this is.
std::optional<std::uint32_t> marker_of(const ptx::Instruction& instruction) {
    for (const std::string_view carrier : kCarrierRegisters) {
        if (instruction.operands.empty() || !instruction.operands[0].starts_with(carrier)) continue;
        const std::string_view digits = instruction.operands[0].substr(carrier.size());
        std::uint32_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return number;
    }
    return std::nullopt;
}

/// Whether a thread ends there, in the entry or in a function.
bool ends_thread(const ptx::Module& module, const ptx::Function& function, std::uint32_t index) {
    const ptx::Statement& statement = module.statements()[index];
    if (statement.kind != ptx::StatementKind::kInstruction)
        return function.is_entry && index == module.scopes()[function.body_scope].close_statement;
    const std::string_view opcode = module.instruction(statement).opcode;
    return opcode == "exit" || (opcode == "ret" && function.is_entry);
}

/// The site whose code stands in front of a statement, or whose statement this is.
std::uint16_t site_in_front(const ptx::Module& module, const instrument::Instrumented& instrumented,
                            std::uint32_t statement) {
    const std::uint32_t line =
        module.position(module.begin_of(module.statements()[statement])).line;
    for (const instrument::InsertedLines& inserted : instrumented.inserted) {
        if (inserted.end_line == line) return inserted.site;
    }
    return 0;
}

}  // namespace

Witness::Witness(const ptx::Module& module, const instrument::Instrumented& instrumented)
    : places_(module.statements().size()), markers_of_(instrumented.sites.sites.size() + 1) {
    for (std::uint32_t i = 0; i < instrumented.markers.size(); ++i)
        markers_of_[instrumented.markers[i].site].push_back(i);
    for (const auto& markers : markers_of_) {
        const auto found = std::find_if(markers.begin(), markers.end(), [&](std::uint32_t marker) {
            return instrumented.markers[marker].payload != record::PayloadKind::kNone;
        });
        const std::uint32_t first = markers.empty() ? ptx::kNone : markers.front();
        recorded_.push_back(found == markers.end() ? first : *found);
    }
    for (const ptx::Function& function : module.functions()) {
        const ptx::Scope& body = module.scopes()[function.body_scope];
        for (std::uint32_t i = body.open_statement + 1; i <= body.close_statement; ++i) {
            const ptx::Statement& statement = module.statements()[i];
            if (ends_thread(module, function, i))
                places_[i].site = site_in_front(module, instrumented, i);
            if (statement.kind != ptx::StatementKind::kInstruction) continue;
            const auto marker = marker_of(module.instruction(statement));
            if (marker) places_[i] = {instrumented.markers.at(*marker).site, *marker};
        }
    }
}

void Witness::see(const Passing& passing) {
    const auto& [x, y, z] = passing.block;
    const WarpKey key{x + std::uint64_t{grid[0]} * (y + std::uint64_t{grid[1]} * z), passing.warp};
    auto [found, is_new] = last_clocks_.try_emplace(key);
    if (is_new) found->second.fill(first_clock);
    const Place& place = places_[passing.statement];
    std::uint64_t earliest = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((passing.lanes >> lane & 1) == 0) continue;
        earliest = std::max(earliest, found->second[lane]);
        found->second[lane] = passing.clock;
    }
    const auto& markers = markers_of_[place.site];
    const bool is_recorded = place.marker == ptx::kNone || place.marker == recorded_[place.site];
    if (place.site == 0 || !is_recorded) return;
    warps_[key].push_back(
        {place.site, markers, passing.lanes, earliest, passing.clock, passing.moved});
}

}  // namespace gwatch::testing
