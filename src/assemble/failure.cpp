#include "assemble/failure.h"

#include <algorithm>

#include "assemble/ptxas_log.h"

namespace gwatch::assemble {

namespace {

std::string line_of(std::string_view text, std::size_t number) {
    for (std::size_t line = 1; line < number; ++line) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return std::string(text.substr(0, text.find('\n')));
}

bool names_unknown_target(std::string_view log) {
    return log.find("is not defined for option 'gpu-name'") != log.npos ||
           log.find("Unsupported .target") != log.npos;
}

std::string program(const Failure& failure) {
    std::string text = failure.candidate.path + " (" + failure.candidate.origin;
    if (!failure.version.empty()) text += " " + failure.version;
    return text + ")";
}

/// The message without the path that it begins with, since the failure names the program anyway.
std::string without_path(std::string_view message, std::string_view path) {
    if (message.starts_with(path)) message.remove_prefix(path.size());
    message.remove_prefix(std::min(message.find_first_not_of(": "), message.size()));
    return std::string(message);
}

std::string to_text(const Failure& failure) {
    std::string text = failure.command.empty() ? program(failure) + ": " + failure.reason
                                               : "$ " + shell_command(failure.command);
    text += "\n";
    if (!failure.command.empty() && failure.log.empty()) text += failure.reason + "\n";
    text += failure.log;
    if (!text.ends_with('\n')) text += '\n';
    if (!failure.source_line.empty()) text += failure.source_line + "\n";
    return text;
}

/// A failure about the text itself, else one that ran, else the first.
const Failure& most_telling(const std::vector<Failure>& failures) {
    const auto about_text = [](const Failure& failure) {
        return !failure.command.empty() && !failure.lacks_target;
    };
    const auto ran = [](const Failure& failure) { return !failure.command.empty(); };
    auto found = std::find_if(failures.begin(), failures.end(), about_text);
    if (found == failures.end()) found = std::find_if(failures.begin(), failures.end(), ran);
    return found == failures.end() ? failures.front() : *found;
}

}  // namespace

Failure unusable(const Candidate& candidate, const Error& error) {
    return {candidate,    {}, {},   without_path(error.message, candidate.path),
            error.detail, {}, false};
}

void explain(const ProcessResult& result, std::string_view ptx, Failure* failure) {
    const std::string complaint = first_complaint(result.output);
    if (result.signal != 0) {
        failure->reason = "crashed with " + signal_name(result.signal);
        if (!complaint.empty()) failure->reason += ", after: " + complaint;
    } else if (result.exit_status == 0) {
        failure->reason = "wrote no cubin, though its exit status is 0";
    } else {
        failure->reason = complaint.empty()
                              ? "failed with exit status " + std::to_string(result.exit_status)
                              : "refused the text: " + complaint;
    }
    failure->log = result.output;
    failure->lacks_target = names_unknown_target(result.output);
    if (const std::size_t line = first_error_line(result.output)) {
        failure->source_line = "line " + std::to_string(line) + ": " + line_of(ptx, line);
    }
}

std::string to_text(const std::vector<Failure>& failures) {
    std::string text;
    for (const Failure& failure : failures) {
        if (!text.empty()) text += '\n';
        text += to_text(failure);
    }
    return text;
}

Error to_error(const std::vector<Failure>& failures, const Workspace& workspace) {
    const Failure& main = most_telling(failures);
    const std::string log = to_text(failures);
    // The error carries the log as well, so a full disk loses nothing here.
    static_cast<void>(workspace.write("log.txt", log));
    std::string hint = "The files are kept in " + workspace.folder() + ".";
    if (!main.command.empty())
        hint = "Repeat it with: " + shell_command(main.command) + "\n" + hint;
    return {ErrorKind::kAssembler, program(main) + " " + main.reason, log, hint};
}

}  // namespace gwatch::assemble
