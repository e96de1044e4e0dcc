#include "trace/strip_paths.h"

#include <map>
#include <vector>

namespace gwatch::trace {

namespace {

/// What ends a path inside of a text.
constexpr std::string_view kPathEnds = " \t\r\n\"'`,;:()<>[]{}|=";

/// The last part of one path, of any system.
std::string base_name(const std::string& path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Whether a path begins here: a slash or ~ with a name behind it, at the begin of a word.
bool begins_path(std::string_view text, std::size_t at) {
    if (at > 0 && kPathEnds.find(text[at - 1]) == std::string_view::npos) return false;
    if (text.substr(at).starts_with("~/")) return true;
    return text[at] == '/' && at + 1 < text.size() && text[at + 1] != '/' &&
           kPathEnds.find(text[at + 1]) == std::string_view::npos;
}

void cut(std::vector<std::string>& texts) {
    for (std::string& text : texts) text = without_folders(text);
}

void strip_fidelity(fidelity::Facts& facts) {
    facts.disassembler = base_name(facts.disassembler);
    facts.unknown = without_folders(facts.unknown);
    cut(facts.new_remarks);
    cut(facts.notes);
    for (fidelity::ScopeCheck& check : facts.scopes) {
        check.unknown = without_folders(check.unknown);
        for (fidelity::Movement& movement : check.movements) {
            movement.file = base_name(movement.file);
        }
    }
}

void strip_run(Run& run) {
    for (Scope& scope : run.scopes) scope.file = base_name(scope.file);
    for (Site& site : run.sites) site.file = base_name(site.file);
    CompileFacts& compile = run.compile;
    compile.assembler = base_name(compile.assembler);
    compile.assembler_origin = without_folders(compile.assembler_origin);
    compile.ptx_source = without_folders(compile.ptx_source);
    cut(compile.assembler_flags);
    cut(compile.remarks);
    cut(run.warnings);
    if (run.fidelity) strip_fidelity(*run.fidelity);
}

/// "host 1", "host 2", ... in order of first use.
void number_hosts(Trace* trace) {
    std::map<std::string, std::string> names;
    for (Run& run : trace->runs) {
        if (!run.launch.host) continue;
        const std::string number = "host " + std::to_string(names.size() + 1);
        run.launch.host = names.try_emplace(*run.launch.host, number).first->second;
    }
}

}  // namespace

std::string without_folders(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (!begins_path(text, at)) {
            result += text[at++];
            continue;
        }
        const std::size_t end = std::min(text.find_first_of(kPathEnds, at), text.size());
        result += base_name(std::string(text.substr(at, end - at)));
        at = end;
    }
    return result;
}

void strip_paths(Trace* trace) {
    for (Run& run : trace->runs) strip_run(run);
    number_hosts(trace);
}

}  // namespace gwatch::trace
