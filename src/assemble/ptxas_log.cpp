#include "assemble/ptxas_log.h"

#include <cctype>
#include <charconv>
#include <regex>

namespace gwatch::assemble {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

/// What stands behind `prefix` in the line up to `end`, or nothing.
std::string_view between(std::string_view line, std::string_view prefix, char end) {
    const std::size_t begin = line.find(prefix);
    if (begin == line.npos) return {};
    line.remove_prefix(begin + prefix.size());
    return line.substr(0, std::min(line.find(end), line.size()));
}

/// The number right in front of `unit`, or -1: " bytes smem" in "308 bytes smem".
int number_before(std::string_view line, std::string_view unit) {
    const std::size_t end = line.find(unit);
    if (end == line.npos) return -1;
    std::size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
    int value = -1;
    std::from_chars(line.data() + begin, line.data() + end, value);
    return value;
}

void read_properties(std::string_view line, Resources* resources) {
    resources->stack_bytes = number_before(line, " bytes stack frame");
    resources->spill_store_bytes = number_before(line, " bytes spill stores");
    resources->spill_load_bytes = number_before(line, " bytes spill loads");
}

void read_usage(std::string_view line, Resources* resources) {
    resources->registers = number_before(line, " registers");
    // ptxas leaves out what is zero.
    resources->shared_bytes = std::max(number_before(line, " bytes smem"), 0);
}

std::string_view without_prefix(std::string_view line) {
    constexpr std::string_view kSeparator = " : ";
    const std::size_t separator = line.find(kSeparator);
    if (!line.starts_with("ptxas") || separator == line.npos) return line;
    return line.substr(separator + kSeparator.size());
}

std::string first_group(std::string_view text, const char* pattern) {
    std::cmatch match;
    const bool found =
        std::regex_search(text.data(), text.data() + text.size(), match, std::regex(pattern));
    return found ? match[1].str() : std::string();
}

}  // namespace

Resources parse_resources(std::string_view log, std::string_view entry) {
    Resources resources;
    bool in_entry = false;
    bool properties_follow = false;
    for (const std::string_view line : lines_of(log)) {
        if (contains(line, "Compiling entry function '")) {
            in_entry = between(line, "Compiling entry function '", '\'') == entry;
        } else if (contains(line, "Function properties for ")) {
            properties_follow =
                in_entry && between(line, "Function properties for ", '\n') == entry;
        } else if (properties_follow) {
            read_properties(line, &resources);
            properties_follow = false;
        } else if (in_entry && contains(line, ": Used ")) {
            read_usage(line, &resources);
        }
    }
    return resources;
}

std::vector<std::string> parse_remarks(std::string_view log) {
    static const std::regex code("\\(C7[0-9]{3}\\)");
    std::vector<std::string> remarks;
    for (const std::string_view line : lines_of(log)) {
        if (std::regex_search(line.begin(), line.end(), code)) {
            remarks.emplace_back(without_prefix(line));
        }
    }
    return remarks;
}

std::string first_complaint(std::string_view log) {
    const std::vector<std::string_view> lines = lines_of(log);
    for (const std::string_view line : lines) {
        if (contains(line, "error") || contains(line, "fatal")) return std::string(line);
    }
    return lines.empty() ? std::string() : std::string(lines.front());
}

std::size_t first_error_line(std::string_view log) {
    const std::string digits = first_group(log, ", line ([0-9]{1,9}); (?:error|fatal)");
    return digits.empty() ? 0 : std::stoul(digits);
}

Release parse_release(std::string_view output) {
    Release release;
    release.text = first_group(output, "release [0-9]+\\.[0-9]+, V([0-9.]+)");
    const std::string major = first_group(output, "release ([0-9]{1,4})\\.");
    const std::string minor = first_group(output, "release [0-9]{1,4}\\.([0-9]{1,4})");
    if (major.empty() || minor.empty()) return {};
    release.major = std::stoi(major);
    release.minor = std::stoi(minor);
    if (release.text.empty()) release.text = major + "." + minor;
    return release;
}

int parse_current_version(std::string_view log) {
    return parse_ptx_version(between(log, "current version is '", '\''));
}

int parse_ptx_version(std::string_view text) {
    int major = 0;
    int minor = 0;
    const char* end = text.data() + text.size();
    const auto [dot, failure] = std::from_chars(text.data(), end, major);
    if (failure != std::errc() || dot == end || *dot != '.' || major > 1000) return 0;
    const auto [rest, minor_failure] = std::from_chars(dot + 1, end, minor);
    if (minor_failure != std::errc() || rest != end || minor > 9) return 0;
    return major * 10 + minor;
}

std::string ptx_version_text(int version) {
    return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

}  // namespace gwatch::assemble
