// With a real ptxas: that of GWATCH_TEST_PTXAS, else of the toolkit, else of PATH. Skipped without
// one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "assemble/assemble.h"
#include "assemble/ptxas_log.h"
#include "fake_runner.h"

namespace gwatch::assemble {
namespace {

namespace fs = std::filesystem;

std::string find_ptxas() {
    if (const char* named = std::getenv("GWATCH_TEST_PTXAS")) return named;
    std::vector<std::string> folders{"/usr/local/cuda/bin"};
    std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');) folders.push_back(folder);
    for (const std::string& folder : folders) {
        const std::string program = folder + "/ptxas";
        if (access(program.c_str(), X_OK) == 0) return program;
    }
    return {};
}

std::string ptx(const std::string& version, const std::string& body) {
    return ".version " + version +
           "\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" + body +
           "\tret;\n}\n";
}

class RealPtxas : public testing::Test {
  protected:
    void SetUp() override {
        program_ = find_ptxas();
        if (program_.empty()) GTEST_SKIP() << "no ptxas: set GWATCH_TEST_PTXAS to its path";
        folder_ = fs::path(testing::TempDir()) / ("gwatch-real-ptxas-" + std::to_string(getpid()));
    }
    void TearDown() override {
        if (!folder_.empty()) fs::remove_all(folder_);
    }

    Result<Assembled> assemble(const std::string& text, std::vector<std::string> flags = {}) const {
        return assemble::assemble({text, "k", "", {{program_, "test", flags}}, folder_.string()});
    }

    std::string program_;
    fs::path folder_;
};

TEST_F(RealPtxas, MakesACubin) {
    const Result<Assembled> done =
        assemble(ptx("8.0", "\t.shared .u32 s[77];\n\tst.shared.u32 [s], 1;\n"), {"-lineinfo"});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_TRUE(
        done->cubin.starts_with("\x7f"
                                "ELF"));
    EXPECT_GT(done->resources.registers, 0);
    EXPECT_EQ(done->resources.spill_store_bytes, 0);
    EXPECT_EQ(done->resources.shared_bytes, 308);
    EXPECT_EQ(done->lowered_from, "");
    EXPECT_FALSE(done->version.empty());
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(RealPtxas, TooNewAVersionIsLowered) {
    const Result<Assembled> done = assemble(ptx("99.1", ""));
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->lowered_from, "99.1");
}

TEST_F(RealPtxas, SaysWhatIsWrongWhere) {
    const Result<Assembled> done = assemble(ptx("8.0", "\tmov.foo %r1;\n"));
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("line 6; error   : Unknown modifier '.foo'"),
              std::string::npos)
        << done.error().message;
    EXPECT_NE(done.error().detail.find("line 6: \tmov.foo %r1;"), std::string::npos);
}

TEST_F(RealPtxas, RepeatCommandFailsTheSameWay) {
    const Result<Assembled> done = assemble(ptx("8.0", "\tmov.foo %r1;\n"));
    ASSERT_FALSE(done.ok());
    const std::string prefix = "Repeat it with: ";
    const std::string& hint = done.error().hint;
    ASSERT_TRUE(hint.starts_with(prefix)) << hint;
    const std::string command = hint.substr(prefix.size(), hint.find('\n') - prefix.size());
    PosixRunner runner;
    const Result<ProcessResult> again = runner.run({"/bin/sh", "-c", command});
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(again->succeeded());
    EXPECT_NE(again->output.find("Unknown modifier '.foo'"), std::string::npos) << again->output;
}

TEST_F(RealPtxas, UnknownTargetIsARefusal) {
    std::string text = ptx("8.0", "");
    text.replace(text.find("sm_90a"), 6, "sm_999");
    const Result<Assembled> done = assemble(text);
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("sm_999"), std::string::npos) << done.error().message;
}

TEST_F(RealPtxas, TableAgreesWithTheProgram) {
    const fs::path probe = fs::path(testing::TempDir()) / "gwatch-version-probe.ptx";
    std::ofstream(probe) << ".version 99.9\n.target sm_90\n";
    PosixRunner runner;
    const Result<ProcessResult> said = runner.run({program_, probe.string(), "-o", "/dev/null"});
    fs::remove(probe);
    ASSERT_TRUE(said.ok());
    const Result<int> newest = newest_ptx_version(program_);
    ASSERT_TRUE(newest.ok());
    EXPECT_EQ(*newest, parse_current_version(said->output)) << said->output;
}

}  // namespace
}  // namespace gwatch::assemble
