#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assemble/assemble.h"

namespace gwatch::assemble {

/// What `ptxas -v` says of one entry; the functions it calls do not count.
Resources parse_resources(std::string_view log, std::string_view entry);

/// The lines with a C7xxx code, without ptxas's "ptxas info    : ".
std::vector<std::string> parse_remarks(std::string_view log);

/// The first line that tells an error, else the first line; without its line end.
std::string first_complaint(std::string_view log);

/// The number in the first "line N;" of the log, or 0.
std::size_t first_error_line(std::string_view log);

/// The release in the output of `ptxas --version`, as {"13.5.37", 13, 5}; an empty text when there
/// is none.
struct Release {
    std::string text;
    int major = 0;
    int minor = 0;
};
Release parse_release(std::string_view output);

/// The version in "Unsupported .version 99.9; current version is '9.5'" as 95, or 0.
int parse_current_version(std::string_view log);

/// "9.5" as 95, or 0 when it is no version.
int parse_ptx_version(std::string_view text);

/// 95 as "9.5".
std::string ptx_version_text(int version);

}  // namespace gwatch::assemble
