#include "instrument/marker_text.h"

#include <gtest/gtest.h>

namespace gwatch::instrument {
namespace {

MarkerText parsed(const std::string& comment) {
    auto text = parse_marker_comment(comment);
    EXPECT_TRUE(text.ok()) << comment;
    return text.ok() ? *text : MarkerText{};
}

std::string error_of(const std::string& comment) {
    const auto text = parse_marker_comment(comment);
    return text.ok() ? "" : text.error().message;
}

TEST(MarkerText, Verbs) {
    EXPECT_EQ(parsed("// gwatch:start 100").verb, Verb::kStart);
    EXPECT_EQ(parsed("// gwatch:end 100").verb, Verb::kEnd);
    EXPECT_EQ(parsed("// gwatch:mark 100").verb, Verb::kMark);
    const MarkerText text = parsed("// gwatch:switch load 7");
    EXPECT_EQ(text.verb, Verb::kSwitch);
    EXPECT_EQ(text.scopes, (std::vector<ScopeName>{{"load", -1}, {"7", 7}}));
}

TEST(MarkerText, IdsAndNames) {
    EXPECT_EQ(parsed("//gwatch:mark 0").scopes[0], (ScopeName{"0", 0}));
    EXPECT_EQ(parsed("//\tgwatch:mark  65535 ").scopes[0], (ScopeName{"65535", 65535}));
    EXPECT_EQ(parsed("// gwatch:mark 007").scopes[0], (ScopeName{"7", 7}));
    EXPECT_EQ(parsed("// gwatch:mark a.b_c:d/e-7").scopes[0], (ScopeName{"a.b_c:d/e-7", -1}));
    EXPECT_EQ(parsed("// gwatch:mark %C3%a9%20%25").scopes[0], (ScopeName{"\xc3\xa9 %", -1}));
}

TEST(MarkerText, OnlyWhatBeginsWithIt) {
    EXPECT_TRUE(is_marker_comment("//   gwatch:"));
    EXPECT_FALSE(is_marker_comment("// old: gwatch:start 1"));
    EXPECT_FALSE(is_marker_comment("// // gwatch:start 1"));
    EXPECT_FALSE(is_marker_comment("// gwatch.start 1"));
    EXPECT_FALSE(is_marker_comment("//"));
}

TEST(MarkerText, WhatIsWrongIsSaid) {
    EXPECT_EQ(error_of("// gwatch:strat 1"), "unknown verb 'strat'");
    EXPECT_EQ(error_of("// gwatch:"), "unknown verb ''");
    EXPECT_EQ(error_of("// gwatch:start"), "start takes 1 scope, not 0");
    EXPECT_EQ(error_of("// gwatch:start 1 2"), "start takes 1 scope, not 2");
    EXPECT_EQ(error_of("// gwatch:switch 1"), "switch takes 2 scopes, not 1");
    EXPECT_EQ(error_of("// gwatch:start 65536"), "scope id 65536 is over 65535");
    EXPECT_EQ(error_of("// gwatch:start 99999999999"), "scope id 99999999999 is over 65535");
    EXPECT_EQ(error_of("// gwatch:start a+b"),
              "scope name 'a+b' has a byte that must be written as %XX");
    EXPECT_EQ(error_of("// gwatch:start a%2"),
              "scope name 'a%2' has a byte that must be written as %XX");
    EXPECT_EQ(error_of("// gwatch:start a%g0"),
              "scope name 'a%g0' has a byte that must be written as %XX");
    EXPECT_EQ(error_of("// gwatch:start %FF"), "scope name '%FF' is no UTF-8");
    EXPECT_EQ(error_of("// gwatch:start %C3"), "scope name '%C3' is no UTF-8");
}

}  // namespace
}  // namespace gwatch::instrument
