#include "instrument/markers.h"

#include <gtest/gtest.h>

#include "traced_kernel.h"

namespace gwatch::instrument {
namespace {

std::vector<std::string> found_in(const std::string& body) {
    const auto module = ptx::parse(testing::kernel_text(body));
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    const auto markers = find_markers(*module, module->functions()[0]);
    if (!markers.ok()) return {markers.error().to_string()};
    std::vector<std::string> names;
    for (const FoundMarker& marker : *markers) names.push_back(marker.text.scopes[0].name);
    return names;
}

using Names = std::vector<std::string>;

TEST(Markers, CommentAndCarrier) {
    EXPECT_EQ(found_in("// gwatch:start 100\nmov.u32 %r7, 0;\n"), Names{"100"});
    EXPECT_EQ(found_in("// gwatch:mark a\n\n\t mov.b32 %r7, %r3;\n"), Names{"a"});
    EXPECT_EQ(found_in("// gwatch:mark a\r\n@%p1 mov.u32 %r7, 0;\r\n"), Names{"a"});
    EXPECT_EQ(found_in("{ .reg .b32 t; // gwatch:mark a\nmov.u32 t, 0; }\n"), Names{"a"});
}

TEST(Markers, LocationsMayStandBetween) {
    EXPECT_EQ(found_in("// gwatch:mark a\n.loc 1 4 0\nmov.u32 %r7, 0;\n"), Names{"a"});
    EXPECT_EQ(
        found_in("// gwatch:mark a\n\t.loc\t1 33 9   // k.py:33:9\n.loc 1 5 0\nmov.u32 %r7, 0;\n"),
        Names{"a"});
    EXPECT_EQ(found_in("// gwatch:mark a\n.loc 1 4 0\n// k.py:4\nmov.u32 %r7, 0;\n"), Names{});
}

TEST(Markers, ABareCommentIsNone) {
    EXPECT_EQ(found_in("// gwatch:mark a\nadd.u32 %r7, %r1, 1;\n"), Names{});
    EXPECT_EQ(found_in("// gwatch:mark a\n"), Names{});
    EXPECT_EQ(found_in("// gwatch:mark a\nLABEL:\nmov.u32 %r7, 0;\n"), Names{});
    EXPECT_EQ(found_in("// gwatch:mark a\n{ mov.u32 %r7, 0; }\n"), Names{});
    EXPECT_EQ(found_in("// gwatch:mark a\n// end inline asm\nmov.u32 %r7, 0;\n"), Names{});
    EXPECT_EQ(found_in("// gwatch:mark a\n// gwatch:mark b\nmov.u32 %r7, 0;\n"), Names{"b"});
    EXPECT_EQ(found_in("// gwatch:nonsense\nret;\n"), Names{});
}

TEST(Markers, DecoysAreNone) {
    EXPECT_EQ(found_in("/* gwatch:mark a */ mov.u32 %r7, 0;\n"), Names{});
    EXPECT_EQ(found_in("/*\n// gwatch:mark a\n*/mov.u32 %r7, 0;\n"), Names{});
    EXPECT_EQ(found_in("// see gwatch:mark a\nmov.u32 %r7, 0;\n"), Names{});
    EXPECT_EQ(found_in(".pragma \"// gwatch:mark a\";\nmov.u32 %r7, 0;\n"), Names{});
}

TEST(Markers, AMalformedOneIsAnErrorWithItsPlace) {
    EXPECT_EQ(found_in("// gwatch:strat 1\nmov.u32 %r7, 0;\n"),
              Names{"PTX line 10: unknown verb 'strat'\n    // gwatch:strat 1\n"
                    "A marker is `// gwatch:VERB SCOPE`: start, end or mark with one scope, switch "
                    "with two. "
                    "A scope is an id from 0 to 65535 or a name of [A-Za-z0-9_.:/-] and %XX."});
}

/// Kind and source of each marker's payload.
std::vector<std::string> payloads_in(const std::string& body) {
    const auto module = ptx::parse(testing::kernel_text(body));
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    const auto markers = find_markers(*module, module->functions()[0]);
    if (!markers.ok()) return {markers.error().to_string()};
    std::vector<std::string> payloads;
    for (const FoundMarker& marker : *markers) {
        payloads.push_back(std::string(record::payload_name(marker.payload.kind)) + " " +
                           std::string(marker.payload.source));
    }
    return payloads;
}

TEST(Markers, TheCarriersTypeIsThePayloads) {
    const auto payload = [](const std::string& carrier) {
        return payloads_in("// gwatch:mark a\n" + carrier + ";\n").front();
    };
    EXPECT_EQ(payload("mov.u32 %r7, 0"), " ");
    EXPECT_EQ(payload("@%p1 mov.u32 %r7, 0"), " ");
    EXPECT_EQ(payload("mov.u32 %r7, 1"), "u32 1");
    EXPECT_EQ(payload("mov.s32 %r7, 0"), "s32 0");
    EXPECT_EQ(payload("mov.b32 %r7, 0"), "u32 0");
    EXPECT_EQ(payload("@%p1 mov.f32 %r7, 0f00000000"), "f32 0f00000000");
    EXPECT_EQ(payload("mov.s64 %rd1, %rd2"), "s64 %rd2");
    EXPECT_EQ(payload("mov.u64 %rd1, 0"), "u64 0");
    EXPECT_EQ(payload("mov.f64 %rd1, %rd2"), "f64 %rd2");
    EXPECT_EQ(payload("mov.b64 %rd1, {%r1, %r2}"), "bits {%r1, %r2}");
}

TEST(Markers, AValueThatCannotBeRecordedIsAnError) {
    EXPECT_EQ(payloads_in("// gwatch:end a\nmov.s32 %r7, 0;\n"),
              Names{"PTX line 10: an end or switch records no value, but its mov moves one\n"
                    "    // gwatch:end a\n    mov.s32 %r7, 0;\n"
                    "Put `mov.u32 x, 0` behind the comment; give the value to a start or mark."});
    EXPECT_EQ(payloads_in("// gwatch:switch a b\nmov.u32 %r7, %r1;\n").front().substr(0, 44),
              "PTX line 10: an end or switch records no val");
    EXPECT_EQ(payloads_in("// gwatch:mark a\nmov.b16 %r7, %r1;\n"),
              Names{"PTX line 10: a value of mov.b16 cannot be recorded\n"
                    "    // gwatch:mark a\n    mov.b16 %r7, %r1;\n"
                    "Widen it in front of the marker: a value is moved by mov.s32, .u32, .f32, "
                    ".b32, .s64, .u64, .f64 or .b64."});
    EXPECT_EQ(payloads_in("// gwatch:mark a\nmov.pred %p1, %p2;\n").size(), 1u);
}

}  // namespace
}  // namespace gwatch::instrument
