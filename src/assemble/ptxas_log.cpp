#include "assemble/ptxas_log.h"

#include <algorithm>
#include <cctype>
#include <charconv>

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

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The number right in front of `unit`, or -1: " bytes smem" in "308 bytes smem".
int number_before(std::string_view line, std::string_view unit) {
    const std::size_t end = line.find(unit);
    if (end == line.npos) return -1;
    std::size_t begin = end;
    while (begin > 0 && is_digit(line[begin - 1])) --begin;
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

/// "(C7510)" and the like.
bool has_remark_code(std::string_view line) {
    constexpr std::string_view kStart = "(C7";
    constexpr std::size_t kDigits = 3;
    for (std::size_t at = line.find(kStart); at != line.npos; at = line.find(kStart, at + 1)) {
        const std::string_view rest = line.substr(at + kStart.size());
        if (rest.size() > kDigits && std::all_of(rest.begin(), rest.begin() + kDigits, is_digit) &&
            rest[kDigits] == ')') {
            return true;
        }
    }
    return false;
}

/// The number that the text begins with, or -1; cuts it off.
int take_number(std::string_view* text) {
    int value = -1;
    const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
    text->remove_prefix(static_cast<std::size_t>(end - text->data()));
    return value;
}

bool is_complaint(std::string_view line) {
    return contains(line, "error") || contains(line, "fatal");
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
    std::vector<std::string> remarks;
    for (const std::string_view line : lines_of(log)) {
        if (has_remark_code(line)) remarks.emplace_back(without_prefix(line));
    }
    return remarks;
}

std::string first_complaint(std::string_view log) {
    const std::vector<std::string_view> lines = lines_of(log);
    const auto found = std::find_if(lines.begin(), lines.end(), is_complaint);
    if (found != lines.end()) return std::string(*found);
    return lines.empty() ? std::string() : std::string(lines.front());
}

std::size_t first_error_line(std::string_view log) {
    for (const std::string_view line : lines_of(log)) {
        std::string_view number = between(line, ", line ", ';');
        const int value = take_number(&number);
        if (value > 0 && is_complaint(line)) return static_cast<std::size_t>(value);
    }
    return 0;
}

Release parse_release(std::string_view output) {
    Release release;
    std::string_view numbers = between(output, "release ", ',');
    const std::string both(numbers.substr(0, numbers.find_first_not_of("0123456789.")));
    release.major = take_number(&numbers);
    if (release.major < 0 || !numbers.starts_with('.')) return {};
    numbers.remove_prefix(1);
    release.minor = take_number(&numbers);
    if (release.minor < 0) return {};
    const std::string_view full = between(output, ", V", '\n');
    release.text = full.substr(0, full.find_first_not_of("0123456789."));
    if (release.text.empty()) release.text = both;
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
