// Which sites wait until the barrier in front of them holds the warp.
#include "instrument/settling.h"

#include <gtest/gtest.h>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using instrument::Options;
using instrument::PlannedSite;
using instrument::Settling;

/// "none", "warp" (the whole one) or "lanes" (the active ones) of each site of `k`, its exits last.
std::string settling_in(const std::string& body, const std::string& before = "",
                        const Options& options = {}) {
    const PlacedKernel placed = placed_kernel(body, before, options);
    std::string words;
    for (const PlannedSite& site : placed.plan.functions.back().sites) {
        if (!words.empty()) words += " ";
        words += site.settling == Settling::kNone        ? "none"
                 : site.settling == Settling::kWholeWarp ? "warp"
                                                         : "lanes";
    }
    return words;
}

const std::string kMark = marker("mark 1");
const std::string kEnd = "\tret;\n";
const std::string kAdd = "\tadd.u32 %r2, %r2, %r1;\n";
const std::string kVarying = "\tsetp.lt.u32 %p1, %r1, 5;\n";

std::string times(int count, const std::string& text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

/// Of a marker behind this.
std::string behind(const std::string& text, const std::string& before = "") {
    const std::string all =
        settling_in(text + kMark + times(8, "\tst.shared.u32 [4], %r1;\n") + kEnd, before);
    return all.substr(0, all.find(' '));
}

TEST(Settling, IsOfTheWholeWarpBehindABarrierOfWholeWarps) {
    EXPECT_EQ(behind("\tbar.sync 0;\n"), "warp");
    EXPECT_EQ(behind("\tbar .sync 0;\n"), "warp");
    EXPECT_EQ(behind("\tbar.cta.sync 1, 64;\n"), "warp");
    EXPECT_EQ(behind("\tbar.red.popc.u32 %r2, 0, %p1;\n"), "warp");
    EXPECT_EQ(behind("\tbarrier.sync.aligned 0;\n"), "warp");
    EXPECT_EQ(behind("\tbarrier.cta.red.and.pred.aligned %p2, 0, %p1;\n"), "warp");
    EXPECT_EQ(behind("\t{\n\tbar.sync 0;\n\t}\n"), "warp");
}

TEST(Settling, IsOfTheActiveLanesBehindABarrierOfThreads) {
    EXPECT_EQ(behind("\tbarrier.sync 0;\n"), "lanes");
    EXPECT_EQ(behind("\tbarrier.cta.sync 1, 64;\n"), "lanes");
    EXPECT_EQ(behind("\tbarrier.red.popc.u32 %r2, 0, %p1;\n"), "lanes");
}

TEST(Settling, IsNotBehindWhatWaitsForNoOtherWarp) {
    EXPECT_EQ(behind(kAdd), "none");
    EXPECT_EQ(behind("\tbar.arrive 1, 64;\n"), "none");
    EXPECT_EQ(behind("\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n"),
              "none");
    EXPECT_EQ(behind("\tbar.sync 0;\n\tbar.warp.sync -1;\n"), "none");
}

TEST(Settling, TheWholeWarpIsNotWaitedForWhereLanesMayNotCome) {
    EXPECT_EQ(behind(kVarying + "\t@%p1 bar.sync 0;\n"), "lanes");
    EXPECT_EQ(behind("\tbar.sync 0;\n\t@%p1 bar.sync 1, 64;\n"), "lanes");
    EXPECT_EQ(behind(kVarying + "\tbar.sync 0;\n\t@%p1 bra X;\n"
                                "\tst.shared.u32 [4], %r1;\nX:\n"),
              "lanes")
        << "a label";
    EXPECT_EQ(behind(kVarying + "\t@%p1 bra X;\n\tbar.sync 0;\nX:\n"), "lanes");
    EXPECT_EQ(behind(kVarying + "\tbar.sync 0;\n\t@%p1 exit;\n"), "lanes") << "lanes have left";
    EXPECT_EQ(behind("\tbar.sync 0;\n\t@%p1 bar.warp.sync -1;\n"), "warp");
    EXPECT_EQ(behind("\tbar.sync 0;\n\tcall f, ();\n", ".func f()\n{\n\tret;\n}\n"), "lanes");
}

TEST(Settling, AgainstTheRulesABarrierMayStandWhereLanesArePartedAndMustNotHang) {
    EXPECT_EQ(settling_in(kVarying + "\t@%p1 bra X;\n\tbar.sync 0;\n" + kMark +
                          "\tbra Y;\nX:\n\tbar.sync 0;\n" + kMark + "Y:\n" + kEnd),
              "lanes lanes none");
    EXPECT_EQ(settling_in("\tbar.sync 0;\n" + kMark + kEnd, "", {.prove = false}), "lanes none");
}

TEST(Settling, AGuardedMarkerHoldsItsOwnLanesOnly) {
    EXPECT_EQ(settling_in(kVarying +
                          "\tbar.sync 0;\n\t// gwatch:mark 1\n"
                          "\t@%p1 mov.u32 %r7, 0;\n" +
                          kAdd + kMark + kEnd),
              "lanes warp none");
}

TEST(Settling, OnlyTheFirstSiteBehindABarrierNeedsIt) {
    EXPECT_EQ(settling_in("\tbar.sync 0;\n" + kMark + kAdd + kMark + kEnd), "warp none none");
    EXPECT_EQ(settling_in(kMark + "\tbar.sync 0;\n" + kEnd), "none warp");
    EXPECT_EQ(settling_in(kMark + "\tbar.sync 0;\n"), "none warp") << "the closing brace";
    EXPECT_EQ(settling_in(kMark + "\tbar.sync 0;\n\t@%p1 ret;\n" + kEnd), "none lanes lanes");
}

TEST(Settling, CalculationsMayBeMovedInFrontOfTheBarrier) {
    EXPECT_EQ(behind("\tbar.sync 0;\n" + times(100, kAdd)), "warp");
    EXPECT_EQ(behind("\tbar.sync 0;\n" + times(9, "\tld.param.u64 %rd1, [out];\n")), "warp");
    EXPECT_EQ(behind("\tbar.sync 0;\n" + times(7, "\tst.shared.u32 [4], %r1;\n")), "warp");
    EXPECT_EQ(behind("\tbar.sync 0;\n" + times(8, "\tst.shared.u32 [4], %r1;\n")), "none");
    EXPECT_EQ(behind("\tbar.sync 0;\n" + times(8, "\tld.shared.u32 %r2, [4];\n")), "none");
}

TEST(Settling, FollowsBranches) {
    const std::string loop = "LOOP:\n" + kMark + times(8, "\tst.shared.u32 [4], %r1;\n") +
                             "\tbar.sync 0;\n" + kAdd +
                             "\tsetp.lt.u32 %p2, %r2, 99;\n\t@%p2 bra LOOP;\n";
    EXPECT_EQ(settling_in(loop + kEnd), "lanes lanes") << "the marker at the loop's head";
    EXPECT_EQ(settling_in("\tbar.sync 0;\n\tbra FAR;\nNEAR:\n" + kMark + kEnd + "FAR:\n" + kMark +
                          "\tbra NEAR;\n"),
              "none none lanes");
    EXPECT_EQ(
        settling_in("\tbar.sync 0;\n" + times(20, "\t@%p1 bra LAST;\n") + "LAST:\n" + kMark + kEnd),
        "lanes none");
}

TEST(Settling, IsFoundInFunctionsToo) {
    const std::string function =
        ".func f()\n{\n\t.reg .b32 %r7;\n\tbar.sync 0;\n" + kMark + "\tret;\n}\n";
    const PlacedKernel placed = placed_kernel("\tcall f, ();\n" + kEnd, function);
    EXPECT_EQ(placed.plan.functions[0].sites[0].settling, Settling::kActiveLanes);
}

}  // namespace
}  // namespace gwatch::testing
