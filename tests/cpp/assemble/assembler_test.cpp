#include "assemble/assembler.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fake_runner.h"

namespace gwatch::assemble {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPtx =
    ".version 9.4\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";

/// Keeps the files of failures in a folder of its own.
class AssemblerTest : public testing::Test {
  protected:
    AssemblerTest()
        : folder_(fs::path(testing::TempDir()) /
                  ("gwatch-assembler-test-" +
                   std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
        fs::remove_all(folder_);
        request_.ptx = kPtx;
        request_.entry = "k";
        request_.keep_folder = folder_.string();
    }
    ~AssemblerTest() override { fs::remove_all(folder_); }

    void add(const std::string& path, FakeRunner::Program program,
             std::vector<std::string> flags = {}) {
        runner_.programs[path] = std::move(program);
        request_.candidates.push_back({path, "origin of " + path, std::move(flags)});
    }
    Result<Assembled> assemble() { return Assembler(runner_).assemble(request_); }
    Error failure() {
        const Result<Assembled> result = assemble();
        EXPECT_FALSE(result.ok());
        return result.ok() ? Error{ErrorKind::kUsage, "no failure"} : result.error();
    }
    std::vector<std::string> kept_files() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
            if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    fs::path folder_;
    FakeRunner runner_;
    Request request_;
};

TEST_F(AssemblerTest, FirstCandidateIsTakenWithItsFlags) {
    add("/triton/ptxas", good_ptxas("13.4", "ptxas info    : 0 bytes gmem\n"),
        {"-lineinfo", "--fmad=false", "-v", "--gpu-name=sm_90a"});
    add("/wheel/ptxas", good_ptxas("13.5"));
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->cubin, "cubin of /triton/ptxas");
    EXPECT_EQ(done->path, "/triton/ptxas");
    EXPECT_EQ(done->origin, "origin of /triton/ptxas");
    EXPECT_EQ(done->version, "13.4.37");
    EXPECT_EQ(done->lowered_from, "");
    EXPECT_EQ(done->log, "ptxas info    : 0 bytes gmem\n");
    EXPECT_EQ(done->earlier_failures, "");
    EXPECT_GE(done->seconds, 0);
    const std::vector<std::string> flags{"-v", "-lineinfo", "--fmad=false", "--gpu-name=sm_90a"};
    EXPECT_EQ(done->flags, flags);
    EXPECT_EQ(runner_.assemblies().size(), 1u);
}

TEST_F(AssemblerTest, NothingIsLeftBehindAfterSuccess) {
    add("/a/ptxas", good_ptxas("13.5"));
    ASSERT_TRUE(assemble().ok());
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AssemblerTest, TooOldCandidateIsPassedOver) {
    add("/old/ptxas", good_ptxas("12.8"));
    add("/new/ptxas", good_ptxas("13.4"));
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->path, "/new/ptxas");
    EXPECT_EQ(done->lowered_from, "");
}

TEST_F(AssemblerTest, VersionIsLoweredWhenAllAreTooOld) {
    std::string seen;
    add("/12.8/ptxas", fake_ptxas("12.8", [&](const auto& argv) {
            seen = read_file(input_of(argv));
            return write_cubin(argv);
        }));
    add("/12.9/ptxas", good_ptxas("12.9"));
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->path, "/12.8/ptxas");
    EXPECT_EQ(done->lowered_from, "9.4");
    EXPECT_TRUE(seen.starts_with(".version 8.7\n.target sm_90a\n")) << seen;
}

TEST_F(AssemblerTest, OnlyTheDirectiveIsLowered) {
    request_.ptx = "// .version 9.4 in a comment\n" + std::string(kPtx);
    std::string seen;
    add("/a/ptxas", fake_ptxas("13.0", [&](const auto& argv) {
            seen = read_file(input_of(argv));
            return write_cubin(argv);
        }));
    ASSERT_TRUE(assemble().ok());
    EXPECT_TRUE(seen.starts_with("// .version 9.4 in a comment\n.version 9.0\n")) << seen;
}

TEST_F(AssemblerTest, UnknownNewerReleaseIsProbed) {
    std::string probe;
    add("/a/ptxas", fake_ptxas("14.2", [&](const auto& argv) -> ProcessResult {
            if (!argv.back().ends_with("probe.cubin")) return write_cubin(argv);
            probe = read_file(input_of(argv));
            return {255, 0,
                    "ptxas probe.ptx, line 1; fatal   : Unsupported .version 99.9; current version "
                    "is '9.8'\n"};
        }));
    request_.ptx.replace(request_.ptx.find("9.4"), 3, "9.8");
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->lowered_from, "");
    EXPECT_TRUE(probe.starts_with(".version 99.9\n")) << probe;
}

TEST_F(AssemblerTest, RefusalFallsToTheNextAndIsKept) {
    add("/a/ptxas", fake_ptxas("13.4", [](const auto&) -> ProcessResult {
            return {255, 0,
                    "ptxas fatal   : Value 'sm_90a' is not defined for option 'gpu-name'\n"};
        }));
    add("/b/ptxas", good_ptxas("13.5"));
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->path, "/b/ptxas");
    EXPECT_NE(done->earlier_failures.find("$ /a/ptxas -v --gpu-name=sm_90a"), std::string::npos);
    EXPECT_NE(done->earlier_failures.find("is not defined"), std::string::npos);
}

TEST_F(AssemblerTest, MissingProgramIsPassedOver) {
    request_.candidates.push_back({"/gone/ptxas", "GWATCH_PTXAS", {}});
    add("/b/ptxas", good_ptxas("13.5"));
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    EXPECT_EQ(done->path, "/b/ptxas");
    EXPECT_EQ(done->earlier_failures,
              "/gone/ptxas (GWATCH_PTXAS): cannot be run: No such file or directory\n");
}

TEST_F(AssemblerTest, NoCandidatesSaysWhatToInstall) {
    const Error error = failure();
    EXPECT_EQ(error.kind, ErrorKind::kAssembler);
    EXPECT_NE(error.hint.find("nvidia-cuda-nvcc"), std::string::npos);
    EXPECT_NE(error.hint.find("GWATCH_PTXAS"), std::string::npos);
}

TEST_F(AssemblerTest, CrashNamesSignalAndKeepsFiles) {
    add("/a/ptxas", fake_ptxas("13.4", [](const auto&) -> ProcessResult {
            return {0, 11, "ptxas info    : 0 bytes gmem\n"};
        }));
    const Error error = failure();
    EXPECT_EQ(error.kind, ErrorKind::kAssembler);
    EXPECT_EQ(error.message,
              "/a/ptxas (origin of /a/ptxas 13.4.37) crashed with SIGSEGV, after: "
              "ptxas info    : 0 bytes gmem");
    EXPECT_EQ(kept_files(), (std::vector<std::string>{"kernel.ptx", "log.txt"}));
}

TEST_F(AssemblerTest, RefusalShowsMessageLineAndCommand) {
    add("/a b/ptxas", fake_ptxas("13.4", [](const auto& argv) -> ProcessResult {
            return {255, 0,
                    "ptxas info    : 0 bytes gmem\nptxas " + input_of(argv) +
                        ", line 6; error   : Unknown modifier '.foo'\n"};
        }));
    const Error error = failure();
    EXPECT_NE(error.message.find("refused the text: ptxas /"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("line 6; error   : Unknown modifier '.foo'"), std::string::npos);
    EXPECT_NE(error.detail.find("line 6: \tret;"), std::string::npos) << error.detail;
    EXPECT_NE(error.hint.find("Repeat it with: '/a b/ptxas' -v --gpu-name=sm_90a "),
              std::string::npos)
        << error.hint;
    EXPECT_NE(error.hint.find("kernel.ptx -o "), std::string::npos);
    EXPECT_NE(error.hint.find("kept in " + folder_.string()), std::string::npos);
}

TEST_F(AssemblerTest, ErrorTellsOfTheTextRatherThanOfAnUnknownTarget) {
    add("/a/ptxas", fake_ptxas("13.4", [](const auto&) -> ProcessResult {
            return {255, 0,
                    "ptxas fatal   : Value 'sm_90a' is not defined for option 'gpu-name'\n"};
        }));
    add("/b/ptxas", fake_ptxas("13.5", [](const auto&) -> ProcessResult {
            return {255, 0, "ptxas kernel.ptx, line 4; error   : Unknown symbol 'x'\n"};
        }));
    const Error error = failure();
    EXPECT_TRUE(error.message.starts_with("/b/ptxas")) << error.message;
    EXPECT_NE(error.detail.find("$ /a/ptxas"), std::string::npos);
    EXPECT_NE(error.detail.find("$ /b/ptxas"), std::string::npos);
}

TEST_F(AssemblerTest, SuccessWithoutCubinIsAFailure) {
    add("/a/ptxas", fake_ptxas("13.5", [](const auto&) -> ProcessResult { return {0, 0, ""}; }));
    EXPECT_NE(failure().message.find("wrote no cubin"), std::string::npos);
}

TEST_F(AssemblerTest, SilentFailureShowsExitStatus) {
    add("/a/ptxas", fake_ptxas("13.5", [](const auto&) -> ProcessResult { return {3, 0, ""}; }));
    const Error error = failure();
    EXPECT_NE(error.message.find("failed with exit status 3"), std::string::npos);
    EXPECT_NE(error.detail.find("failed with exit status 3"), std::string::npos);
}

TEST_F(AssemblerTest, CubinOfAFailedTryIsNotTaken) {
    add("/a/ptxas", fake_ptxas("13.5", [](const auto& argv) {
            ProcessResult result = write_cubin(argv);
            result.signal = 6;
            return result;
        }));
    EXPECT_NE(failure().message.find("SIGABRT"), std::string::npos);
}

TEST_F(AssemblerTest, NoPtxIsThePtxError) {
    request_.ptx =
        "\x7f"
        "ELF\x02\x01\x01";
    add("/a/ptxas", good_ptxas("13.5"));
    EXPECT_EQ(failure().kind, ErrorKind::kPtx);
    EXPECT_TRUE(runner_.commands.empty());
}

TEST_F(AssemblerTest, UnusableFolderIsAnIoError) {
    request_.keep_folder = "/dev/null/folder";
    add("/a/ptxas", good_ptxas("13.5"));
    EXPECT_EQ(failure().kind, ErrorKind::kIo);
}

TEST_F(AssemblerTest, ResourcesAndRemarksComeFromTheLog) {
    add("/a/ptxas",
        good_ptxas("13.5",
                   "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
                   "instructions are serialized due to x in the function 'k'\n"
                   "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
                   "ptxas info    : Function properties for k\n"
                   "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
                   "ptxas info    : Used 118 registers, used 1 barriers, 49152 bytes smem\n"));
    const Result<Assembled> done = assemble();
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->resources.registers, 118);
    EXPECT_EQ(done->resources.spill_store_bytes, 8);
    EXPECT_EQ(done->resources.shared_bytes, 49152);
    ASSERT_EQ(done->remarks.size(), 1u);
    EXPECT_TRUE(done->remarks[0].starts_with("(C7510) Potential")) << done->remarks[0];
}

}  // namespace
}  // namespace gwatch::assemble
