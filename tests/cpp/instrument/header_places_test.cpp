// Where an entry stores the header of its warp's region.
#include <gtest/gtest.h>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using Lines = std::vector<std::string>;

/// The statements in front of which the header is stored; none: at the setup.
Lines places_in(const std::string& body) {
    const PlacedKernel placed = placed_kernel(body);
    Lines places;
    for (const instrument::FunctionPlan& function : placed.plan.functions) {
        if (function.function != placed.entry) continue;
        for (const std::uint32_t place : function.headers) {
            places.emplace_back(placed.module.text_of(placed.module.statements()[place]));
        }
    }
    return places;
}

const std::string kFewer = "\tsetmaxnreg.dec.sync.aligned.u32 40;\n";
const std::string kMore = "\tsetmaxnreg.inc.sync.aligned.u32 232;\n";
const std::string kChoose = "\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra X;\n";
const std::string kWork = "\tadd.u32 %r2, %r1, 1;\n";
const std::string kOtherWork = "\tadd.u32 %r3, %r1, 1;\n";
const std::string kLoop = "LOOP:\n\tsetp.eq.u32 %p2, %r2, 0;\n\t@%p2 bra LOOP;\n";

/// Two roles: one falls through, the other starts at X.
std::string roles(const std::string& first, const std::string& second,
                  const std::string& choose = kChoose) {
    return choose + first + marker("mark 1") + "\tret;\nX:\n" + second + marker("mark 2") +
           "\tret;\n";
}

TEST(HeaderPlaces, AreBehindWhatWaitsForTheStore) {
    EXPECT_EQ(places_in(roles(kFewer + kWork, kMore + kOtherWork)),
              (Lines{"add.u32 %r2, %r1, 1;", "add.u32 %r3, %r1, 1;"}));
    EXPECT_EQ(places_in(roles(kFewer, kWork + kMore)),
              (Lines{"mov.u32 %r7, 0;", "mov.u32 %r7, 0;"}));
}

TEST(HeaderPlaces, AreNoneWhereNothingWaits) {
    EXPECT_EQ(places_in(roles(kWork, kOtherWork)), Lines{});
    EXPECT_EQ(places_in(roles(marker("mark 3") + kFewer, kOtherWork)), Lines{});
    EXPECT_EQ(places_in(kFewer + roles(kWork, kOtherWork)), Lines{});
}

/// A role without a wait does not keep the registers of the header for long.
TEST(HeaderPlaces, AreAtTheBeginOfRolesThatDoNotWait) {
    EXPECT_EQ(places_in(roles(kWork + kWork, kMore + kOtherWork)),
              (Lines{"add.u32 %r2, %r1, 1;", "add.u32 %r3, %r1, 1;"}));
    EXPECT_EQ(places_in(roles(kMore + kWork, kOtherWork + kOtherWork)),
              (Lines{"add.u32 %r2, %r1, 1;", "add.u32 %r3, %r1, 1;"}));
}

TEST(HeaderPlaces, AreFoundThroughNestedChoices) {
    const std::string inner = "\tsetp.eq.u32 %p2, %r1, 64;\n\t@%p2 bra Y;\n";
    EXPECT_EQ(places_in(kChoose + inner + kFewer + kWork + marker("mark 1") + "\tret;\nY:\n" +
                        kOtherWork + marker("mark 2") + "\tret;\nX:\n" + kMore + kWork +
                        marker("mark 3") + "\tret;\n"),
              (Lines{"add.u32 %r2, %r1, 1;", "add.u32 %r3, %r1, 1;", "add.u32 %r2, %r1, 1;"}));
}

/// Not all ways to a place where they meet would come with the header stored.
TEST(HeaderPlaces, AreNoneBehindWaysThatMeet) {
    EXPECT_EQ(places_in("\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra X;\n" + kMore + kWork + "X:\n" +
                        marker("mark 1") + "\tret;\n"),
              Lines{});
    EXPECT_EQ(places_in(roles(kMore + kWork, kLoop + kFewer)), Lines{});
    EXPECT_EQ(places_in(roles(kMore + kWork, kOtherWork + kLoop + kFewer)),
              (Lines{"add.u32 %r2, %r1, 1;", "add.u32 %r3, %r1, 1;"}));
}

}  // namespace
}  // namespace gwatch::testing
