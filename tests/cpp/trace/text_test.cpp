#include "trace/text.h"

#include <gtest/gtest.h>

namespace gwatch::trace {
namespace {

TEST(Text, ValidUtf8StaysAsItIs) {
    for (const std::string text :
         {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
        EXPECT_EQ(to_utf8(text), text);
    }
}

TEST(Text, StrayBytesAreLatin1) {
    EXPECT_EQ(to_utf8("\xe4"), "\xc3\xa4");
    EXPECT_EQ(to_utf8("a\x80z"), "a\xc2\x80z");
    EXPECT_EQ(to_utf8("\xe2\x82"), "\xc3\xa2\xc2\x82");                          // cut off
    EXPECT_EQ(to_utf8("\xf4\x90\x80\x80"), "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80");  // above U+10FFFF
}

TEST(Text, Counts) {
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(1000), "1,000");
    EXPECT_EQ(with_commas(12'345'678), "12,345,678");
    EXPECT_EQ(count_of(1, "warp"), "1 warp");
    EXPECT_EQ(count_of(0, "warp"), "0 warps");
    EXPECT_EQ(count_of(2000, "warp"), "2,000 warps");
}

}  // namespace
}  // namespace gwatch::trace
