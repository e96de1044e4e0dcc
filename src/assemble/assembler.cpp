#include "assemble/assembler.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "assemble/failure.h"
#include "assemble/ptxas_log.h"
#include "assemble/tool.h"
#include "assemble/workspace.h"
#include "ptx/module.h"

namespace gwatch::assemble {

namespace {

constexpr std::string_view kCubinName = "kernel.cubin";

/// The text as it came, and where its .version stands.
struct Text {
    std::string ptx;
    std::size_t version_offset = 0;
    std::size_t version_length = 0;
    std::string version;
    std::string target;  ///< of the module, may be empty

    std::string with_version(const std::string& other) const {
        std::string lowered = ptx;
        return lowered.replace(version_offset, version_length, other);
    }
};

Result<Text> read_text(const std::string& ptx) {
    const Result<ptx::Module> module = ptx::parse(ptx, "<instrumented PTX>");
    if (!module.ok()) return module.error();
    Text text;
    text.ptx = ptx;
    text.version = module->version();
    if (!text.version.empty()) {
        text.version_offset =
            static_cast<std::size_t>(module->version().data() - module->text().data());
        text.version_length = text.version.size();
    }
    for (const std::string_view target : module->targets()) {
        if (target.starts_with("sm_") || target.starts_with("compute_")) text.target = target;
    }
    return text;
}

/// One call: tries candidates until one makes a cubin.
class Job {
  public:
    Job(const Request& request, Text text, Workspace workspace, ProcessRunner& runner)
        : request_(request),
          text_(std::move(text)),
          workspace_(std::move(workspace)),
          runner_(runner) {}

    Result<Assembled> run() {
        std::vector<Tool> too_old;
        for (const Candidate& candidate : request_.candidates) {
            Result<Tool> tool = inspect(candidate, workspace_, runner_);
            if (!tool.ok()) {
                failures_.push_back(unusable(candidate, tool.error()));
            } else if (tool->newest < parse_ptx_version(text_.version)) {
                too_old.push_back(*std::move(tool));
            } else if (std::optional<Assembled> done = attempt(*tool, "kernel.ptx", text_.ptx)) {
                return *std::move(done);
            }
        }
        for (const Tool& tool : too_old) {
            if (std::optional<Assembled> done = attempt_lowered(tool)) return *std::move(done);
        }
        workspace_.keep();
        return to_error(failures_, workspace_);
    }

  private:
    std::optional<Assembled> attempt_lowered(const Tool& tool) {
        const std::string version = ptx_version_text(tool.newest);
        std::optional<Assembled> done =
            attempt(tool, "kernel-" + version + ".ptx", text_.with_version(version));
        if (done) done->lowered_from = text_.version;
        return done;
    }

    std::optional<Assembled> attempt(const Tool& tool, const std::string& name,
                                     const std::string& ptx) {
        CommandLine command = command_line(tool.candidate, request_.target, text_.target);
        command.input = workspace_.path(name);
        command.output = workspace_.path(kCubinName);
        Failure failure{tool.candidate, tool.release.text, command.argv(), {}, {}, {}};
        if (const Result<void> written = workspace_.write(name, ptx); !written.ok()) {
            failure.reason = written.error().message;
            failures_.push_back(failure);
            return std::nullopt;
        }
        const auto start = std::chrono::steady_clock::now();
        const Result<ProcessResult> result = runner_.run(command.argv());
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        if (!result.ok()) {
            failure.reason = result.error().message;
        } else if (std::string cubin = workspace_.read(kCubinName);
                   result->succeeded() && !cubin.empty()) {
            return describe(tool, command, *result, std::move(cubin), elapsed.count());
        } else {
            explain(*result, ptx, &failure);
        }
        failures_.push_back(std::move(failure));
        return std::nullopt;
    }

    Assembled describe(const Tool& tool, const CommandLine& command, const ProcessResult& result,
                       std::string cubin, double seconds) const {
        Assembled done;
        done.cubin = std::move(cubin);
        done.path = tool.candidate.path;
        done.origin = tool.candidate.origin;
        done.version = tool.release.text;
        done.flags = command.flags;
        done.log = result.output;
        done.remarks = parse_remarks(result.output);
        done.resources = parse_resources(result.output, request_.entry);
        done.earlier_failures = to_text(failures_);
        done.seconds = seconds;
        return done;
    }

    const Request& request_;
    Text text_;
    Workspace workspace_;
    ProcessRunner& runner_;
    std::vector<Failure> failures_;
};

}  // namespace

Result<int> Assembler::newest_ptx_version(const std::string& path) {
    const Result<Workspace> workspace = Workspace::create({});
    if (!workspace.ok()) return workspace.error();
    const Result<Tool> tool = inspect({path, {}, {}}, *workspace, runner_);
    if (!tool.ok()) return tool.error();
    return tool->newest;
}

Result<Assembled> Assembler::assemble(const Request& request) {
    if (request.candidates.empty()) {
        return Error{ErrorKind::kAssembler,
                     "no assembler (ptxas) was found",
                     {},
                     "Install one with `pip install nvidia-cuda-nvcc`, or set GWATCH_PTXAS to its "
                     "path."};
    }
    Result<Text> text = read_text(request.ptx);
    if (!text.ok()) return text.error();
    Result<Workspace> workspace = Workspace::create(request.keep_folder);
    if (!workspace.ok()) return workspace.error();
    return Job(request, std::move(text).value(), std::move(workspace).value(), runner_).run();
}

Result<int> newest_ptx_version(const std::string& path) {
    PosixRunner runner;
    return Assembler(runner).newest_ptx_version(path);
}

Result<Assembled> assemble(const Request& request) {
    PosixRunner runner;
    return Assembler(runner).assemble(request);
}

}  // namespace gwatch::assemble
