#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assemble/assemble.h"
#include "assemble/process.h"
#include "assemble/ptxas_log.h"
#include "assemble/workspace.h"

namespace gwatch::assemble {

/// A candidate that answered.
struct Tool {
    Candidate candidate;
    Release release;
    int newest = 0;  ///< the newest PTX .version it takes, 95 for 9.5
};

/// Asks the program for its release and finds its newest PTX version: from the table, or by probing
/// with a file in the workspace. kAssembler when it cannot be run or does not answer as ptxas does.
Result<Tool> inspect(const Candidate& candidate, const Workspace& workspace, ProcessRunner& runner);

/// The command line that assembles `input` into `output`. A target among the candidate's flags
/// gives way to `target`; when both are missing, `module_target` is taken.
struct CommandLine {
    std::string program;
    std::vector<std::string> flags;
    std::string input;
    std::string output;

    std::vector<std::string> argv() const;
};
CommandLine command_line(const Candidate& candidate, const std::string& target,
                         std::string_view module_target);

}  // namespace gwatch::assemble
