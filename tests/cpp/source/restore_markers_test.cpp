#include "source/restore_markers.h"

#include <gtest/gtest.h>

namespace gwatch::source {
namespace {

TEST(RestoreMarkers, ACommentBehindEachDeclaration) {
    EXPECT_EQ(restore_markers("{\n.reg .b32 gwatch$start$100;\nmov.u32 %r1, 0;\n}\n"
                              "{ .reg .b32 gwatch$switch$load$multiply; mov.u32 %r2, 0; }"),
              "{\n.reg .b32 gwatch$start$100;\n// gwatch:start 100\n\nmov.u32 %r1, 0;\n}\n"
              "{ .reg .b32 gwatch$switch$load$multiply;\n// gwatch:switch load multiply\n"
              " mov.u32 %r2, 0; }");
}

TEST(RestoreMarkers, WhatHasItsCommentStays) {
    const std::string text =
        "{\n\t.reg .b32 gwatch$end$7;\n\t// gwatch:end 7\n\tmov.u32 %r1, 0;\n}";
    EXPECT_EQ(restore_markers(text), text);
    EXPECT_EQ(restore_markers(restore_markers(".reg .b32 gwatch$end$7;")),
              restore_markers(".reg .b32 gwatch$end$7;"));
}

TEST(RestoreMarkers, OtherTextStays) {
    for (const char* text :
         {"", ".reg .b32 %r<3>;", ".reg .b32 gwatch$start$1\n", "// no gwatch$"}) {
        EXPECT_EQ(restore_markers(text), text);
    }
}

}  // namespace
}  // namespace gwatch::source
