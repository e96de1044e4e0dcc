#include "report/html_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

namespace gwatch::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kLinesAround = 8;
constexpr off_t kLargestFile = off_t{4} << 20;
constexpr std::size_t kLongestLine = 400;  ///< bytes shown of one line

/// An archive can name any file of the machine: only what looks like source goes into a page.
constexpr std::array<const char*, 14> kExtensions = {".py",  ".cu",  ".cuh", ".c",   ".cc",
                                                     ".cpp", ".cxx", ".h",   ".hh",  ".hpp",
                                                     ".hxx", ".inl", ".ptx", ".mojo"};

bool is_source_file(const std::string& path) {
    const bool looks_like_source =
        std::any_of(kExtensions.begin(), kExtensions.end(),
                    [&](const char* extension) { return path.ends_with(extension); });
    struct stat status{};
    return looks_like_source && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= kLargestFile;
}

std::vector<std::string> read_lines(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(line.substr(0, kLongestLine));
    }
    return lines;
}

bool was_changed_after(const std::string& path, const std::string& created) {
    std::tm parts{};
    std::istringstream text(created);
    text >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%S");
    struct stat status{};
    if (text.fail() || stat(path.c_str(), &status) != 0) return false;
    return status.st_mtime > timegm(&parts);
}

/// Stretches of lines that hold each of `wanted` (from 1 on) with some lines around it.
Json parts_around(const std::vector<std::string>& lines, const std::set<std::uint32_t>& wanted) {
    Json parts = Json::array();
    std::uint32_t shown_to = 0;
    for (const std::uint32_t line : wanted) {
        if (line == 0 || line > lines.size()) continue;
        const std::uint32_t first = line > kLinesAround ? line - kLinesAround : 1;
        const auto last = static_cast<std::uint32_t>(
            std::min<std::size_t>(std::size_t{line} + kLinesAround, lines.size()));
        if (parts.empty() || first > shown_to + 1) {
            parts.push_back({{"first_line", first}, {"lines", Json::array()}});
            shown_to = first - 1;
        }
        Json& text = parts.back()["lines"];
        for (; shown_to < last; ++shown_to) text.push_back(lines[shown_to]);
    }
    return parts;
}

}  // namespace

nlohmann::ordered_json source_facts(const trace::Run& run, const std::string& created, bool embed) {
    std::map<std::string, std::set<std::uint32_t>> wanted;
    for (const trace::Scope& scope : run.scopes) {
        if (!scope.file.empty()) wanted[scope.file].insert(scope.line);
    }
    Json files = Json::array();
    for (const auto& [path, scope_lines] : wanted) {
        Json file = {{"file", path}, {"changed", false}, {"parts", Json::array()}};
        if (embed && is_source_file(path)) {
            file["changed"] = was_changed_after(path, created);
            file["parts"] = parts_around(read_lines(path), scope_lines);
        }
        files.push_back(std::move(file));
    }
    return files;
}

}  // namespace gwatch::report
