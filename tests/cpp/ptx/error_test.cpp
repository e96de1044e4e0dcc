#include <gtest/gtest.h>

#include <string>

#include "corpus.h"
#include "snippets.h"

namespace gwatch::ptx {
namespace {

std::string error_of(std::string text) {
    const auto module = parse(std::move(text), "k.ptx");
    return module.ok() ? "no error" : module.error().to_string();
}

TEST(CorpusError, TellsOneBraceTooMany) {
    EXPECT_EQ(error_of(read_corpus("reject-stray-brace")),
              "k.ptx:21:1: expected a directive, got '}'\n"
              "21 | }\n"
              "   | ^\n"
              "Every '{' in front of this '}' is closed already: the body of 'k' ends at 20:1.");
}

TEST(CorpusError, TellsAnEmptyStatement) {
    EXPECT_EQ(error_of(read_corpus("reject-double-semicolon")),
              "k.ptx:19:17: expected an instruction, a label, a directive or '}', got ';'\n"
              "19 |  mov.u32 %r2, 1;;\n"
              "   |                 ^\n"
              "PTX has no empty statement: remove this ';'.");
}

TEST(CorpusError, TellsAnElfImage) {
    EXPECT_EQ(error_of(read_corpus("reject-not-ptx")),
              "k.ptx:2:1: expected PTX text, got an ELF image\n"
              "2 | "
              "\\x7FELF\\x02\\x01\\x013\\x07\\x80\\x81\\x82\\x83\\x84\\x85\\x86\\x87\\x88\\x89\\x8A"
              "\\x8B\\x8C\\x8D\\x8E\\x8F\\x90\\x91\\x92\\x93\\x94\\x95\\x96\\x97\\x98\\x99\\x9A\\x9"
              "B\\x9C\\x9D\\x9E...\n"
              "  | ^\n"
              "Pass the kernel's PTX text; cuobjdump -ptx prints it if the file holds any.");
}

TEST(BinaryError, NamesEveryFormat) {
    const std::string cubin = std::string(
        "\x7F"
        "ELF\2\1\1A\x08\0\0\0\0\0\0\0\2\0\xBE\0",
        20);
    EXPECT_EQ(
        error_of(cubin),
        "k.ptx:1:1: expected PTX text, got a cubin\n"
        "1 | \\x7FELF\\x02\\x01\\x01A\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xBE\\x00\n"
        "  | ^\n"
        "Pass the kernel's PTX text; cuobjdump -ptx prints it if the cubin holds any.");
    EXPECT_EQ(error_of("\x50\xED\x55\xBA\x01"),
              "k.ptx:1:1: expected PTX text, got a fatbin\n"
              "1 | P\\xEDU\\xBA\\x01\n"
              "  | ^\n"
              "Pass the kernel's PTX text; cuobjdump -ptx prints it if the fatbin holds any.");
    EXPECT_EQ(error_of("\xB1\x43\x62\x46\x01"),
              "k.ptx:1:1: expected PTX text, got a fatbin wrapper\n"
              "1 | \\xB1CbF\\x01\n"
              "  | ^\n"
              "Pass the kernel's PTX text; cuobjdump -ptx prints it if the fatbin holds any.");
    EXPECT_EQ(error_of("\xED\x43\x4E\x7F\x01"),
              "k.ptx:1:1: expected PTX text, got LTO-IR\n"
              "1 | \\xEDCN\\x7F\\x01\n"
              "  | ^\n"
              "Compile the kernel to PTX, without link-time optimisation (no -dlto, no -ltoir).");
    EXPECT_EQ(error_of("BC\xC0\xDE\x35"),
              "k.ptx:1:1: expected PTX text, got LLVM bitcode\n"
              "1 | BC\\xC0\\xDE5\n"
              "  | ^\n"
              "Compile it to PTX first: llc -march=nvptx64.");
    EXPECT_EQ(error_of("\xDE\xC0\x17\x0B\x01"),
              "k.ptx:1:1: expected PTX text, got LLVM bitcode\n"
              "1 | \\xDE\\xC0\\x17\\x0B\\x01\n"
              "  | ^\n"
              "Compile it to PTX first: llc -march=nvptx64.");
    EXPECT_EQ(error_of("!<arch>\nx"),
              "k.ptx:1:1: expected PTX text, got an archive of objects\n"
              "1 | !<arch>\n"
              "  | ^\n"
              "Pass the kernel's PTX text; cuobjdump -ptx prints it if the archive holds any.");
    EXPECT_EQ(error_of("\x1F\x8B\x08"),
              "k.ptx:1:1: expected PTX text, got gzip data\n"
              "1 | \\x1F\\x8B\\x08\n"
              "  | ^\n"
              "Unpack it first.");
    EXPECT_EQ(error_of("\x28\xB5\x2F\xFD\x01"),
              "k.ptx:1:1: expected PTX text, got zstd data\n"
              "1 | (\\xB5/\\xFD\\x01\n"
              "  | ^\n"
              "Unpack it first.");
    EXPECT_EQ(error_of("PK\x03\x04"),
              "k.ptx:1:1: expected PTX text, got a zip archive\n"
              "1 | PK\\x03\\x04\n"
              "  | ^\n"
              "Unpack it first.");
}

TEST(BinaryError, TellsACubinFromAnotherElfImage) {
    std::string object = std::string("\x7F") + "ELF";
    object.resize(18, '\1');
    const auto module = parse(object + '\x3E' + '\0', "k.o");
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.error().message, "k.o:1:1: expected PTX text, got an ELF image");
}

TEST(HeaderError, WantsAVersionFirst) {
    EXPECT_EQ(error_of(""),
              "k.ptx:1:1: expected .version, got end of text\n"
              "1 |\n"
              "  | ^\n"
              "PTX text begins with a .version directive. CUDA C++, LLVM IR and SASS are no PTX.");
    EXPECT_EQ(error_of("// only a comment\n"),
              "k.ptx:2:1: expected .version, got end of text\n"
              "2 |\n"
              "  | ^\n"
              "PTX text begins with a .version directive. CUDA C++, LLVM IR and SASS are no PTX.");
    EXPECT_EQ(error_of("; ModuleID = 'k'\ntarget triple = \"nvptx64\"\n"),
              "k.ptx:1:1: expected .version, got ';'\n"
              "1 | ; ModuleID = 'k'\n"
              "  | ^\n"
              "PTX text begins with a .version directive. CUDA C++, LLVM IR and SASS are no PTX.");
    EXPECT_EQ(error_of("#include <cuda.h>\n__global__ void k() {}\n"),
              "k.ptx:2:1: expected .version, got '__global__'\n"
              "2 | __global__ void k() {}\n"
              "  | ^\n"
              "PTX text begins with a .version directive. CUDA C++, LLVM IR and SASS are no PTX.");
    EXPECT_EQ(error_of("\xEF\xBB\xBF.version 8.0\n"),
              "k.ptx:1:1: expected .version, got '\\xEF'\n"
              "1 | \\xEF\\xBB\\xBF.version 8.0\n"
              "  | ^\n"
              "PTX text begins with a .version directive. CUDA C++, LLVM IR and SASS are no PTX.");
}

TEST(HeaderError, WantsItsOperands) {
    EXPECT_EQ(error_of(".version\n.target sm_90a"),
              "k.ptx:2:1: expected a number after '.version', got '.target'\n"
              "2 | .target sm_90a\n"
              "  | ^\n"
              "The statement begins at 1:1.");
    EXPECT_EQ(error_of(".version 8.0\n.target sm_90a,;"),
              "k.ptx:2:16: expected a target after ',', got ';'\n"
              "2 | .target sm_90a,;\n"
              "  |                ^");
    EXPECT_EQ(error_of(".version 8.0\n.target sm_90a\n.address_size"),
              "k.ptx:3:14: expected a number after '.address_size', got end of text\n"
              "3 | .address_size\n"
              "  |              ^");
}

TEST(TokenError, TellsWhatIsNotClosed) {
    EXPECT_EQ(error_of(with_body("ret; /* open\nret;")),
              "k.ptx:5:6: expected '*/' that closes this comment, got end of text\n"
              "5 | ret; /* open\n"
              "  |      ^");
    EXPECT_EQ(error_of(with_body(".pragma \"open;")),
              "k.ptx:5:9: expected '\"' that closes this string, got end of text\n"
              "5 | .pragma \"open;\n"
              "  |         ^");
}

TEST(StatementError, TellsWhatIsNotClosed) {
    EXPECT_EQ(error_of(with_body("ld.u32 %r1, [%rd1;")),
              "k.ptx:5:18: expected ']' that closes the '[' at 5:13, got ';'\n"
              "5 | ld.u32 %r1, [%rd1;\n"
              "  |                  ^");
    EXPECT_EQ(error_of(with_body("call f, (a];")),
              "k.ptx:5:11: expected ')' that closes the '(' at 5:9, got ']'\n"
              "5 | call f, (a];\n"
              "  |           ^");
    EXPECT_EQ(error_of(with_body("mov.b64 {%r1, %r2, %rd1")),
              "k.ptx:7:1: expected ';', got end of text\n"
              "7 |\n"
              "  | ^\n"
              "The statement begins at 5:1.");
    EXPECT_EQ(error_of(with_body("mov.u32 %r1, 0)")),
              "k.ptx:5:15: expected ';', got ')'\n"
              "5 | mov.u32 %r1, 0)\n"
              "  |               ^");
    EXPECT_EQ(error_of(with_body("ret")),
              "k.ptx:6:1: expected ';', got '}'\n"
              "6 | }\n"
              "  | ^\n"
              "The statement begins at 5:1.");
    EXPECT_EQ(error_of(with_header(".global .b32 x")),
              "k.ptx:3:15: expected ';', got end of text\n"
              "3 | .global .b32 x\n"
              "  |               ^");
    EXPECT_EQ(error_of(with_header(".section .debug_str { .b8 1 (")),
              "k.ptx:3:30: expected ')' that closes the '(' at 3:29, got end of text\n"
              "3 | .section .debug_str { .b8 1 (\n"
              "  |                              ^");
}

TEST(StatementError, TellsWhatCannotBegin) {
    EXPECT_EQ(error_of(with_body("5;")),
              "k.ptx:5:1: expected an instruction, a label, a directive or '}', got '5'\n"
              "5 | 5;\n"
              "  | ^");
    EXPECT_EQ(error_of(with_body("mov.u32 %r1, 0;\n\t\xE9 x;")),
              "k.ptx:6:2: expected an instruction, a label, a directive or '}', got '\\xE9'\n"
              "6 |  \\xE9 x;\n"
              "  |  ^");
    EXPECT_EQ(error_of(with_header("ret;")),
              "k.ptx:3:1: expected a directive, got 'ret'\n"
              "3 | ret;\n"
              "  | ^");
    EXPECT_EQ(error_of(with_header("{ ret; }")),
              "k.ptx:3:1: expected a directive, got '{'\n"
              "3 | { ret; }\n"
              "  | ^");
    EXPECT_EQ(error_of(with_header(".func f() { ret; };")),
              "k.ptx:3:19: expected a directive, got ';'\n"
              "3 | .func f() { ret; };\n"
              "  |                   ^\n"
              "PTX has no empty statement: remove this ';'.");
    EXPECT_EQ(error_of(with_header(".visible x;")),
              "k.ptx:3:10: expected a directive after '.visible', got 'x'\n"
              "3 | .visible x;\n"
              "  |          ^");
    EXPECT_EQ(error_of(with_body("@%p1;")),
              "k.ptx:5:5: expected an instruction after its guard, got ';'\n"
              "5 | @%p1;\n"
              "  |     ^");
    EXPECT_EQ(error_of(with_body("@5 ret;")),
              "k.ptx:5:2: expected the name of a predicate after '@', got '5'\n"
              "5 | @5 ret;\n"
              "  |  ^");
    EXPECT_EQ(error_of(with_body(std::string("ret;\0ret;", 9))),
              "k.ptx:5:5: expected an instruction, a label, a directive or '}', got '\\x00'\n"
              "5 | ret;\\x00ret;\n"
              "  |     ^");
}

TEST(FunctionError, TellsABodyThatIsNotClosed) {
    EXPECT_EQ(error_of(with_header(".entry k()\n{\n{\nret;\n}\n")),
              "k.ptx:8:1: expected '}' that closes the '{' at 4:1, got end of text\n"
              "8 |\n"
              "  | ^\n"
              "The body of 'k' is not closed.");
    EXPECT_EQ(error_of(with_header(".entry k()\n{\nret;\n.visible .entry k2()\n{\nret;\n}\n")),
              "k.ptx:6:1: expected '}' that closes the '{' at 4:1, got '.visible'\n"
              "6 | .visible .entry k2()\n"
              "  | ^\n"
              "The body of 'k' is not closed.");
    EXPECT_EQ(error_of(with_body(".section .debug_str { }")),
              "k.ptx:5:1: expected '}' that closes the '{' at 4:1, got '.section'\n"
              "5 | .section .debug_str { }\n"
              "  | ^\n"
              "The body of 'k' is not closed.");
    EXPECT_EQ(error_of(with_body(".version 8.0")),
              "k.ptx:5:1: expected '}' that closes the '{' at 4:1, got '.version'\n"
              "5 | .version 8.0\n"
              "  | ^\n"
              "The body of 'k' is not closed.");
}

TEST(FunctionError, TellsABrokenHeader) {
    EXPECT_EQ(error_of(with_header(".entry { ret; }")),
              "k.ptx:3:8: expected the name of a function, got '{'\n"
              "3 | .entry { ret; }\n"
              "  |        ^");
    EXPECT_EQ(error_of(with_header(".func (.param .b32 r) (.param .b32 a);")),
              "k.ptx:3:38: expected the name of a function, got ';'\n"
              "3 | .func (.param .b32 r) (.param .b32 a);\n"
              "  |                                      ^");
    EXPECT_EQ(error_of(with_header(".extern .func f()\n.visible .entry k() { ret; }")),
              "k.ptx:4:1: expected '{' or ';' after the header of a function, got '.visible'\n"
              "4 | .visible .entry k() { ret; }\n"
              "  | ^\n"
              "The statement begins at 3:1.");
    EXPECT_EQ(error_of(with_header(".entry k(.param .u64 p { ret; }")),
              "k.ptx:3:24: expected ')' that closes the '(' at 3:9, got '{'\n"
              "3 | .entry k(.param .u64 p { ret; }\n"
              "  |                        ^");
    EXPECT_EQ(error_of(with_header(".entry k()")),
              "k.ptx:3:11: expected '{' or ';' after the header of a function, got end of text\n"
              "3 | .entry k()\n"
              "  |           ^");
}

TEST(DebugError, WantsAPlace) {
    EXPECT_EQ(error_of(with_header(".section { }")),
              "k.ptx:3:10: expected the name of a section, got '{'\n"
              "3 | .section { }\n"
              "  |          ^");
    EXPECT_EQ(error_of(with_header(".section .debug_str .b8 1")),
              "k.ptx:3:21: expected '{' that opens the section, got '.b8'\n"
              "3 | .section .debug_str .b8 1\n"
              "  |                     ^");
    EXPECT_EQ(error_of(with_header(".file \"a\"")),
              "k.ptx:3:7: expected the number of a source file, got '\"a\"'\n"
              "3 | .file \"a\"\n"
              "  |       ^");
    EXPECT_EQ(error_of(with_body(".loc")),
              "k.ptx:6:1: expected the number of a source file, got '}'\n"
              "6 | }\n"
              "  | ^\n"
              "The statement begins at 5:1.");
}

TEST(Error, ShowsThePlaceInALongLine) {
    const std::string name(3000, 'n');
    EXPECT_EQ(error_of(with_header(".entry " + name + "() ] { ret; }")),
              "k.ptx:3:3011: expected '{' or ';' after the header of a function, got ']'\n"
              "3 | ...nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn() ] { ret; }\n"
              "  |                                                                ^");
    EXPECT_EQ(error_of(with_header("x" + name)),
              "k.ptx:3:1: expected a directive, got 'xnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...'\n"
              "3 | xnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...\n"
              "  | ^");
}

TEST(Error, CountsLinesThatEndWithCarriageReturns) {
    EXPECT_EQ(error_of(".version 8.0\r\n.target sm_90a\r;"),
              "k.ptx:3:1: expected a directive, got ';'\n"
              "3 | ;\n"
              "  | ^\n"
              "PTX has no empty statement: remove this ';'.");
}

TEST(Error, SaysItIsAboutPtx) {
    const auto module = parse("x");
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.error().kind, ErrorKind::kPtx);
    EXPECT_EQ(module.error().message, "<ptx>:1:1: expected .version, got 'x'");
}

}  // namespace
}  // namespace gwatch::ptx
