#include "assemble/tool.h"

#include <gtest/gtest.h>

#include "assemble/assembler.h"
#include "fake_runner.h"

namespace gwatch::assemble {
namespace {

int newest(const std::string& release) {
    FakeRunner runner;
    runner.programs["/ptxas"] = good_ptxas(release);
    const Result<int> version = Assembler(runner).newest_ptx_version("/ptxas");
    return version.ok() ? *version : -1;
}

TEST(NewestPtxVersion, ComesFromTheTable) {
    EXPECT_EQ(newest("11.0"), 70);
    EXPECT_EQ(newest("11.8"), 78);
    EXPECT_EQ(newest("12.5"), 85);
    EXPECT_EQ(newest("12.6"), 85);
    EXPECT_EQ(newest("12.9"), 88);
    EXPECT_EQ(newest("13.0"), 90);
    EXPECT_EQ(newest("13.5"), 95);
}

TEST(NewestPtxVersion, UnknownReleaseThatDoesNotAnswerFails) {
    EXPECT_EQ(newest("19.0"), -1);
}

TEST(NewestPtxVersion, NamesAProgramThatIsNoPtxas) {
    FakeRunner runner;
    runner.programs["/bin/true"] = [](const auto&) { return ProcessResult{}; };
    const Result<int> version = Assembler(runner).newest_ptx_version("/bin/true");
    ASSERT_FALSE(version.ok());
    EXPECT_EQ(version.error().message, "/bin/true does not answer --version as ptxas does");
}

TEST(CommandLine, TargetOfTheRequestWins) {
    const Candidate candidate{"/ptxas", "PATH", {"-arch", "sm_80", "-lineinfo"}};
    const std::vector<std::string> flags{"-v", "-lineinfo", "--gpu-name=sm_90a"};
    EXPECT_EQ(command_line(candidate, "sm_90a", "sm_52").flags, flags);
}

TEST(CommandLine, TargetOfTheFlagsIsNext) {
    for (const std::vector<std::string>& given : {std::vector<std::string>{"-arch", "sm_80"},
                                                  {"-arch=sm_80"},
                                                  {"--gpu-name", "sm_80"},
                                                  {"--gpu-name=sm_80"}}) {
        const Candidate candidate{"/ptxas", "PATH", given};
        const std::vector<std::string> flags{"-v", "--gpu-name=sm_80"};
        EXPECT_EQ(command_line(candidate, "", "sm_52").flags, flags) << given[0];
    }
}

TEST(CommandLine, TargetOfTheModuleIsLast) {
    EXPECT_EQ(command_line({"/ptxas", "", {}}, "", "sm_52").flags.back(), "--gpu-name=sm_52");
    EXPECT_EQ(command_line({"/ptxas", "", {}}, "", "").flags, std::vector<std::string>{"-v"});
}

}  // namespace
}  // namespace gwatch::assemble
