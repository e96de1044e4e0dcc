#include "instrument/instrument.h"

#include <gtest/gtest.h>

#include "instrument/variables.h"
#include "traced_kernel.h"

namespace gwatch::instrument {
namespace {

using testing::kernel_text;
using testing::marker;

ptx::Module parsed(const std::string& text) {
    auto module = ptx::parse(text);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    return module.ok() ? *std::move(module) : ptx::Module();
}

std::string header(const std::string& version = "8.0", const std::string& target = "sm_90a") {
    return ".version " + version + "\n.target " + target + "\n.address_size 64\n";
}

std::string entry(const std::string& name, const std::string& body) {
    return ".visible .entry " + name + "()\n{\n\t.reg .b32 %r<8>;\n" + body + "\tret;\n}\n";
}

Error error_of(const std::string& text, const std::string& name = "k") {
    auto result = instrument(parsed(text), name);
    return result.ok() ? Error{ErrorKind::kIo, "no error"} : result.error();
}

TEST(Instrument, RefusesItsOwnOutput) {
    const auto once = instrument(parsed(kernel_text(marker("mark 1"))), "k");
    ASSERT_TRUE(once.ok());
    const Error error = error_of(once->ptx);
    EXPECT_EQ(error.kind, ErrorKind::kInstrument);
    EXPECT_EQ(error.message,
              "the PTX is instrumented already: it has the name gwatch_launch_parameter");
    const std::string function =
        ".func f()\n{\n\t.reg .b32 %r<8>;\n" + marker("mark 1") + "ret; }\n";
    const auto with_function = instrument(parsed(kernel_text("call f; ret;", function)), "k");
    EXPECT_EQ(error_of(with_function->ptx).message,
              "the PTX is instrumented already: it has the name gwatch_launch");
}

TEST(Instrument, WithoutMarkers) {
    const Error error = error_of(kernel_text("\tret;\n"));
    EXPECT_EQ(error.kind, ErrorKind::kNoMarkers);
    EXPECT_EQ(error.message, "no marker in k or in what it calls");
}

TEST(Instrument, AnEntryThatIsNotThere) {
    const std::string text =
        header() + entry("a", marker("mark 1")) + entry("b", "") + ".func f() { ret; }\n";
    EXPECT_EQ(error_of(text, "c").to_string(),
              "the PTX has no entry c\nIts entries:\n    a\n    b");
    EXPECT_EQ(error_of(text, "f").kind, ErrorKind::kInstrument);
    EXPECT_EQ(error_of(header() + ".visible .entry k();\n").message, "the PTX has no entry k");
}

TEST(Instrument, TextThatIsTooOld) {
    EXPECT_EQ(error_of(header("3.0", "sm_30") + entry("k", marker("mark 1"))).message,
              "PTX 3.0 for sm_30 is too old to be instrumented: it has no 64-bit %globaltimer");
    EXPECT_EQ(error_of(header("4.0", "sm_20") + entry("k", marker("mark 1"))).kind,
              ErrorKind::kInstrument);
    EXPECT_EQ(error_of(header("10.0", "sm_200") + entry("k", marker("mark 1"))).message,
              "no error");
}

TEST(Instrument, AddressesOf32Bits) {
    const std::string text =
        ".version 8.0\n.target sm_90a\n.address_size 32\n" + entry("k", marker("mark 1"));
    EXPECT_EQ(error_of(text).message, "the module has 32-bit addresses (.address_size 32)");
}

TEST(Instrument, OtherEntriesStayAsTheyAre) {
    const std::string other = entry("other", marker("mark 2") + marker("mark 3"));
    const auto result = instrument(parsed(header() + entry("k", marker("mark 1")) + other), "k");
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->ptx.ends_with(other));
    EXPECT_EQ(result->markers.size(), 1u);
    EXPECT_EQ(result->sites.sites.size(), 2u);
}

TEST(Instrument, MatchingEntriesShareOneTable) {
    const std::string text = header() + entry("load_a", marker("mark 1")) +
                             entry("store", marker("mark 2")) + entry("load_b", marker("mark 1"));
    const auto result = instrument_matching(parsed(text), "^load");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->sites.scopes.size(), 1u);
    ASSERT_EQ(result->sites.sites.size(), 4u);
    EXPECT_EQ(result->sites.sites[2].function, "load_b");
    EXPECT_NE(result->ptx.find(entry("store", marker("mark 2"))), std::string::npos);
}

TEST(Instrument, EntriesWithoutMarkersStayAsTheyAre) {
    const std::string plain = entry("plain", "");
    const std::string text = header() + plain + entry("k", marker("mark 1"));
    const auto result = instrument_matching(parsed(text), "");
    ASSERT_TRUE(result.ok());
    EXPECT_NE(result->ptx.find(plain), std::string::npos);
    EXPECT_EQ(result->sites.sites.size(), 2u);
    SiteTable table;
    EXPECT_EQ(list_markers(parsed(text), "", &table)->at(0).site, 1);
    EXPECT_EQ(instrument_matching(parsed(text), "plain").error().kind, ErrorKind::kNoMarkers);
}

TEST(Instrument, OnlyFunctionsNeedLaneCursors) {
    EXPECT_FALSE(instrument(parsed(kernel_text(marker("mark 1"))), "k")->uses_lane_cursors);
    const std::string function =
        ".func f()\n{\n\t.reg .b32 %r<8>;\n" + marker("mark 1") + "ret; }\n";
    EXPECT_TRUE(instrument(parsed(kernel_text("call f; ret;", function)), "k")->uses_lane_cursors);
}

TEST(Instrument, NamesThatTheModuleHasAreLeftAlone) {
    const std::string body =
        "\t.reg .b32 %gwatch_cursor, gwatch2_a;\n$gwatch_cold1:\n" + marker("mark 1");
    const auto result = instrument(parsed(kernel_text(body)), "k");
    ASSERT_TRUE(result.ok());
    EXPECT_NE(result->ptx.find("%gwatch3_cursor"), std::string::npos);
    EXPECT_NE(result->ptx.find("$gwatch3_flushed2:"), std::string::npos);
}

TEST(Instrument, WhatIsPutInCanBeTakenOutAgain) {
    const std::string text =
        kernel_text(marker("start 1") + "\tadd.u32 %r2, %r1, 1;\n" + marker("end 1") + "ret;");
    const auto result = instrument(parsed(text), "k");
    ASSERT_TRUE(result.ok());
    std::size_t next = 0;
    for (const char c : result->ptx) next += next < text.size() && text[next] == c ? 1 : 0;
    EXPECT_EQ(next, text.size()) << "the text is no subsequence of the instrumented one";
}

TEST(ListMarkers, PatternsAndTheirErrors) {
    const auto module = parsed(header() + entry("a$b", marker("mark 1")) + entry("c", ""));
    SiteTable table;
    EXPECT_EQ(list_markers(module, "", &table)->size(), 1u);
    EXPECT_EQ(list_markers(module, "^a\\$b$", &table)->size(), 1u);
    EXPECT_EQ(list_markers(module, "c", &table)->size(), 0u);
    const auto none = list_markers(module, "x", &table);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(none.error().to_string(), "no entry matches 'x'\nIts entries:\n    a$b\n    c");
    EXPECT_EQ(list_markers(module, "(", &table).error().kind, ErrorKind::kUsage);
}

TEST(Variables, MemoryOfTheModule) {
    const auto module = parsed(
        header() +
        ".global .align 8 .b8 buf[16] = {1, 2};\n.extern .global .u32 elsewhere;\n"
        ".visible .const .align 4 .f32 tab[2] = {0f00000000, 0f00000000};\n"
        ".global .align 8 .u64 gq[2] = {buf, generic(buf)};\n"
        ".global .attribute(.managed) .align 4 .b32 mg, second = 3;\n.global .texref t;\n"
        ".shared .b32 s;\n.common .global .b32 cm;\n.func f() { .global .u32 local; ret; }\n");
    EXPECT_EQ(module_variables(module),
              (std::vector<std::string>{"buf", "tab", "gq", "mg", "second", "cm"}));
}

TEST(Variables, ThoseThatAKernelNamesOrWhatItCalls) {
    const std::string text =
        header() + ".global .b32 a;\n.global .b32 b;\n.global .b32 c;\n.global .u64 d[1] = {c};\n" +
        ".func f()\n{\n\t.reg .b32 %r<8>;\n\tld.global.u32 %r1, [b];\n\tret;\n}\n" +
        entry("k", marker("mark 1") + "\tcall f;\n\tst.global.u32 [a+0], %r1;\n") +
        entry("other", "\tst.global.u32 [c], %r1;\n");
    EXPECT_EQ(instrument(parsed(text), "k")->variables, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace gwatch::instrument
