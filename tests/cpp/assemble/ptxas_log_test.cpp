#include "assemble/ptxas_log.h"

#include <gtest/gtest.h>

namespace gwatch::assemble {
namespace {

// What ptxas 13.5 printed for a module of two entries and a function.
constexpr const char* kLog =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k2' for 'sm_90a'\n"
    "ptxas info    : Function properties for k2\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 4 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 7.700 ms\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Function properties for k\n"
    "    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads\n"
    "ptxas info    : Used 118 registers, used 1 barriers, 308 bytes smem\n"
    "ptxas info    : Compile time = 2.956 ms\n"
    "ptxas info    : Function properties for foo\n"
    "    99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n";

TEST(ParseResources, TakesTheEntryOfThatName) {
    const Resources resources = parse_resources(kLog, "k");
    EXPECT_EQ(resources.registers, 118);
    EXPECT_EQ(resources.stack_bytes, 16);
    EXPECT_EQ(resources.spill_store_bytes, 24);
    EXPECT_EQ(resources.spill_load_bytes, 32);
    EXPECT_EQ(resources.shared_bytes, 308);
}

TEST(ParseResources, SharedMemoryThatIsNotNamedIsZero) {
    const Resources resources = parse_resources(kLog, "k2");
    EXPECT_EQ(resources.registers, 4);
    EXPECT_EQ(resources.shared_bytes, 0);
}

TEST(ParseResources, UnknownEntryHasNone) {
    const Resources resources = parse_resources(kLog, "k3");
    EXPECT_EQ(resources.registers, -1);
    EXPECT_EQ(resources.shared_bytes, -1);
    EXPECT_EQ(resources.spill_store_bytes, -1);
}

TEST(ParseResources, EmptyLogHasNone) {
    EXPECT_EQ(parse_resources("", "k").registers, -1);
}

TEST(ParseRemarks, TakesC7LinesOnly) {
    const std::vector<std::string> remarks = parse_remarks(
        "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\r\n"
        "ptxas info    : 0 bytes gmem\n"
        "ptxas warning : (C1234) other\n"
        "ptxas info    : (C7510) wgmma serialized");
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_EQ(remarks[0], "(C7508) Potential Performance Loss: 'setmaxnreg' ignored");
    EXPECT_EQ(remarks[1], "(C7510) wgmma serialized");
}

TEST(FirstComplaint, SkipsInformation) {
    EXPECT_EQ(first_complaint("ptxas info : x\nptxas k.ptx, line 4; error   : bad\nmore"),
              "ptxas k.ptx, line 4; error   : bad");
    EXPECT_EQ(first_complaint("what\nis this"), "what");
    EXPECT_EQ(first_complaint(""), "");
}

TEST(FirstErrorLine, IsThatOfTheFirstError) {
    EXPECT_EQ(first_error_line("ptxas k.ptx, line 2; warning : w\n"
                               "ptxas k.ptx, line 40; error   : e\n"
                               "ptxas k.ptx, line 41; error   : e\n"),
              40u);
    EXPECT_EQ(first_error_line("ptxas fatal   : Memory allocation failure"), 0u);
}

TEST(ParseRelease, ReadsBothForms) {
    const Release release =
        parse_release("Cuda compilation tools, release 13.5, V13.5.37\nBuild x");
    EXPECT_EQ(release.text, "13.5.37");
    EXPECT_EQ(release.major, 13);
    EXPECT_EQ(release.minor, 5);
    EXPECT_EQ(parse_release("release 12.9").text, "12.9");
    EXPECT_EQ(parse_release("gcc 12").text, "");
}

TEST(PtxVersion, ReadsAndPrints) {
    EXPECT_EQ(parse_ptx_version("9.5"), 95);
    EXPECT_EQ(parse_ptx_version("10.0"), 100);
    EXPECT_EQ(parse_ptx_version(""), 0);
    EXPECT_EQ(parse_ptx_version("9"), 0);
    EXPECT_EQ(parse_ptx_version("9.5x"), 0);
    EXPECT_EQ(ptx_version_text(95), "9.5");
    EXPECT_EQ(parse_current_version("Unsupported .version 99.9; current version is '8.7'"), 87);
    EXPECT_EQ(parse_current_version("no"), 0);
}

}  // namespace
}  // namespace gwatch::assemble
