#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fidelity/code.h"
#include "ptx/module.h"

namespace gwatch::fidelity {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// The parameter that hands the launch constants to an entry stands inside a line of the original.
std::string without_parameter(std::string text) {
    constexpr std::string_view kParameter = ".param .align 8 .b8 gwatch_launch_parameter[72]";
    const std::size_t at = text.find(kParameter);
    return at == std::string::npos ? text : text.erase(at, kParameter.size());
}

constexpr char kText[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n\n"
    ".func helper()\n{\n\t.reg .b32 %r<3>;\n"
    "\t// gwatch:start in_function\n\tmov.u32 %r1, 0;\n"
    "\t// gwatch:end in_function\n\tmov.u32 %r1, 0;\n\tret;\n}\n"
    ".visible .entry k()\n{\n\t.reg .b32 %r<3>;\n\t.reg .pred %p<2>;\n"
    "\t// gwatch:start a\n\tmov.u32 %r1, 0;\n"
    "\t@%p1 ret;\n\tcall helper;\n"
    "\t// gwatch:end a\n\tmov.u32 %r2, 0;\n\tret;\n}\n";

TEST(OwnLines, TheOtherLinesAreTheOriginalTextAndKnowTheirPlaceInIt) {
    const auto module = ptx::parse(kText);
    ASSERT_TRUE(module.ok());
    const auto made = instrument::instrument(*module, "k");
    ASSERT_TRUE(made.ok()) << made.error().to_string();
    const OwnLines own(made->inserted);
    const std::vector<std::string> original = lines_of(kText);
    const std::vector<std::string> all = lines_of(made->ptx);
    EXPECT_GT(all.size(), original.size() + 50);
    std::size_t next = 0;
    for (std::uint32_t line = 1; line <= all.size(); ++line) {
        if (own.contains(line)) continue;
        ASSERT_LT(next, original.size());
        EXPECT_EQ(without_parameter(all[line - 1]), original[next]);
        EXPECT_EQ(own.original(line), next + 1);
        ++next;
    }
    EXPECT_EQ(next, original.size());
}

TEST(OwnLines, EverySiteHasATimerReadAmongItsLines) {
    const auto module = ptx::parse(kText);
    ASSERT_TRUE(module.ok());
    const auto made = instrument::instrument(*module, "k");
    ASSERT_TRUE(made.ok());
    const OwnLines own(made->inserted);
    const std::vector<std::string> all = lines_of(made->ptx);
    for (std::uint16_t site = 1; site <= made->sites.sites.size(); ++site) {
        int reads = 0;
        for (std::uint32_t line = 1; line <= all.size(); ++line) {
            const bool reads_clock = all[line - 1].find(", %clock") != std::string::npos;
            reads += own.site_of(line) == site && reads_clock;
        }
        EXPECT_EQ(reads, 1) << "site " << site;
    }
}

TEST(OwnLines, CodeInTheMiddleOfALineKeepsTheRest) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %r<3>;\n"
        "// gwatch:start a\nmov.u32 %r1, 0; add.u32 %r2, %r1, %r1;\n"
        "// gwatch:end a\nmov.u32 %r1, 0; ret; }\n";
    const auto module = ptx::parse(text);
    ASSERT_TRUE(module.ok());
    const auto made = instrument::instrument(*module, "k");
    ASSERT_TRUE(made.ok());
    const OwnLines own(made->inserted);
    std::string rest;
    const std::vector<std::string> all = lines_of(made->ptx);
    for (std::uint32_t line = 1; line <= all.size(); ++line) {
        if (!own.contains(line)) rest += all[line - 1];
    }
    // The last instruction of the entry's code shares its line with the original.
    const auto shared = rest.find("\tsetp.eq.u32");
    ASSERT_NE(shared, std::string::npos) << rest;
    rest.erase(shared, rest.find(';', shared) + 1 - shared);
    std::string expected = text;
    std::erase(expected, '\n');
    EXPECT_EQ(without_parameter(rest), expected);
}

}  // namespace

}  // namespace gwatch::fidelity
