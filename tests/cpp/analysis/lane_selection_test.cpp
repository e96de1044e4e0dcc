#include "analysis/lane_selection.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analysis/uniformity.h"
#include "markers.h"
#include "snippets.h"

namespace gwatch::analysis {
namespace {

constexpr LaunchShape kRow{{128, 1, 1}};

enum class Verdict { kProven, kSelected, kOther };

Verdict verdict_of(const std::string& body, const LaunchShape& shape = kRow) {
    const ptx::Module module = parse_body(body);
    const ptx::Function& entry = module.functions()[0];
    const auto markers = find_test_markers(module, entry);
    EXPECT_EQ(markers.size(), 1u);
    const Uniformity uniformity = analyze(module, entry, shape);
    if (uniformity.proven(markers[0].statement)) return Verdict::kProven;
    return uniformity.for_selected_lanes(markers[0].statement) ? Verdict::kSelected
                                                               : Verdict::kOther;
}

/// A marker that only lanes with %p1 pass.
Verdict behind(const std::string& code, const LaunchShape& shape = kRow) {
    return verdict_of(code + "\n@!%p1 bra END;\n// gwatch:mark 1\nmov.u32 %r9, 0;\nEND:\nret;\n",
                      shape);
}

TEST(LaneSelection, AnElectedLane) {
    EXPECT_EQ(behind("elect.sync %r0|%p1, -1;"), Verdict::kSelected);
    EXPECT_EQ(behind("elect.sync _|%p1, -1;"), Verdict::kSelected);
}

TEST(LaneSelection, AnElectedLaneThroughANumber) {
    EXPECT_EQ(behind("elect.sync _|%p2, -1;\nselp.b32 %r1, 1, 0, %p2;\nsetp.ne.b32 %p1, %r1, 0;"),
              Verdict::kSelected);
    EXPECT_EQ(behind("elect.sync _|%p2, -1;\nselp.u32 %r1, 1, 0, %p2;\nsetp.eq.u32 %p3, %r1, 0;\n"
                     "not.pred %p1, %p3;"),
              Verdict::kSelected);
}

TEST(LaneSelection, TogetherWithAPredicateOfTheWarp) {
    const std::string uniform = "ld.param.u32 %r5, [n];\nsetp.gt.u32 %p5, %r5, 7;\n";
    EXPECT_EQ(behind(uniform + "elect.sync _|%p2, -1;\nand.pred %p1, %p2, %p5;"),
              Verdict::kSelected);
    EXPECT_EQ(behind(uniform + "elect.sync _|%p2, -1;\nand.pred %p1, %p5, %p2;"),
              Verdict::kSelected);
    EXPECT_EQ(behind(uniform + "mov.u32 %r1, %laneid;\nsetp.eq.u32 %p2, %r1, 0;\n"
                               "or.pred %p1, %p2, %p5;"),
              Verdict::kSelected);
    EXPECT_EQ(behind(uniform + "elect.sync _|%p2, -1;\nmov.pred %p3, %p2;\nnot.pred %p4, %p3;\n"
                               "and.pred %p1, %p4, %p5;"),
              Verdict::kSelected);
}

TEST(LaneSelection, TwoThatVaryAreNotFollowed) {
    EXPECT_EQ(behind("elect.sync _|%p2, -1;\nmov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                     "setp.lt.u32 %p3, %r1, %r2;\nor.pred %p1, %p2, %p3;"),
              Verdict::kOther);
}

TEST(LaneSelection, ANumberOfALane) {
    for (const char* compare : {"eq.u32 %p1, %r1, 3", "ne.s32 %p1, %r1, 0", "lt.u32 %p1, %r1, 16",
                                "gt.s32 %p1, 15, %r1"}) {
        EXPECT_EQ(behind("mov.u32 %r1, %laneid;\nsetp." + std::string(compare) + ";"),
                  Verdict::kSelected)
            << compare;
    }
}

TEST(LaneSelection, APartOfTheThreadNumberThatTheLaneDecides) {
    for (const char* part :
         {"and.b32 %r1, %r0, 31", "and.b32 %r1, %r0, 28", "bfe.u32 %r1, %r0, 1, 3",
          "shl.b32 %r1, %r0, 27", "rem.u32 %r1, %r0, 32"}) {
        EXPECT_EQ(
            behind("mov.u32 %r0, %tid.x;\n" + std::string(part) + ";\nsetp.lt.u32 %p1, %r1, 6;"),
            Verdict::kSelected)
            << part;
    }
}

TEST(LaneSelection, OneThread) {
    for (const LaunchShape& shape :
         {kRow, LaunchShape{}, LaunchShape{{0, 1, 1}}, LaunchShape{{1024, 1, 1}}}) {
        EXPECT_EQ(behind("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;", shape),
                  Verdict::kSelected);
        EXPECT_EQ(behind("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, 96, %r1;", shape),
                  Verdict::kSelected);
    }
}

TEST(LaneSelection, WarpsAreNoSelection) {
    for (const char* limit : {"32", "40", "96", "999"}) {
        const std::string code =
            "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, " + std::string(limit) + ";";
        EXPECT_NE(behind(code), Verdict::kSelected) << limit;
        EXPECT_EQ(behind(code, {}), Verdict::kOther) << limit;
        EXPECT_NE(behind(code, {{48, 2, 1}}), Verdict::kSelected) << limit;
    }
}

TEST(LaneSelection, ABoundOfDataIsNone) {
    const std::string bound = "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n";
    EXPECT_EQ(behind(bound + "setp.lt.u32 %p1, %r1, %r2;"), Verdict::kOther);
    EXPECT_EQ(behind(bound + "setp.lt.u32 %p2, %r1, %r2;\nselp.u32 %r3, 1, 0, %p2;\n"
                             "setp.ne.u32 %p1, %r3, 0;"),
              Verdict::kOther);
    EXPECT_EQ(behind(bound + "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 128, %r1;\n"
                             "setp.lt.u32 %p1, %r4, %r2;"),
              Verdict::kOther);
}

TEST(LaneSelection, LoadedDataIsNone) {
    const std::string load =
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nld.global.u32 %r2, [%rd1];\n";
    for (const char* compare :
         {"setp.eq.u32 %p1, %r2, 0", "setp.lt.u32 %p1, %r2, 16",
          "and.b32 %r3, %r2, 31;\nsetp.lt.u32 %p1, %r3, 16",
          "and.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 0",
          "and.b32 %r3, %r2, 15;\nsetp.eq.u32 %p1, %r3, 3",
          "setp.eq.u32 %p2, %r2, 0;\nselp.u32 %r3, 1, 0, %p2;\nsetp.ne.u32 %p1, %r3, 0"}) {
        EXPECT_EQ(behind(load + compare + ";"), Verdict::kOther) << compare;
    }
}

TEST(LaneSelection, NeitherIsWhatChangesByItself) {
    EXPECT_EQ(behind("mov.u32 %r1, %clock;\nand.b32 %r2, %r1, 31;\nsetp.lt.u32 %p1, %r2, 16;"),
              Verdict::kOther);
    EXPECT_EQ(behind("atom.global.add.u32 %r1, [%rd1], 1;\nand.b32 %r2, %r1, 7;\n"
                     "setp.eq.u32 %p1, %r2, 0;"),
              Verdict::kOther);
}

TEST(LaneSelection, APredicateThatIsSetTwiceIsNotFollowed) {
    EXPECT_EQ(behind("elect.sync _|%p1, -1;\nld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\n"
                     "setp.lt.u32 %p1, %r1, %r2;"),
              Verdict::kOther);
}

TEST(LaneSelection, AGuardedMarkerOfChosenLanes) {
    EXPECT_EQ(verdict_of("elect.sync _|%p1, -1;\n// gwatch:mark 1\n@%p1 mov.u32 %r9, 0;\nret;"),
              Verdict::kSelected);
    EXPECT_EQ(verdict_of("mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n"
                         "setp.lt.u32 %p1, %r1, %r2;\n// gwatch:mark 1\n"
                         "@%p1 mov.u32 %r9, 0;\nret;"),
              Verdict::kOther);
}

TEST(LaneSelection, WhatAllLanesPassIsProven) {
    EXPECT_EQ(behind("ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 5;"), Verdict::kProven);
}

}  // namespace
}  // namespace gwatch::analysis
