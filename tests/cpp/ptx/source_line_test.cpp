#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus.h"
#include "snippets.h"

namespace gwatch::ptx {
namespace {

const std::string kFiles =
    ".file 1 \"/home/me/kernel.py\"\n.file 2 \"/lib/gwatch/triton.py\", 17, 4096\n";

std::string line_of(const Module& module, std::string_view statement,
                    const std::vector<std::string>& through = {}) {
    const SourceLine source = module.source_line(find_statement(module, statement), through);
    return source.file + ":" + std::to_string(source.line);
}

TEST(SourceLine, IsThatOfTheLastLocation) {
    const Module module =
        must_parse(with_body("nop0;\n.loc 1 3 0\nnop1;\n.loc 1 4 7\n\nL:\nnop2;") + kFiles);
    EXPECT_EQ(line_of(module, "nop0"), ":0");
    EXPECT_EQ(line_of(module, "nop1"), "/home/me/kernel.py:3");
    EXPECT_EQ(line_of(module, ".loc 1 4"), "/home/me/kernel.py:3");
    EXPECT_EQ(line_of(module, "L:"), "/home/me/kernel.py:4");
    EXPECT_EQ(line_of(module, "nop2"), "/home/me/kernel.py:4");
}

TEST(SourceLine, DoesNotLeakIntoTheNextFunction) {
    const Module module = must_parse(
        with_header(kFiles + ".func f()\n{\n.loc 1 3 0\nnop1;\n}\n.func g()\n{\nnop2;\n}"));
    EXPECT_EQ(line_of(module, "nop1"), "/home/me/kernel.py:3");
    EXPECT_EQ(line_of(module, ".func g"), ":0");
    EXPECT_EQ(line_of(module, "nop2"), ":0");
}

TEST(SourceLine, HasNoFileWhenItsNumberIsUnknown) {
    const Module module = must_parse(with_body(".loc 9 3 0\nnop1;") + kFiles);
    EXPECT_EQ(line_of(module, "nop1"), ":3");
}

TEST(SourceLine, StaysInTheInlinedFileUnlessAsked) {
    const Module module =
        must_parse(with_body(".loc 1 55 12\n.loc 2 30 0, function_name $L__info_string0+12, "
                             "inlined_at 1 55 12\nnop1;") +
                   kFiles);
    EXPECT_EQ(line_of(module, "nop1"), "/lib/gwatch/triton.py:30");
    EXPECT_EQ(line_of(module, "nop1", {"other.py"}), "/lib/gwatch/triton.py:30");
    EXPECT_EQ(line_of(module, "nop1", {"gwatch/triton.py"}), "/home/me/kernel.py:55");
    EXPECT_EQ(line_of(module, "nop1", {"x.py", "/triton.py"}), "/home/me/kernel.py:55");
    EXPECT_EQ(line_of(module, "nop1", {"/lib/gwatch/triton.py"}), "/home/me/kernel.py:55");
}

TEST(SourceLine, MatchesWholePathComponents) {
    const Module module = must_parse(
        with_body(".loc 1 5 1\n.loc 2 3 0 , function_name L , inlined_at 1 5 1\nnop1;") + kFiles);
    EXPECT_EQ(line_of(module, "nop1", {"iton.py"}), "/lib/gwatch/triton.py:3");
    EXPECT_EQ(line_of(module, "nop1", {""}), "/lib/gwatch/triton.py:3");
    EXPECT_EQ(line_of(module, "nop1", {"triton.py"}), "/home/me/kernel.py:5");
}

TEST(SourceLine, FollowsInliningWithinTheFile) {
    const Module module = must_parse(with_body(".loc 1 55 12\n"
                                               ".loc 2 30 4, function_name L, inlined_at 1 55 12\n"
                                               "nop0;\n"
                                               ".loc 1 77 2\n"
                                               ".loc 2 9 1, function_name L, inlined_at 2 30 4\n"
                                               "nop1;") +
                                     kFiles);
    EXPECT_EQ(line_of(module, "nop1", {"triton.py"}), "/home/me/kernel.py:55");
}

TEST(SourceLine, StopsWhereTheCallSiteIsNotKnown) {
    const Module module =
        must_parse(with_body(".loc 2 9 1, function_name L, inlined_at 2 30 4\nnop1;") + kFiles);
    EXPECT_EQ(line_of(module, "nop1", {"triton.py"}), "/lib/gwatch/triton.py:30");
}

TEST(SourceLine, SeesLocationsInsideAMarker) {
    const Module module = must_parse(read_corpus("loc-between-marker-lines"));
    EXPECT_EQ(line_of(module, "mov.u32 \t%r1"), ":0");
    EXPECT_EQ(line_of(module, "mov.u32 %r2"), "k.py:4");
    EXPECT_EQ(line_of(module, "st.global.u32"), "k.py:5");
}

TEST(SourceLine, CanPassOverThoseInsideInlineAssembly) {
    const std::string piece =
        "// begin inline asm\n// text\n.loc 1 4 0\nnop1;\n// end inline asm\n";
    const std::string next = "// begin inline asm\n// text\n.loc 1 4 0\nnop2;\n// end inline asm\n";
    const Module module =
        must_parse(with_body(".loc 1 3 0\n" + piece + next + "nop3;\n.loc 1 9 0\nnop4;") + kFiles);
    const auto line = [&](std::string_view statement) {
        return module.source_line(find_statement(module, statement), {}, true).line;
    };
    EXPECT_EQ(line("nop1"), 3U);
    EXPECT_EQ(line("nop2"), 3U);
    EXPECT_EQ(line("nop3"), 3U);
    EXPECT_EQ(line("nop4"), 9U);
    EXPECT_EQ(module.source_line(find_statement(module, "nop3")).line, 4U);
}

TEST(SourceLine, FindsFilesBehindTheFunctions) {
    const Module module = must_parse(read_corpus("target-debug"));
    EXPECT_EQ(line_of(module, "mov.u32 %r1"), "/x/k.py:4");
}

TEST(SourceLine, SkipsCommentsInItsDirectives) {
    const Module module = must_parse(with_body(".loc /* 7 */ 1 // 8 \n 3\n 0\nnop1;") +
                                     ".file /* \"x\" */ 1 /* 2 */ \"a.py\"\n");
    EXPECT_EQ(line_of(module, "nop1"), "a.py:3");
}

}  // namespace
}  // namespace gwatch::ptx
