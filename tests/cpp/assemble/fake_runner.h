#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assemble/process.h"

namespace gwatch::assemble {

/// Programs as functions of their arguments; all that ran is remembered.
class FakeRunner : public ProcessRunner {
  public:
    using Program = std::function<ProcessResult(const std::vector<std::string>&)>;

    std::map<std::string, Program> programs;
    std::vector<std::vector<std::string>> commands;

    Result<ProcessResult> run(const std::vector<std::string>& argv) override {
        commands.push_back(argv);
        const auto program = programs.find(argv[0]);
        if (program == programs.end()) {
            return Error{ErrorKind::kAssembler,
                         argv[0] + ": cannot be run: No such file or directory"};
        }
        return program->second(argv);
    }

    /// The commands that assembled, so not those that asked for a version.
    std::vector<std::vector<std::string>> assemblies() const {
        std::vector<std::vector<std::string>> found;
        for (const auto& command : commands) {
            if (command.back().ends_with("kernel.cubin")) found.push_back(command);
        }
        return found;
    }
};

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The argument in front of "-o".
inline std::string input_of(const std::vector<std::string>& argv) {
    return argv[argv.size() - 3];
}

inline ProcessResult write_cubin(const std::vector<std::string>& argv,
                                 const std::string& log = {}) {
    std::ofstream(argv.back()) << "cubin of " << argv[0];
    return {0, 0, log};
}

/// A ptxas of a release, for example "13.5", that ends every assembly with `on_assemble`.
inline FakeRunner::Program fake_ptxas(const std::string& release, FakeRunner::Program on_assemble) {
    return [=](const std::vector<std::string>& argv) -> ProcessResult {
        if (argv.size() == 2 && argv[1] == "--version") {
            return {0, 0, "Cuda compilation tools, release " + release + ", V" + release + ".37\n"};
        }
        return on_assemble(argv);
    };
}

inline FakeRunner::Program good_ptxas(const std::string& release, const std::string& log = {}) {
    return fake_ptxas(release, [=](const auto& argv) { return write_cubin(argv, log); });
}

}  // namespace gwatch::assemble
