#include <algorithm>
#include <future>
#include <set>

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

/// The records move lines: a remark that differs by its line alone is the same.
std::string without_line(const std::string& remark) {
    constexpr std::string_view kLine = " in line ";
    const std::size_t at = remark.rfind(kLine);
    if (at == std::string::npos) return remark;
    const std::size_t end = remark.find_first_not_of("0123456789", at + kLine.size());
    return remark.substr(0, at) + (end == std::string::npos ? "" : remark.substr(end));
}

class Comparison {
  public:
    explicit Comparison(const Request& request)
        : request_(request), own_(request.instrumented->inserted) {
        // nvdisasm takes long: all at the same time.
        if (!request.original_cubin.empty()) original_ = start(request.original_cubin);
        if (!request.cubin_with_lines.empty()) with_lines_ = start(request.cubin_with_lines);
    }

    Facts run() {
        const auto traced = start(request_.traced_cubin).get();
        if (!traced) {
            facts_.unknown = in_one_line(traced.error());
            return std::move(facts_);
        }
        facts_.disassembler = traced->program;
        std::vector<Section> sections = read_listing(traced->listing);
        assemble_lines(&sections);
        const std::vector<const Section*> own_sections = sections_of(sections, request_.entry);
        has_lines_ = std::any_of(own_sections.begin(), own_sections.end(), has_lines);
        if (!has_lines_) {
            facts_.notes.push_back(
                "No line information (ptxas -lineinfo) fits the traced build: "
                "which of its instructions are gwatch's own is not known.");
        }
        const auto module = ptx::parse(request_.instrumented->ptx);
        if (!module) {
            facts_.unknown = in_one_line(module.error());
            return std::move(facts_);
        }
        const Code ptx = read_ptx(*module, request_.entry, own_);
        fill_mix(ptx, own_sections);
        fill_scopes(*module, ptx, own_sections);
        return std::move(facts_);
    }

  private:
    using Disassembling = std::future<Result<Disassembly>>;

    Disassembling start(const std::string& cubin) const {
        return std::async(std::launch::async, [&cubin, &programs = request_.disassemblers] {
            assemble::PosixRunner runner;
            return disassemble(cubin, programs, runner);
        });
    }

    static bool has_lines(const Section* section) {
        return std::any_of(
            section->instructions.begin(), section->instructions.end(),
            [](const MachineInstruction& instruction) { return instruction.ptx_line != 0; });
    }

    /// Takes the PTX lines from the build that has them, if its code is the same.
    void assemble_lines(std::vector<Section>* sections) {
        if (!with_lines_.valid()) return;
        auto with_lines = with_lines_.get();
        if (!with_lines) return;
        listing_with_lines_ = std::move(with_lines->listing);
        std::vector<Section> others = read_listing(listing_with_lines_);
        if (is_same_code(*sections, others)) *sections = std::move(others);
    }

    static bool is_same_code(const std::vector<Section>& left, const std::vector<Section>& right) {
        const auto is_same = [](const MachineInstruction& a, const MachineInstruction& b) {
            return a.guard == b.guard && a.opcode == b.opcode && a.operands == b.operands;
        };
        return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                          [&](const Section& a, const Section& b) {
                              return a.name == b.name &&
                                     std::equal(a.instructions.begin(), a.instructions.end(),
                                                b.instructions.begin(), b.instructions.end(),
                                                is_same);
                          });
    }

    void fill_mix(const Code& ptx, const std::vector<const Section*>& traced) {
        if (!original_.valid()) {
            facts_.notes.push_back(
                "The original build is not known: its instruction mix was not compared.");
            return;
        }
        const auto original = original_.get();
        if (!original) {
            facts_.notes.push_back("The instruction mix was not compared: " +
                                   in_one_line(original.error()));
            return;
        }
        const std::vector<Section> sections = read_listing(original->listing);
        std::set<Kind> own_kinds;
        for (const Step& step : ptx.steps) {
            if (step.is_own) own_kinds.insert(step.kind);
        }
        facts_.mix = compare_mix(sections_of(sections, request_.entry), traced, own_, own_kinds);
    }

    void fill_scopes(const ptx::Module& module, const Code& ptx,
                     const std::vector<const Section*>& traced) {
        Code sass;
        for (const Section* section : traced) append(read_sass(*section, own_), &sass);
        facts_.scopes = check_scopes(module, ptx, sass, request_.instrumented->sites, own_);
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
    Disassembling original_;
    Disassembling with_lines_;
    std::string listing_with_lines_;
    Facts facts_;
    bool has_lines_ = false;
};

}  // namespace

Facts compare(const Request& request) {
    return Comparison(request).run();
}

std::vector<std::string> new_remarks(const std::vector<std::string>& original,
                                     const std::vector<std::string>& traced) {
    std::vector<std::string> known;
    for (const std::string& remark : original) known.push_back(without_line(remark));
    std::vector<std::string> fresh;
    for (const std::string& remark : traced) {
        const auto found = std::find(known.begin(), known.end(), without_line(remark));
        if (found == known.end()) {
            fresh.push_back(remark);
        } else {
            known.erase(found);
        }
    }
    return fresh;
}

}  // namespace gwatch::fidelity
