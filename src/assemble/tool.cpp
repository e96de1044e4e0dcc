#include "assemble/tool.h"

#include <array>

namespace gwatch::assemble {

namespace {

struct KnownRelease {
    int major;
    int minor;
    int ptx;
};

constexpr KnownRelease kKnownReleases[] = {
#define GWATCH_PTX_VERSION(major, minor, ptx_major, ptx_minor) \
    {major, minor, ptx_major * 10 + ptx_minor},
#include "assemble/ptx_versions.def"
#undef GWATCH_PTX_VERSION
};

/// 0 when the table does not have it.
int known_ptx_version(const Release& release) {
    for (const KnownRelease& known : kKnownReleases) {
        if (known.major == release.major && known.minor == release.minor) return known.ptx;
    }
    return 0;
}

/// A .version that no assembler takes makes it name its own.
Result<int> probe(const std::string& program, const Workspace& workspace, ProcessRunner& runner) {
    const Result<void> written =
        workspace.write("probe.ptx", ".version 99.9\n.target sm_90\n.address_size 64\n");
    if (!written.ok()) return written.error();
    const Result<ProcessResult> result =
        runner.run({program, workspace.path("probe.ptx"), "-o", workspace.path("probe.cubin")});
    if (!result.ok()) return result.error();
    const int version = parse_current_version(result->output);
    if (version != 0) return version;
    return Error{ErrorKind::kAssembler, program + " does not say which PTX version it takes",
                 result->output, "Is it a ptxas?"};
}

/// The value of a flag that names the target, given as one argument or two; `index` moves to its
/// last argument.
bool take_target(const std::vector<std::string>& flags, std::size_t* index, std::string* target) {
    const std::string& flag = flags[*index];
    for (const std::string name : {"--gpu-name", "-arch"}) {
        if (flag == name && *index + 1 < flags.size()) {
            *target = flags[++*index];
            return true;
        }
        if (flag.starts_with(name + "=")) {
            *target = flag.substr(name.size() + 1);
            return true;
        }
    }
    return false;
}

bool asks_for_log(const std::string& flag) {
    return flag == "-v" || flag == "--verbose";
}

}  // namespace

Result<Tool> inspect(const Candidate& candidate, const Workspace& workspace,
                     ProcessRunner& runner) {
    const Result<ProcessResult> result = runner.run({candidate.path, "--version"});
    if (!result.ok()) return result.error();
    Tool tool{candidate, parse_release(result->output), 0};
    if (!result->succeeded() || tool.release.text.empty()) {
        return Error{ErrorKind::kAssembler,
                     candidate.path + " does not answer --version as ptxas does", result->output,
                     "Is it a ptxas, and one for this machine?"};
    }
    tool.newest = known_ptx_version(tool.release);
    if (tool.newest != 0) return tool;
    const Result<int> probed = probe(candidate.path, workspace, runner);
    if (!probed.ok()) return probed.error();
    tool.newest = *probed;
    return tool;
}

std::vector<std::string> CommandLine::argv() const {
    std::vector<std::string> all{program};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), {input, "-o", output});
    return all;
}

CommandLine command_line(const Candidate& candidate, const std::string& target,
                         std::string_view module_target) {
    CommandLine command{candidate.path, {"-v"}, {}, {}};
    std::string flag_target;
    for (std::size_t i = 0; i < candidate.flags.size(); ++i) {
        if (take_target(candidate.flags, &i, &flag_target)) continue;
        if (!asks_for_log(candidate.flags[i])) command.flags.push_back(candidate.flags[i]);
    }
    std::string chosen = target;
    if (chosen.empty()) chosen = flag_target;
    if (chosen.empty()) chosen = module_target;
    if (!chosen.empty()) command.flags.push_back("--gpu-name=" + chosen);
    return command;
}

}  // namespace gwatch::assemble
