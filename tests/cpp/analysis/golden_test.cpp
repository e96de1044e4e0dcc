#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "markers.h"
#include "ptx/module.h"

namespace gwatch::analysis {
namespace {

namespace fs = std::filesystem;

const fs::path kData = GWATCH_TEST_DATA;
constexpr std::string_view kVerdictPrefix = "// verdict: ";
constexpr std::string_view kBlockPrefix = "// block: ";

bool rebases() {
    const char* const value = std::getenv("GWATCH_REBASE");
    return value != nullptr && std::string_view(value) == "1";
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// A case: a module, and under it a comment line a verdict.
struct Case {
    std::string module;
    std::string verdicts;
    std::string block = "0 0 0";
};

Case split_case(const std::string& text) {
    Case result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kVerdictPrefix)) {
            result.verdicts += line.substr(kVerdictPrefix.size()) + "\n";
            continue;
        }
        if (line.starts_with(kBlockPrefix)) result.block = line.substr(kBlockPrefix.size());
        result.module += line + "\n";
    }
    return result;
}

std::string join_case(const Case& golden) {
    std::string text = golden.module;
    std::istringstream lines(golden.verdicts);
    for (std::string line; std::getline(lines, line);) {
        text += std::string(kVerdictPrefix) + line + "\n";
    }
    return text;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
    std::string name = parameter.param;
    std::replace_if(
        name.begin(), name.end(),
        [](char character) { return !std::isalnum(static_cast<unsigned char>(character)); }, '_');
    return name;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, HasTheseVerdicts) {
    const fs::path path = kData / "analysis" / (GetParam() + ".ptx");
    Case golden = split_case(read_file(path));
    const auto module = ptx::parse(golden.module, GetParam());
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    const std::string verdicts = describe_verdicts(*module, golden.block);
    ASSERT_FALSE(verdicts.empty()) << "no marker";
    if (rebases()) {
        golden.verdicts = verdicts;
        write_file(path, join_case(golden));
    }
    EXPECT_EQ(verdicts, golden.verdicts);
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(names_in(kData / "analysis")), test_name);

// The trap modules spell markers neutrally.
std::string with_markers(std::string text) {
    for (const auto& [neutral, verb] :
         {std::pair{"/*GW_BEGIN ", "start "}, {"/*GW_END ", "end "}}) {
        for (std::size_t at; (at = text.find(neutral)) != std::string::npos;) {
            const std::size_t id = at + std::string_view(neutral).size();
            const std::size_t close = text.find("*/", id);
            const std::string marker = "\n{ .reg .b32 gw;\n// gwatch:" + std::string(verb) +
                                       text.substr(id, close - id) + "\nmov.u32 gw, 0;\n}\n";
            text.replace(at, close + 2 - at, marker);
        }
    }
    return text;
}

std::string describe_trap_modules() {
    std::string all;
    for (const std::string& name : names_in(kData / "ptx")) {
        const std::string text = with_markers(read_file(kData / "ptx" / (name + ".ptx")));
        const auto module = ptx::parse(text, name);
        if (!module.ok() || text.find("gwatch:") == std::string::npos) continue;
        all += name + "\n" + describe_verdicts(*module, "128 1 1") + "\n";
    }
    return all;
}

TEST(TrapModules, HaveTheseVerdicts) {
    const fs::path path = kData / "analysis" / "trap-modules.txt";
    const std::string all = describe_trap_modules();
    if (rebases()) write_file(path, all);
    EXPECT_EQ(all, read_file(path));
}

}  // namespace
}  // namespace gwatch::analysis
