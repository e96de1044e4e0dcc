#include "fidelity/disassemble.h"

#include "assemble/ptxas_log.h"
#include "assemble/workspace.h"

namespace gwatch::fidelity {

namespace {

constexpr char kInstallIt[] =
    "Install one with: pip install nvidia-cuda-nvdisasm; or name it in GWATCH_NVDISASM.";

/// An nvdisasm too old for the cubin's architecture ends with an error and prints no code.
bool has_code(const std::string& listing) {
    return listing.find(".section\t.text.") != std::string::npos;
}

}  // namespace

Result<Disassembly> disassemble(const std::string& cubin, const std::vector<std::string>& programs,
                                assemble::ProcessRunner& runner) {
    if (programs.empty()) {
        return Error{ErrorKind::kAssembler, "there is no nvdisasm on this machine", {}, kInstallIt};
    }
    auto workspace = assemble::Workspace::create("");
    if (!workspace) return workspace.error();
    if (auto written = workspace->write("kernel.cubin", cubin); !written) return written.error();
    std::string failures;
    for (const std::string& program : programs) {
        auto ended = runner.run({program, "-c", "-gp", workspace->path("kernel.cubin")});
        if (ended && ended->succeeded() && has_code(ended->output)) {
            return Disassembly{program, std::move(ended->output)};
        }
        failures += program + ": " +
                    (ended ? assemble::first_complaint(ended->output) : ended.error().message) +
                    "\n";
    }
    return Error{ErrorKind::kAssembler, "no nvdisasm takes the cubin", failures, kInstallIt};
}

}  // namespace gwatch::fidelity
