#include "instrument/reach.h"

#include <gtest/gtest.h>

namespace gwatch::instrument {
namespace {

constexpr char kHeader[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";
constexpr char kFunctions[] =
    ".func f();\n.func f() { ret; }\n.func g() { call f; ret; }\n.func h() { call h; ret; }\n";

/// Names of what entry k reaches, besides itself.
std::string reached(const std::string& body, const std::string& before = "") {
    const auto module = ptx::parse(kHeader + std::string(kFunctions) + before + ".entry k() {" +
                                   body + "}\n" + ".entry other() { call h; ret; }\n");
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    const auto entry =
        static_cast<std::uint32_t>(module->find_definition("k") - module->functions().data());
    std::string names;
    for (const std::uint32_t index : reachable_functions(*module, {entry})) {
        if (index != entry) names += std::string(module->functions()[index].name) + " ";
    }
    return names;
}

TEST(Reach, Calls) {
    EXPECT_EQ(reached("ret;"), "");
    EXPECT_EQ(reached("call.uni (%r1), f, (%r2); ret;"), "f ");
    EXPECT_EQ(reached("@%p1 call g; ret;"), "f g ");
    EXPECT_EQ(reached("call h; ret;"), "h ");
}

TEST(Reach, ATakenAddressCounts) {
    EXPECT_EQ(reached("mov.u64 %rd1, g; ret;"), "f g ");
}

TEST(Reach, AnIndirectCallReachesAllThatIsNamed) {
    EXPECT_EQ(reached("call %rd1, (), proto; ret;"), "f h ");
    EXPECT_EQ(reached("call %rd1, (), proto; ret;", ".global .u64 table[1] = {g};\n"), "f g h ");
}

TEST(Reach, ACallOfWhatIsElsewhereIsNotIndirect) {
    EXPECT_EQ(reached("call vprintf, (); ret;", ".extern .func vprintf();\n"), "");
}

TEST(Reach, AliasesAreFollowed) {
    EXPECT_EQ(reached("call other_name; ret;", ".func other_name();\n.alias other_name, g;\n"),
              "f g ");
}

TEST(Reach, WordsInCommentsAndStringsAreNotNames) {
    EXPECT_EQ(reached("// call g;\n/* g */ .pragma \"g\"; ret;"), "");
}

}  // namespace
}  // namespace gwatch::instrument
