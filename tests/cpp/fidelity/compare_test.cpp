#include <gtest/gtest.h>

#include "fidelity/disassemble.h"
#include "fidelity/fidelity.h"

namespace gwatch::fidelity {

namespace {

/// Answers each program as a test says.
class FakeRunner : public assemble::ProcessRunner {
  public:
    Result<assemble::ProcessResult> run(const std::vector<std::string>& argv) override {
        commands.push_back(argv);
        if (argv[0] == "missing") return Error{ErrorKind::kAssembler, "missing: cannot be started"};
        if (argv[0] == "old") return assemble::ProcessResult{1, 0, "fatal: unknown sm_999\n"};
        return assemble::ProcessResult{0, 0, "\t.section\t.text.k,\"ax\"\n"};
    }
    std::vector<std::vector<std::string>> commands;
};

TEST(Disassemble, TakesTheFirstThatCan) {
    FakeRunner runner;
    const auto done = disassemble("cubin", {"missing", "old", "new"}, runner);
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->program, "new");
    ASSERT_EQ(runner.commands.size(), 3u);
    EXPECT_EQ(runner.commands[2][1], "-c");
    EXPECT_EQ(runner.commands[2][2], "-gp");
}

TEST(Disassemble, SaysWhatIsMissing) {
    FakeRunner runner;
    const auto none = disassemble("cubin", {}, runner);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().message, "there is no nvdisasm on this machine");
    EXPECT_NE(none.error().hint.find("pip install nvidia-cuda-nvdisasm"), std::string::npos);
    const auto old = disassemble("cubin", {"old"}, runner);
    ASSERT_FALSE(old.ok());
    EXPECT_EQ(old.error().detail, "old: fatal: unknown sm_999\n");
}

TEST(Compare, WithoutADisassemblerTheFactsSayWhy) {
    const instrument::Instrumented instrumented;
    const Facts facts = compare({"k", "cubin", "cubin", &instrumented, {}, {}});
    EXPECT_EQ(facts.disassembler, "");
    EXPECT_EQ(facts.unknown,
              "there is no nvdisasm on this machine. Install one with: pip install "
              "nvidia-cuda-nvdisasm; or name it in GWATCH_NVDISASM.");
    EXPECT_TRUE(facts.mix.empty());
    EXPECT_TRUE(facts.scopes.empty());
}

TEST(NewRemarks, AreThoseThatTheOriginalDoesNotCause) {
    const std::string serialized = "(C7511) Potential Performance Loss: wgmma in the function 'k'";
    EXPECT_TRUE(new_remarks({serialized + " in line 676"}, {serialized + " in line 782"}).empty());
    EXPECT_EQ(new_remarks({}, {serialized}), std::vector<std::string>{serialized});
    EXPECT_EQ(new_remarks({serialized}, {serialized, serialized}).size(), 1u) << "one more";
    EXPECT_TRUE(new_remarks({serialized, "(C7508) setmaxnreg ignored"}, {serialized}).empty());
}

}  // namespace

}  // namespace gwatch::fidelity
