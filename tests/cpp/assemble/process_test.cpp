#include "assemble/process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace gwatch::assemble {
namespace {

ProcessResult shell(const std::string& script) {
    PosixRunner runner;
    const Result<ProcessResult> result = runner.run({"/bin/sh", "-c", script});
    EXPECT_TRUE(result.ok());
    return result.ok() ? *result : ProcessResult{};
}

TEST(PosixRunner, CollectsBothStreamsInOrder) {
    const ProcessResult result = shell("echo one; echo two >&2; echo three");
    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.output, "one\ntwo\nthree\n");
}

TEST(PosixRunner, TellsTheExitStatus) {
    const ProcessResult result = shell("exit 7");
    EXPECT_FALSE(result.succeeded());
    EXPECT_EQ(result.exit_status, 7);
    EXPECT_EQ(result.signal, 0);
}

TEST(PosixRunner, TellsTheSignal) {
    const ProcessResult result = shell("kill -SEGV $$");
    EXPECT_FALSE(result.succeeded());
    EXPECT_EQ(result.signal, SIGSEGV);
}

TEST(PosixRunner, MoreOutputThanAPipeHolds) {
    const ProcessResult result =
        shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done");
    EXPECT_EQ(result.output.size(), 220000u);
}

TEST(PosixRunner, InputIsEmpty) {
    EXPECT_EQ(shell("cat; echo end").output, "end\n");
}

TEST(PosixRunner, ArgumentsAreNotExpanded) {
    PosixRunner runner;
    const Result<ProcessResult> result = runner.run({"/bin/echo", "$HOME `id` *"});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->output, "$HOME `id` *\n");
}

TEST(PosixRunner, MissingProgramIsAnError) {
    PosixRunner runner;
    const Result<ProcessResult> result = runner.run({"/no/such/ptxas"});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().kind, ErrorKind::kAssembler);
    EXPECT_EQ(result.error().message, "/no/such/ptxas: cannot be run: No such file or directory");
}

TEST(PosixRunner, SignalThatThisProcessIgnoresWorksInTheChild) {
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const ProcessResult result = shell("kill -PIPE $$; echo alive");
    std::signal(SIGPIPE, before);
    EXPECT_EQ(result.signal, SIGPIPE);
    EXPECT_EQ(result.output, "");
}

TEST(PosixRunner, LostExitStatusIsAnError) {
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    PosixRunner runner;
    const Result<ProcessResult> result = runner.run({"/bin/true"});
    std::signal(SIGCHLD, before);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("exit status was lost"), std::string::npos);
}

TEST(ShellCommand, QuotesWhatNeedsIt) {
    EXPECT_EQ(shell_command({"/a b/ptxas", "--gpu-name=sm_90a", "", "it's"}),
              "'/a b/ptxas' --gpu-name=sm_90a '' 'it'\\''s'");
}

TEST(ShellCommand, IsReadBackByAShell) {
    const std::vector<std::string> argv{"/bin/echo", "a'b", "$x \"y\"", "*", "\\"};
    EXPECT_EQ(shell(shell_command(argv)).output, "a'b $x \"y\" * \\\n");
}

TEST(SignalName, KnowsNames) {
    EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
    EXPECT_EQ(signal_name(1000), "signal 1000");
}

}  // namespace
}  // namespace gwatch::assemble
