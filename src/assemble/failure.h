#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assemble/assemble.h"
#include "assemble/process.h"
#include "assemble/workspace.h"

namespace gwatch::assemble {

/// A candidate that made no cubin.
struct Failure {
    Candidate candidate;
    std::string version;               ///< "13.5.37"; empty when it did not answer
    std::vector<std::string> command;  ///< empty when it did not get that far
    std::string reason;                ///< one line: "crashed with SIGSEGV", or what it said first
    std::string log;
    std::string source_line;  ///< "line 12: mov.foo ..." of the text, when the log names a line
    bool lacks_target =
        false;  ///< it does not know the target, so its log tells nothing of the text
};

/// A candidate that cannot be run or is no ptxas.
Failure unusable(const Candidate& candidate, const Error& error);

/// Fills in why a program that ran made no cubin of `ptx`.
void explain(const ProcessResult& result, std::string_view ptx, Failure* failure);

/// A paragraph each: command, log, line of the text.
std::string to_text(const std::vector<Failure>& failures);

/// The error for the user, about the failure that says most; writes the logs beside the kept files.
Error to_error(const std::vector<Failure>& failures, const Workspace& workspace);

}  // namespace gwatch::assemble
