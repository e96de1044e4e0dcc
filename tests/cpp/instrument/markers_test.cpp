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

}  // namespace
}  // namespace gwatch::instrument
