#include "instrument/launch_parameter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "instrument/instrument.h"
#include "traced_kernel.h"

namespace gwatch::instrument {
namespace {

using record::ParameterPlace;

constexpr char kHeader[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";

ptx::Module parsed(const std::string& text) {
    auto module = ptx::parse(text);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    return module.ok() ? *std::move(module) : ptx::Module();
}

/// Room in an entry `k` with this text between its name and its body.
std::optional<ParameterRoom> room_of(const std::string& list, const std::string& before = "") {
    const ptx::Module module =
        parsed(kHeader + before + ".visible .entry k" + list + "\n{\nret;\n}\n");
    return room_for_parameter(module, *module.find_definition("k"));
}

ParameterPlace place_of(const std::string& list) {
    const auto room = room_of(list);
    EXPECT_TRUE(room.has_value()) << list;
    return room ? room->place : ParameterPlace{99, 99};
}

TEST(LaunchParameter, StandsBehindTheKernelsOwn) {
    EXPECT_EQ(place_of(""), (ParameterPlace{0, 0}));
    EXPECT_EQ(place_of("()"), (ParameterPlace{0, 0}));
    EXPECT_EQ(place_of("(.param .u64 a)"), (ParameterPlace{1, 8}));
    EXPECT_EQ(place_of("(.param .u64 a, .param .u32 b)"), (ParameterPlace{2, 16}));
    EXPECT_EQ(place_of("(.param .u8 a, .param .u16 b, .param .f32 c)"), (ParameterPlace{3, 8}));
    EXPECT_EQ(place_of("(.param .u8 a, .param .f64 b, .param .u8 c)"), (ParameterPlace{3, 24}));
}

TEST(LaunchParameter, AlignmentsAndArraysCount) {
    EXPECT_EQ(place_of("(.param .u8 a, .param .align 16 .b8 map[128])"), (ParameterPlace{2, 144}));
    EXPECT_EQ(place_of("(.param .align 4 .b8 a[5], .param .align 2 .b8 b[3])"),
              (ParameterPlace{2, 16}));
    EXPECT_EQ(place_of("(.param .u8 a, .param .b32 b[3])"), (ParameterPlace{2, 16}));
    EXPECT_EQ(place_of("(.param .u64 a, .param .align 1 .b128 b)"), (ParameterPlace{2, 32}));
    EXPECT_EQ(place_of("(.param .u32 a, .param .v4 .f32 b)"), (ParameterPlace{2, 32}));
    EXPECT_EQ(place_of("(.param .u64 .ptr .global .align 128 a, .param .u32 b)"),
              (ParameterPlace{2, 16}))
        << "the alignment of what a pointer points to";
}

/// ptxas puts this map at 48 for sm_90, at 32 for sm_80.
TEST(LaunchParameter, TheDriverKnowsWhatIsAlignedBeyondTheBank) {
    EXPECT_EQ(place_of("(.param .u8 a, .param .align 64 .b8 map[128])"), (ParameterPlace{2, 0}));
    EXPECT_FALSE(place_of("(.param .u8 a, .param .align 32 .b8 b[4])").is_offset_known());
    EXPECT_TRUE(place_of("(.param .u8 a, .param .b128 b)").is_offset_known());
}

TEST(LaunchParameter, NumbersOfEveryForm) {
    EXPECT_EQ(place_of("(.param .b8 a[0x10])"), (ParameterPlace{1, 16}));
    EXPECT_EQ(place_of("(.param .b8 a[020])"), (ParameterPlace{1, 16})) << "octal";
    EXPECT_EQ(place_of("(.param .b8 a[0b1000], .param .u64 b)"), (ParameterPlace{2, 16}));
    EXPECT_EQ(place_of("(.param .b8 a[16U])"), (ParameterPlace{1, 16}));
    EXPECT_EQ(place_of("(.param .u32 a, .param .align 0x10 .b8 b[16])"), (ParameterPlace{2, 32}));
}

TEST(LaunchParameter, CommentsAndLinesBetweenTokens) {
    EXPECT_EQ(place_of("/*a*/(/*b*/.param/*)*/.u64/*d*/a/*e*/)/*f*/"), (ParameterPlace{1, 8}));
    EXPECT_EQ(place_of("(\n# 3 \"x.cu\"\n.param .u64 a\n)"), (ParameterPlace{1, 8}));
    EXPECT_EQ(place_of(" // no list\n"), (ParameterPlace{0, 0}));
}

TEST(LaunchParameter, NoRoom) {
    EXPECT_TRUE(room_of("(.param .align 8 .b8 a[4024])").has_value());
    EXPECT_FALSE(room_of("(.param .align 8 .b8 a[4025])").has_value());
    EXPECT_FALSE(room_of("(.param .unheard_of a)").has_value());
    EXPECT_FALSE(room_of("(.param .b8 a[WARP_SZ])").has_value());
    EXPECT_FALSE(room_of("(.param .b8 a[18446744073709551615])").has_value());
    EXPECT_FALSE(room_of("(.param .texref a)").has_value());
    EXPECT_FALSE(room_of("(.param .u64 a)", ".visible .entry k(.param .u64 a);\n").has_value());
}

/// Text of an entry with a marker.
std::string marked(const std::string& list) {
    return std::string(kHeader) + ".visible .entry k" + list + "\n.maxntid 32, 1, 1\n{\n" +
           "\t.reg .b32 %r<8>;\n" + testing::marker("mark 1") + "\tret;\n}\n";
}

TEST(LaunchParameter, StandsInTheText) {
    const std::string declared = ".param .align 8 .b8 gwatch_launch_parameter[72]";
    const std::pair<std::string, std::string> cases[] = {
        {"", "k(" + declared + ")\n.maxntid"},
        {"()", "k(" + declared + ")\n.maxntid"},
        {"(\n\t.param .u64 a // the first\n)",
         "k(\n\t.param .u64 a, " + declared + " // the first\n)\n.maxntid"},
        {"(.param .u64 a)", "k(.param .u64 a, " + declared + ")\n.maxntid"},
        {".minnctapersm 1", "k(" + declared + ").minnctapersm 1\n.maxntid"}};
    for (const auto& [list, expected] : cases) {
        const auto result = instrument(parsed(marked(list)), "k");
        ASSERT_TRUE(result.ok());
        EXPECT_NE(result->ptx.find(expected), std::string::npos) << result->ptx;
        EXPECT_EQ(result->ptx.find("ld.const"), std::string::npos);
        EXPECT_EQ(result->ptx.find(".const"), std::string::npos);
        EXPECT_TRUE(result->parameter.has_value());
        // The first lines of its own stand behind the brace.
        const std::size_t brace = result->ptx.find('{');
        const auto line = 2 + std::count(result->ptx.begin(), result->ptx.begin() + brace, '\n');
        EXPECT_EQ(result->inserted.at(0).first_line, line);
    }
}

TEST(LaunchParameter, WithoutRoomTheVariableIsRead) {
    const auto result = instrument(parsed(marked("(.param .align 8 .b8 a[4096])")), "k");
    ASSERT_TRUE(result.ok());
    EXPECT_FALSE(result->parameter.has_value());
    EXPECT_NE(result->ptx.find(".const .align 64 .b8 gwatch_launch[72];"), std::string::npos);
    EXPECT_EQ(result->ptx.find("ld.param"), std::string::npos);
    EXPECT_NE(result->ptx.find("ld.const.u64 %gwatch_regions, [gwatch_launch+0];"),
              std::string::npos);
}

/// Device functions see no parameter of the kernel that calls them.
TEST(LaunchParameter, FunctionsReadTheVariable) {
    const std::string function =
        ".func f()\n{\n\t.reg .b32 %r<8>;\n" + testing::marker("mark 1") + "ret; }\n";
    const auto result = instrument(
        parsed(testing::kernel_text(testing::marker("mark 2") + "call f; ret;", function)), "k");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->parameter, (ParameterPlace{1, 8}));
    const std::size_t entry = result->ptx.find(".entry k");
    EXPECT_LT(result->ptx.rfind("ld.const"), entry);
    EXPECT_GT(result->ptx.find("ld.param.u64 %gwatch"), entry);
}

}  // namespace
}  // namespace gwatch::instrument
