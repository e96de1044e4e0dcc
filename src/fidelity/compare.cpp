#include <algorithm>

#include "fidelity/disassemble.h"
#include "fidelity/fidelity.h"
#include "fidelity/mix.h"
#include "fidelity/scopes.h"
#include "ptx/module.h"

namespace gwatch::fidelity {

namespace {

std::string in_one_line(const Error& error) {
    std::string text = error.message;
    if (!error.detail.empty()) text += ": " + error.detail.substr(0, error.detail.find('\n'));
    return error.hint.empty() ? text : text + ". " + error.hint;
}

class Comparison {
  public:
    explicit Comparison(const Request& request)
        : request_(request), own_(request.instrumented->inserted) {}

    Facts run() {
        const auto traced = disassemble(request_.traced_cubin, request_.disassemblers, runner_);
        if (!traced) {
            facts_.unknown = in_one_line(traced.error());
            return std::move(facts_);
        }
        facts_.disassembler = traced->program;
        const std::vector<Section> sections = read_listing(traced->listing);
        const std::vector<const Section*> own_sections = sections_of(sections, request_.entry);
        has_lines_ = std::any_of(own_sections.begin(), own_sections.end(), has_lines);
        if (!has_lines_) {
            facts_.notes.push_back(
                "The traced build has no line information (ptxas -lineinfo): "
                "which of its instructions are gwatch's own is not known.");
        }
        fill_mix(own_sections);
        fill_scopes(own_sections);
        return std::move(facts_);
    }

  private:
    static bool has_lines(const Section* section) {
        return std::any_of(
            section->instructions.begin(), section->instructions.end(),
            [](const MachineInstruction& instruction) { return instruction.ptx_line != 0; });
    }

    void fill_mix(const std::vector<const Section*>& traced) {
        if (request_.original_cubin.empty()) {
            facts_.notes.push_back(
                "The original build is not known: its instruction mix was not compared.");
            return;
        }
        const auto original = disassemble(request_.original_cubin, request_.disassemblers, runner_);
        if (!original) {
            facts_.notes.push_back("The instruction mix was not compared: " +
                                   in_one_line(original.error()));
            return;
        }
        const std::vector<Section> sections = read_listing(original->listing);
        facts_.mix = compare_mix(sections_of(sections, request_.entry), traced, own_);
    }

    void fill_scopes(const std::vector<const Section*>& traced) {
        const auto module = ptx::parse(request_.instrumented->ptx);
        if (!module) {
            facts_.notes.push_back("The scopes were not compared: " + in_one_line(module.error()));
            return;
        }
        const Code ptx = read_ptx(*module, request_.entry, own_);
        Code sass;
        for (const Section* section : traced) append(read_sass(*section, own_), &sass);
        facts_.scopes = check_scopes(*module, ptx, sass, request_.instrumented->sites, own_);
        const std::string& why = has_lines_ ? sass.unknown : kNoLines;
        for (ScopeCheck& scope : facts_.scopes) {
            if (why.empty()) continue;
            scope = {scope.scope, why, scope.start_reads, scope.end_reads, {}, {}};
        }
    }

    static void append(Code section, Code* code) {
        const auto base = static_cast<std::uint32_t>(code->steps.size());
        for (Step& step : section.steps) {
            for (std::uint32_t& next : step.next) next += base;
            code->steps.push_back(std::move(step));
        }
        if (code->unknown.empty()) code->unknown = std::move(section.unknown);
    }

    inline static const std::string kNoLines = "the traced build has no line information";

    const Request& request_;
    OwnLines own_;
    assemble::PosixRunner runner_;
    Facts facts_;
    bool has_lines_ = false;
};

}  // namespace

Facts compare(const Request& request) {
    return Comparison(request).run();
}

std::vector<std::string> new_remarks(const std::vector<std::string>& original,
                                     const std::vector<std::string>& traced) {
    std::vector<std::string> known = original;
    std::vector<std::string> fresh;
    for (const std::string& remark : traced) {
        const auto found = std::find(known.begin(), known.end(), remark);
        if (found == known.end()) {
            fresh.push_back(remark);
        } else {
            known.erase(found);
        }
    }
    return fresh;
}

}  // namespace gwatch::fidelity
