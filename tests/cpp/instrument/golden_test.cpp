// Each file of tests/data/instrument is one case: header, input, a line `//// output`, what comes
// out. The header says the idea, the entry, and `show`: `text` is the instrumented text, `outline`
// the same with each piece of injected code as one line; with `prove: yes` markers may be placed as
// proven. GWATCH_REBASE=1 writes what comes out into
// the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "instrument/instrument.h"

namespace gwatch::instrument {
namespace {

constexpr char kSeparator[] = "//// output\n";

std::filesystem::path folder() {
    return std::filesystem::path(GWATCH_TEST_DATA) / "instrument";
}

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// The value of `// key: value` in a case's header.
std::string field(const std::string& text, const std::string& key) {
    const std::string start = std::string("// ").append(key).append(": ");
    const std::size_t at = text.find(start);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + start.size();
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

/// Replaces each piece from `begin` to and with the label `end`, which ends in a site's number.
void fold(std::string* text, const std::string& begin, const std::string& end,
          const std::string& tail, const std::string& name) {
    for (std::size_t at = 0; (at = text->find(begin, at)) != std::string::npos;) {
        const std::size_t last = text->find(end, at);
        if (last == std::string::npos) return;
        const std::size_t number = last + end.size();
        const std::size_t colon = text->find(':', number);
        const std::string line =
            std::string("\t<").append(name).append(text->substr(number, colon - number)) + ">\n";
        text->replace(at, colon + 2 + tail.size() - at, line);
    }
}

/// Replaces each piece from `begin` to the end of the line that holds `last`.
void fold_lines(std::string* text, const std::string& begin, const std::string& last,
                const std::string& name) {
    for (std::size_t at = 0; (at = text->find(begin, at)) != std::string::npos;) {
        const std::size_t end = text->find('\n', text->find(last, at));
        text->replace(at, end - at, std::string("\t<").append(name).append(">"));
    }
}

std::string outline(std::string text) {
    fold_lines(&text, "\t.reg .b32 %gwatch_cursor", "setp.eq.u32 %gwatch_leader", "enter");
    fold_lines(&text, "\tmov.u32 %gwatch_extra, 0;", "$gwatch_entered:", "setup");
    fold(&text, "\t{\n\t.reg .b32 %gwatch_chunk", "\n$gwatch_done", "\t}\n", "function record ");
    fold(&text, "\tmov.u64 %gwatch_clock, %clock64;\n", "\n$gwatch_back", "", "record ");
    return text;
}

std::string output_of(const std::string& text) {
    const std::string input = text.substr(0, text.find(kSeparator));
    const auto module = ptx::parse(input, "case");
    if (!module.ok()) return "error: " + module.error().to_string() + "\n";
    Options options;
    options.prove = field(input, "prove") == "yes";
    const auto result = instrument(*module, field(input, "entry"), options);
    if (!result.ok()) return "error: " + result.error().to_string() + "\n";
    std::string output = result->ptx.substr(result->ptx.find(".version"));
    if (output.back() != '\n') output += "<no newline>\n";
    return field(input, "show") == "text" ? output : outline(output);
}

std::vector<std::string> cases() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, Output) {
    const std::filesystem::path path = folder() / (GetParam() + ".ptx");
    const std::string text = read(path);
    const std::size_t separator = text.find(kSeparator);
    ASSERT_FALSE(field(text, "idea").empty()) << "a case has a line `// idea: ...`";
    const std::string output = output_of(text);
    if (std::getenv("GWATCH_REBASE") != nullptr) {
        std::ofstream(path, std::ios::binary) << text.substr(0, separator) << kSeparator << output;
        return;
    }
    ASSERT_NE(separator, std::string::npos);
    EXPECT_EQ(output, text.substr(separator + sizeof kSeparator - 1));
    EXPECT_EQ(GetParam().starts_with("bad-"), output.starts_with("error: "));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& parameter) {
    std::string name = parameter.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(cases()), test_name);

}  // namespace
}  // namespace gwatch::instrument
