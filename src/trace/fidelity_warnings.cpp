#include "trace/fidelity_warnings.h"

#include <cstdio>

#include "trace/text.h"

namespace gwatch::trace {

namespace {

constexpr double kNotableSlowdown = 1.05;

std::string change(int before, int after) {
    return std::to_string(before) + " to " + std::to_string(after);
}

void warn_of_remarks(const fidelity::Facts& facts, std::vector<std::string>* warnings) {
    for (const std::string& remark : facts.new_remarks) {
        warnings->push_back(
            "The markers made the assembler compile the kernel otherwise, so its times are not "
            "those of the original: " +
            remark + "; move or remove markers near what it names.");
    }
}

void warn_of_occupancy(const CompileFacts& compile, const fidelity::Facts& facts,
                       std::vector<std::string>* warnings) {
    const int before = facts.original.blocks_per_sm;
    const int after = facts.traced.blocks_per_sm;
    if (after < 0 || before <= after) return;
    warnings->push_back("The records need registers: " +
                        change(compile.original.registers, compile.traced.registers) +
                        " a thread, and the blocks that an SM holds at a time fell from " +
                        change(before, after) +
                        ": the kernel runs otherwise than untraced; use fewer markers.");
}

void warn_of_spills(const CompileFacts& compile, std::vector<std::string>* warnings) {
    const auto grown = [](int before, int after) { return before >= 0 && after > before; };
    const BuildFacts& before = compile.original;
    const BuildFacts& after = compile.traced;
    if (!grown(before.spill_store_bytes, after.spill_store_bytes) &&
        !grown(before.spill_load_bytes, after.spill_load_bytes)) {
        return;
    }
    warnings->push_back(
        "The traced kernel spills more registers to memory: bytes stored went "
        "from " +
        change(before.spill_store_bytes, after.spill_store_bytes) + ", bytes loaded from " +
        change(before.spill_load_bytes, after.spill_load_bytes) + "; use fewer markers.");
}

/// "async copy (4), wgmma (2)": only those that moved.
std::string moved_text(const fidelity::ScopeCheck& check, bool into) {
    std::string text;
    for (const fidelity::KindCount& count : check.counts) {
        const std::uint32_t moved = into ? count.moved_in : count.moved_out;
        if (moved == 0) continue;
        if (!text.empty()) text += ", ";
        text += count.kind + " (" + std::to_string(moved) + ")";
    }
    return text;
}

void warn_of_movements(const Run& run, std::vector<std::string>* warnings) {
    for (const fidelity::ScopeCheck& check : run.fidelity->scopes) {
        const std::string out = moved_text(check, false);
        const std::string in = moved_text(check, true);
        if (out.empty() && in.empty()) continue;
        std::string text = "Scope " +
                           (check.scope < run.scopes.size() ? run.scopes[check.scope].name : "?") +
                           " does not time all that its markers enclose, for the assembler moved "
                           "machine instructions: ";
        if (!out.empty()) text += out + " out of it";
        if (!out.empty() && !in.empty()) text += ", ";
        if (!in.empty()) text += in + " into it";
        warnings->push_back(text + " (gwatch show --fidelity lists them).");
    }
}

void warn_of_overhead(const fidelity::Facts& facts, std::vector<std::string>* warnings) {
    if (!facts.overhead || facts.overhead->ratio <= kNotableSlowdown) return;
    const fidelity::Overhead& overhead = *facts.overhead;
    char text[200];
    std::snprintf(text, sizeof text,
                  "Tracing slows the kernel by %.1f %% (measured; %.1f to %.1f %% in 8 of 10 of "
                  "%u pairs of launches); use fewer markers, or trace fewer warps.",
                  100 * (overhead.ratio - 1), 100 * (overhead.ratio_p10 - 1),
                  100 * (overhead.ratio_p90 - 1), overhead.pairs);
    warnings->emplace_back(text);
}

}  // namespace

std::vector<std::string> fidelity_warnings(const Run& run) {
    std::vector<std::string> warnings;
    if (!run.fidelity) return warnings;
    warn_of_remarks(*run.fidelity, &warnings);
    warn_of_spills(run.compile, &warnings);
    warn_of_occupancy(run.compile, *run.fidelity, &warnings);
    warn_of_overhead(*run.fidelity, &warnings);
    warn_of_movements(run, &warnings);
    return warnings;
}

}  // namespace gwatch::trace
