#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gwatch::assemble {

/// How a program ended, and what it printed.
struct ProcessResult {
    int exit_status = 0;  ///< only when signal is 0
    int signal = 0;       ///< that ended it, or 0
    std::string output;   ///< stdout and stderr, as they came

    bool succeeded() const { return signal == 0 && exit_status == 0; }
};

/// Runs programs. Tests put a fake in its place.
class ProcessRunner {
  public:
    virtual ~ProcessRunner() = default;
    /// Runs argv[0], a path, and waits for its end. kAssembler when it cannot be started or its end
    /// was lost.
    virtual Result<ProcessResult> run(const std::vector<std::string>& argv) = 0;
};

/// The real one: no shell, no input, the environment of this process.
class PosixRunner : public ProcessRunner {
  public:
    Result<ProcessResult> run(const std::vector<std::string>& argv) override;
};

/// The command as a shell takes it, with quotes where they are needed.
std::string shell_command(const std::vector<std::string>& argv);

/// "SIGSEGV" for 11; "signal 35" for one without a name.
std::string signal_name(int signal);

}  // namespace gwatch::assemble
