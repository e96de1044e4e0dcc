// Where an entry finds its warp's region.
#include <gtest/gtest.h>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

/// The first line of the statement in front of which the setup goes, or nothing for the begin.
std::string place_in(const std::string& body, const std::string& before = "") {
    const PlacedKernel placed = placed_kernel(body, before);
    for (const instrument::FunctionPlan& function : placed.plan.functions) {
        if (function.function != placed.entry) continue;
        const std::uint32_t place = function.setup;
        const auto& statements = placed.module.statements();
        return place == ptx::kNone ? "" : std::string(placed.module.text_of(statements[place]));
    }
    return "no plan";
}

const std::string kWork = "\tadd.u32 %r2, %r1, 1;\n";
const std::string kCarrier = "mov.u32 %r7, 0;";

TEST(SetupPlace, IsInFrontOfTheFirstRecord) {
    EXPECT_EQ(place_in(kWork + marker("mark 1") + "\tret;\n"), kCarrier);
    EXPECT_EQ(place_in(kWork + "\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra X;\n" + kWork + "X:\n" +
                       kWork + marker("mark 1") + "\tret;\n"),
              kCarrier);
}

TEST(SetupPlace, IsInFrontOfABranchBehindWhichRecordsPart) {
    EXPECT_EQ(place_in("\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra X;\n" + marker("mark 1") +
                       "\tbra Y;\nX:\n" + marker("mark 2") + "Y:\n\tret;\n"),
              "@%p1 bra X;");
}

TEST(SetupPlace, IsInFrontOfAnEarlyExit) {
    EXPECT_EQ(place_in(kWork + "\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 exit;\n" + marker("mark 1") +
                       "\tret;\n"),
              "@%p1 exit;");
}

/// A lane that holds a lock would wait for those that wait for the lock.
TEST(SetupPlace, IsNeitherInNorBehindALoop) {
    const std::string loop = "LOOP:\n\tsetp.eq.u32 %p2, %r2, 0;\n\t@%p2 bra LOOP;\n";
    EXPECT_EQ(place_in(kWork + loop + marker("mark 1") + "\tret;\n"), "");
    EXPECT_EQ(place_in("\tsetp.eq.u32 %p1, %r1, 0;\n\t@%p1 bra X;\n" + loop + "X:\n" +
                       marker("mark 1") + "\tret;\n"),
              "@%p1 bra X;");
    EXPECT_EQ(place_in("LOOP:\n" + marker("mark 1") +
                       "\tsetp.eq.u32 %p2, %r2, 0;\n\t@%p2 bra LOOP;\n\tret;\n"),
              "");
}

/// A function may record, and may end threads.
TEST(SetupPlace, IsInFrontOfCalls) {
    const std::string leaver = ".func leave\n{\n\t.reg .pred %p<2>;\n\t@%p1 exit;\n\tret;\n}\n";
    EXPECT_EQ(place_in(kWork + "\tcall leave;\n" + marker("mark 1") + "\tret;\n", leaver),
              "call leave;");
}

}  // namespace
}  // namespace gwatch::testing
