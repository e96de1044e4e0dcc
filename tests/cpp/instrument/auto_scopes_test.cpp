#include "instrument/auto_scopes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "instrument/instrument.h"

namespace gwatch::instrument {
namespace {

constexpr const char* kHeader = ".version 8.6\n.target sm_100a\n.address_size 64\n";
const std::vector<std::string> kAll = {"mbarrier", "barrier", "async_copy", "tma", "mma"};

std::string kernel(const std::string& body) {
    return std::string(kHeader) +
           ".visible .entry k()\n{\n\t.reg .pred %p<9>;\n\t.reg .b32 %r<9>;\n"
           "\t.reg .b64 %rd<9>;\n\t.reg .f32 %f<9>;\n" +
           body + "\tret;\n}\n";
}

AutoMarked mark(const std::string& text, const std::vector<std::string>& kinds = kAll) {
    const auto module = ptx::parse(text, "<test>");
    EXPECT_TRUE(module.ok());
    const auto known = auto_kinds(kinds);
    EXPECT_TRUE(known.ok());
    auto marked = mark_automatically(*module, {"k"}, *known);
    EXPECT_TRUE(marked.ok()) << marked.error().to_string();
    return *std::move(marked);
}

/// The body's lines behind its declarations, short: `start NAME` and `end NAME` for markers, with
/// their guard, without tabs. What was inserted must be all that the original has not.
std::string outline(const std::string& body, const std::vector<std::string>& kinds = kAll) {
    const std::string text = kernel(body);
    const AutoMarked marked = mark(text, kinds);
    std::string rest = marked.ptx;
    std::size_t gone = 0;
    for (const ptx::Insertion& insertion : marked.inserted) gone += insertion.text.size();
    EXPECT_EQ(rest.size(), text.size() + gone);
    for (const ptx::Insertion& insertion : marked.inserted) {
        EXPECT_EQ(rest.substr(insertion.offset, insertion.text.size()), insertion.text);
        rest.erase(insertion.offset, insertion.text.size());
    }
    EXPECT_EQ(rest, text);

    std::string shown;
    std::string marker;
    const std::size_t first = marked.ptx.find("%f<9>;\n") + 7;
    for (std::size_t begin = first; begin < marked.ptx.size();) {
        const std::size_t end = marked.ptx.find('\n', begin);
        std::string line = marked.ptx.substr(begin, end - begin);
        begin = end + 1;
        std::erase(line, '\t');
        if (line.starts_with("// gwatch:")) {
            marker = line.substr(10);
        } else if (const auto carrier = line.find("mov.u32 %gwatch_auto, 0;");
                   carrier != std::string::npos) {
            shown += line.substr(0, carrier) + marker + line.substr(carrier + 24) + "\n";
        } else {
            shown += line + "\n";
        }
    }
    return shown.substr(0, shown.find("ret;\n}"));
}

std::size_t placed(const std::string& text, Placement placement) {
    const AutoMarked marked = mark(text);
    const auto module = ptx::parse(marked.ptx, "<marked>");
    const auto made = instrument(*module, "k", {{{128, 1, 1}}});
    EXPECT_TRUE(made.ok()) << made.error().to_string();
    return static_cast<std::size_t>(
        std::count_if(made->markers.begin(), made->markers.end(),
                      [&](const Marker& marker) { return marker.placement == placement; }));
}

struct Single {
    const char* instruction;
    const char* label;
};

class EachWait : public ::testing::TestWithParam<Single> {};

TEST_P(EachWait, IsAScopeOfItsOwn) {
    const std::string line = std::string(GetParam().instruction) + ";\n";
    const std::string name = std::string(GetParam().label) + ":ptx:10\n";
    EXPECT_EQ(outline("\t" + line), "start " + name + line + "end " + name);
}

TEST_P(EachWait, UnderAGuardHasItsMarkersUnderTheSame) {
    const std::string line = "@!%p1 " + std::string(GetParam().instruction) + ";\n";
    const std::string name = std::string(GetParam().label) + ":ptx:10\n";
    EXPECT_EQ(outline("\t" + line), "@!%p1 start " + name + line + "@!%p1 end " + name);
}

INSTANTIATE_TEST_SUITE_P(
    AutoScopes, EachWait,
    ::testing::Values(
        Single{"bar.sync 0", "barrier.wait"}, Single{"bar.sync 1, 256", "barrier.wait"},
        Single{"bar.cta.sync 0", "barrier.wait"}, Single{"barrier.sync 0", "barrier.wait"},
        Single{"barrier.cta.sync.aligned 3, 64", "barrier.wait"},
        Single{"barrier.cta.red.popc.aligned.u32 %r1, 0, %p2", "barrier.wait"},
        Single{"bar.red.popc.u32 %r1, 0, %p2", "barrier.wait"},
        Single{"barrier.cluster.wait", "cluster.wait"},
        Single{"barrier.cluster.wait.acquire.aligned", "cluster.wait"},
        Single{"griddepcontrol.wait", "grid.wait"},
        Single{"cp.async.wait_group 2", "async_copy.wait"},
        Single{"cp.async.wait_all", "async_copy.wait"},
        Single{"cp.async.bulk.wait_group 0", "tma.wait"},
        Single{"cp.async.bulk.wait_group.read 1", "tma.wait"},
        Single{"wgmma.wait_group.sync.aligned 0", "wgmma.wait"},
        Single{"tcgen05.wait::ld.sync.aligned", "tcgen05.wait"},
        Single{"tcgen05.wait::st.sync.aligned", "tcgen05.wait"},
        Single{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], "
               "%r2, [%r3]",
               "tma.load"},
        Single{"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%r1], [%rd1, {%r2, %r3}], [%r4]",
               "tma.load"},
        Single{"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r2, %r3}], "
               "[%r4]",
               "tma.store"},
        Single{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], %r2", "tma.store"},
        Single{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd1, "
               "{%r2}], [%r4]",
               "tma.reduce"},
        Single{"cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r2}]", "tma.prefetch"},
        Single{"mbarrier.try_wait.parity.shared.b64 %p3, [%r1], %r2", "mbarrier.try_wait"},
        Single{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f1}, {%f2}, {%f3}, {%f4}", "mma"},
        Single{"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%f2}, {%f3}, {%f4}", "mma"},
        Single{"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p4", "tcgen05.issue"}));

TEST(AutoScopes, LeavesAloneWhatDoesNotWait) {
    EXPECT_EQ(outline("\tbar.arrive 1, 64;\n\tbar.warp.sync -1;\n\tbarrier.cluster.arrive;\n"
                      "\tcp.async.ca.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;\n"
                      "\tcp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n"
                      "\tcp.async.bulk.commit_group;\n\tgriddepcontrol.launch_dependents;\n"
                      "\twgmma.fence.sync.aligned;\n\twgmma.commit_group.sync.aligned;\n"
                      "\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];\n"
                      "\tmbarrier.arrive.shared.b64 %rd1, [%r1];\n"
                      "\tmbarrier.test_wait.parity.shared.b64 %p1, [%r1], %r2;\n"),
              outline("\tbar.arrive 1, 64;\n\tbar.warp.sync -1;\n\tbarrier.cluster.arrive;\n"
                      "\tcp.async.ca.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;\n"
                      "\tcp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n"
                      "\tcp.async.bulk.commit_group;\n\tgriddepcontrol.launch_dependents;\n"
                      "\twgmma.fence.sync.aligned;\n\twgmma.commit_group.sync.aligned;\n"
                      "\ttcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];\n"
                      "\tmbarrier.arrive.shared.b64 %rd1, [%r1];\n"
                      "\tmbarrier.test_wait.parity.shared.b64 %p1, [%r1], %r2;\n",
                      {}));
}

TEST(AutoScopes, GuardThatTheInstructionItselfSetsIsNotMarked) {
    EXPECT_TRUE(
        mark(kernel("\t@!%p1 mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n")).finds.empty());
}

TEST(AutoScopes, ClusterArriveRightBeforeItsWaitBelongsToIt) {
    EXPECT_EQ(outline("\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n"),
              "start cluster.wait:ptx:11\nbarrier.cluster.arrive.aligned;\n"
              "barrier.cluster.wait.aligned;\nend cluster.wait:ptx:11\n");
    EXPECT_EQ(outline("\tbarrier.cluster.arrive;\n\tadd.u32 %r1, %r1, 1;\n"
                      "\tbarrier.cluster.wait;\n"),
              "barrier.cluster.arrive;\nadd.u32 %r1, %r1, 1;\nstart cluster.wait:ptx:12\n"
              "barrier.cluster.wait;\nend cluster.wait:ptx:12\n");
}

TEST(AutoScopes, ChoosesKinds) {
    const std::string body = "\tbar.sync 0;\n\tcp.async.wait_all;\n";
    EXPECT_EQ(outline(body, {"barrier"}),
              "start barrier.wait:ptx:10\nbar.sync 0;\nend barrier.wait:ptx:10\n"
              "cp.async.wait_all;\n");
    EXPECT_EQ(outline(body, {"async_copy", "async_copy"}),
              "bar.sync 0;\nstart async_copy.wait:ptx:11\ncp.async.wait_all;\n"
              "end async_copy.wait:ptx:11\n");
}

TEST(AutoScopes, UnknownKindNamesTheKnown) {
    const auto kinds = auto_kinds({"mma", "bariers"});
    ASSERT_FALSE(kinds.ok());
    EXPECT_EQ(kinds.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(kinds.error().message, "'bariers' is no kind of automatic scope");
    EXPECT_EQ(kinds.error().hint, "The kinds are mbarrier, barrier, async_copy, tma, mma.");
}

TEST(AutoScopes, UnknownEntry) {
    const auto module = ptx::parse(kernel(""), "<test>");
    const auto marked = mark_automatically(*module, {"other"}, {AutoKind::kMma});
    ASSERT_FALSE(marked.ok());
    EXPECT_EQ(marked.error().message, "the PTX has no entry other");
}

// Wait loops

TEST(AutoScopes, LoopOfInlineAssemblyWithALabelBehindIt) {
    const std::string piece =
        "// begin inline asm\n{\n.reg .pred P1;\n.loc 1 2 1\nLAB_WAIT:\n"
        "mbarrier.try_wait.parity.shared.b64 P1, [%r1], %r2, 10000000;\n@P1 bra.uni DONE;\n"
        "bra.uni LAB_WAIT;\n.loc 1 4 1\nDONE:\n}\n// end inline asm\n";
    EXPECT_EQ(outline(piece),
              "start mbarrier.wait:ptx:15\n" + piece + "end mbarrier.wait:ptx:15\n");
    EXPECT_EQ(outline("add.u32 %r1, %r1, 1;\n" + piece + piece),
              "add.u32 %r1, %r1, 1;\nstart mbarrier.wait:ptx:16\n" + piece +
                  "end mbarrier.wait:ptx:16\nstart mbarrier.wait:ptx:28\n" + piece +
                  "end mbarrier.wait:ptx:28\n");
}

TEST(AutoScopes, LoopThatFallsOut) {
    const std::string piece =
        "// begin inline asm\n{\n.reg .pred complete;\nwaitLoop:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%r1], %r2;\n"
        "@!complete bra.uni waitLoop;\n}\n// end inline asm\n";
    EXPECT_EQ(outline(piece),
              "start mbarrier.wait:ptx:14\n" + piece + "end mbarrier.wait:ptx:14\n");
}

TEST(AutoScopes, LoopOfACompilerWithThePredicateMadeAnInteger) {
    EXPECT_EQ(outline("$L1:\n// begin inline asm\n{\n.reg .pred p;\n"
                      "mbarrier.try_wait.shared.b64 p, [%r1], %rd1;\nselp.b32 %r2, 1, 0, p;\n}\n"
                      "// end inline asm\nand.b32 %r3, %r2, 1;\nsetp.eq.s32 %p1, %r3, 0;\n"
                      "nanosleep.u32 20;\n@%p1 bra $L1;\n"),
              "start mbarrier.wait:ptx:14\n$L1:\n// begin inline asm\n{\n.reg .pred p;\n"
              "mbarrier.try_wait.shared.b64 p, [%r1], %rd1;\nselp.b32 %r2, 1, 0, p;\n}\n"
              "// end inline asm\nand.b32 %r3, %r2, 1;\nsetp.eq.s32 %p1, %r3, 0;\n"
              "nanosleep.u32 20;\n@%p1 bra $L1;\nend mbarrier.wait:ptx:14\n");
}

TEST(AutoScopes, FirstTryOutsideOfItsLoop) {
    EXPECT_EQ(outline("mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@%p1 bra $DONE;\n$L1:\n"
                      "mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $L1;\n$DONE:\n"),
              "start mbarrier.try_wait:ptx:10\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
              "end mbarrier.try_wait:ptx:10\n@%p1 bra $DONE;\nstart mbarrier.wait:ptx:13\n$L1:\n"
              "mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $L1;\n"
              "end mbarrier.wait:ptx:13\n$DONE:\n");
}

TEST(AutoScopes, WaysInAndOutByBranchesHaveTheirMarkersUnderTheirGuards) {
    EXPECT_EQ(outline("@%p5 bra $L1;\nbra $JOIN;\n$L1:\n"
                      "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;\n@%p1 bra $JOIN;\n"
                      "bra $L1;\n$JOIN:\n"),
              "@%p5 start mbarrier.wait:ptx:13\n@%p5 bra $L1;\nbra $JOIN;\n$L1:\n"
              "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;\n@%p1 end mbarrier.wait:ptx:13\n"
              "@%p1 bra $JOIN;\nbra $L1;\n$JOIN:\n");
}

TEST(AutoScopes, LoopWithATimeoutHasTwoWaysOut) {
    EXPECT_EQ(outline("$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@%p1 bra $DONE;\n"
                      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 99;\n@%p2 bra $L1;\n"
                      "st.shared.u32 [%r4], 1;\n$DONE:\n"),
              "start mbarrier.wait:ptx:11\n$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
              "@%p1 end mbarrier.wait:ptx:11\n@%p1 bra $DONE;\nadd.u32 %r3, %r3, 1;\n"
              "setp.lt.u32 %p2, %r3, 99;\n@%p2 bra $L1;\nend mbarrier.wait:ptx:11\n"
              "st.shared.u32 [%r4], 1;\n$DONE:\n");
}

TEST(AutoScopes, LoopThatWaitsForManyIsNoWaitItself) {
    EXPECT_EQ(outline("$OUTER:\n$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
                      "@!%p1 bra $L1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 99;\n"
                      "@%p2 bra $OUTER;\n"),
              "$OUTER:\nstart mbarrier.wait:ptx:12\n$L1:\n"
              "mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $L1;\n"
              "end mbarrier.wait:ptx:12\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 99;\n"
              "@%p2 bra $OUTER;\n");
}

TEST(AutoScopes, LoopWithTheHeaderOfTheLoopAroundIt) {
    EXPECT_EQ(outline("$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $L1;\n"
                      "st.shared.u32 [%r4], 1;\n@%p2 bra $L1;\n"),
              "start mbarrier.wait:ptx:11\n$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
              "@!%p1 bra $L1;\nend mbarrier.wait:ptx:11\nst.shared.u32 [%r4], 1;\n"
              "@%p2 start mbarrier.wait:ptx:11\n@%p2 bra $L1;\n");
    EXPECT_EQ(outline("$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $L1;\n"
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 9;\n@%p2 bra $L1;\n"),
              "start mbarrier.wait:ptx:11\n$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
              "@!%p1 bra $L1;\nend mbarrier.wait:ptx:11\nadd.u32 %r4, %r4, 1;\n"
              "setp.lt.u32 %p2, %r4, 9;\n@%p2 start mbarrier.wait:ptx:11\n@%p2 bra $L1;\n");
}

TEST(AutoScopes, LoopThatWorksIsNoWait) {
    const std::string work =
        "$L1:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
        "ld.shared.f32 %f1, [%r2];\nadd.f32 %f2, %f2, %f1;\n@!%p1 bra $L1;\n";
    const AutoMarked marked = mark(kernel(work));
    ASSERT_EQ(marked.finds.size(), 1u);
    EXPECT_EQ(marked.finds[0].scope, "mbarrier.try_wait:ptx:11");
}

// Runs

TEST(AutoScopes, RunOfWgmmaIsFromFenceToCommit) {
    EXPECT_EQ(outline("wgmma.fence.sync.aligned;\nadd.u32 %r1, %r1, 1;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"),
              "start wgmma.issue:ptx:12\nwgmma.fence.sync.aligned;\nadd.u32 %r1, %r1, 1;\n"
              "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2;\n"
              "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2;\n"
              "wgmma.commit_group.sync.aligned;\nend wgmma.issue:ptx:12\n"
              "start wgmma.wait:ptx:15\nwgmma.wait_group.sync.aligned 0;\nend wgmma.wait:ptx:15\n");
}

TEST(AutoScopes, EachCommitEndsARun) {
    const std::string one =
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2;\n"
        "wgmma.commit_group.sync.aligned;\n";
    EXPECT_EQ(outline(one + one), "start wgmma.issue:ptx:10\n" + one +
                                      "end wgmma.issue:ptx:10\nstart wgmma.issue:ptx:12\n" + one +
                                      "end wgmma.issue:ptx:12\n");
}

constexpr const char* kMma =
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f1}, {%f2}, {%f3};\n";

TEST(AutoScopes, RunOfMmaTakesInWhatIsNoOtherPhase) {
    const std::string mma = kMma;
    EXPECT_EQ(outline(mma + "ld.shared.f32 %f4, [%r1];\n" + mma + "add.f32 %f5, %f5, %f1;\n"),
              "start mma:ptx:10\n" + mma + "ld.shared.f32 %f4, [%r1];\n" + mma +
                  "end mma:ptx:10\nadd.f32 %f5, %f5, %f1;\n");
}

TEST(AutoScopes, LoadsOfFragmentsBelongToTheRunTheyFeed) {
    const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];\n";
    const std::string run = load + "add.u32 %r3, %r3, 1;\n" + load + kMma + load + kMma;
    EXPECT_EQ(outline("bar.sync 0;\n" + run + load, {"mma"}),
              "bar.sync 0;\nstart mma:ptx:14\n" + run + "end mma:ptx:14\n" + load);
    EXPECT_TRUE(mark(kernel(load + load)).finds.empty());
    EXPECT_EQ(outline("@%p1 " + load + kMma),
              "@%p1 " + load + "start mma:ptx:11\n" + kMma + "end mma:ptx:11\n");
}

TEST(AutoScopes, LoadOfFragmentsDoesNotPartARunOfWgmma) {
    const std::string wgmma =
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1}, %rd1, %rd2;\n";
    const std::string run = "wgmma.fence.sync.aligned;\n" + wgmma +
                            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];\n" + wgmma +
                            "wgmma.commit_group.sync.aligned;\n";
    EXPECT_EQ(outline(run), "start wgmma.issue:ptx:11\n" + run + "end wgmma.issue:ptx:11\n");
}

TEST(AutoScopes, OtherPhasesBlocksAndMarkersEndARun) {
    const std::string mma = kMma;
    const std::string first = "start mma:ptx:10\n" + mma + "end mma:ptx:10\n";
    EXPECT_EQ(outline(mma + "bar.sync 0;\n" + mma, {"mma"}),
              first + "bar.sync 0;\nstart mma:ptx:12\n" + mma + "end mma:ptx:12\n");
    EXPECT_EQ(outline(mma + "$L1:\n" + mma + "@%p1 bra $L1;\n"),
              first + "$L1:\nstart mma:ptx:12\n" + mma + "end mma:ptx:12\n@%p1 bra $L1;\n");
    EXPECT_EQ(outline(mma + "// gwatch:mark 7\nmov.u32 %r1, 0;\n" + mma),
              first + "mov.u32 %r1, 0;\nstart mma:ptx:13\n" + mma + "end mma:ptx:13\n");
}

TEST(AutoScopes, RunUnderOneGuardHasItsMarkersUnderIt) {
    const std::string run =
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p4;\n"
        "add.u32 %r3, %r3, 2;\n"
        "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p4;\n"
        "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd3];\n";
    EXPECT_EQ(outline(run),
              "@%p1 start tcgen05.issue:ptx:10\n" + run + "@%p1 end tcgen05.issue:ptx:10\n");
}

TEST(AutoScopes, AnotherGuardOrAnotherValueOfItEndsARun) {
    const std::string mma = kMma;
    EXPECT_EQ(outline("@%p1 " + mma + "@%p2 " + mma),
              "@%p1 start mma:ptx:10\n@%p1 " + mma +
                  "@%p1 end mma:ptx:10\n@%p2 start mma:ptx:11\n@%p2 " + mma +
                  "@%p2 end mma:ptx:11\n");
    EXPECT_EQ(outline("@%p1 " + mma + "setp.eq.u32 %p1, %r1, 0;\n@%p1 " + mma),
              "@%p1 start mma:ptx:10\n@%p1 " + mma +
                  "@%p1 end mma:ptx:10\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 start mma:ptx:12\n@%p1 " +
                  mma + "@%p1 end mma:ptx:12\n");
}

TEST(AutoScopes, LoadsAndStoresByTmaAreRunsOfTheirOwn) {
    const std::string load =
        "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], "
        "[%rd1, {%r2}], [%r3];\n";
    const std::string store =
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {%r2}], [%r3];\n";
    EXPECT_EQ(outline(load + load + store + "cp.async.bulk.commit_group;\n"),
              "start tma.load:ptx:10\n" + load + load + "end tma.load:ptx:10\n" +
                  "start tma.store:ptx:12\n" + store + "end tma.store:ptx:12\n" +
                  "cp.async.bulk.commit_group;\n");
}

// Text and names

TEST(AutoScopes, LinesThatOthersShareAreSplit) {
    EXPECT_EQ(outline("{ bar.sync 0; } add.u32 %r1, %r1, 1; bar.sync 1;  // two\n"),
              "{ \nstart barrier.wait:ptx:10\nbar.sync 0;\nend barrier.wait:ptx:10 } add.u32 %r1, "
              "%r1, 1; \nstart barrier.wait:ptx:10\nbar.sync 1;  // two\n"
              "end barrier.wait:ptx:10\n");
}

TEST(AutoScopes, CarrierHasANameThatIsFree) {
    const std::string text = kernel(
        "\t.reg .b32 %gwatch_auto<3>, %gwatch_auto_;\n\tmov.u32 %gwatch_auto2, 0;\n\tbar.sync "
        "0;\n");
    const AutoMarked marked = mark(text);
    EXPECT_NE(marked.ptx.find("{\n\t.reg .b32 %gwatch_auto__;\n"), std::string::npos);
    EXPECT_NE(marked.ptx.find("\tmov.u32 %gwatch_auto__, 0;\n"), std::string::npos);
}

std::string with_files(const std::string& body) {
    return std::string(kHeader) +
           ".file 1 \"/home/a b/gemm.py\"\n.file 2 \"/usr/cuda/std/wait.h\"\n" +
           ".file 3 \"/other/gemm.py\"\n.visible .entry k()\n{\n\t.reg .pred %p<9>;\n" +
           "\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n" + body + "\tret;\n}\n";
}

std::vector<std::string> names(const std::string& text) {
    std::vector<std::string> found;
    for (const AutoFind& find : mark(text).finds) found.push_back(find.scope);
    return found;
}

using Names = std::vector<std::string>;

TEST(AutoScopes, AreNamedByTheirSourceLine) {
    EXPECT_EQ(names(with_files("\t.loc 1 12 3\n\tbar.sync 0;\n\t.loc 1 13 3\n\tbar.sync 0;\n")),
              (Names{"barrier.wait:gemm.py:12", "barrier.wait:gemm.py:13"}));
}

TEST(AutoScopes, FilesOfOneNameAreToldByTheirPaths) {
    const std::string text =
        with_files("\t.loc 1 12 3\n\tbar.sync 0;\n\t.loc 3 12 3\n\tbar.sync 0;\n");
    EXPECT_EQ(names(text),
              (Names{"barrier.wait:/home/a b/gemm.py:12", "barrier.wait:/other/gemm.py:12"}));
    EXPECT_NE(mark(text).ptx.find("// gwatch:start barrier.wait:/home/a%20b/gemm.py:12\n"),
              std::string::npos);
}

/// The scope's source line as the instrumenter has it must be that of the name.
ptx::SourceLine line_in_table(const std::string& text) {
    const auto module = ptx::parse(mark(text).ptx, "<marked>");
    const auto made = instrument(*module, "k");
    EXPECT_EQ(made->sites.scopes.size(), 1u);
    return made->sites.scopes[0].source;
}

TEST(AutoScopes, LineInsideInlineAssemblyIsThatOfThePiece) {
    const std::string text = with_files(
        "\t.loc 1 36 16\n\t// begin inline asm\n\t{\n\t.reg .pred c;\n\t.loc 1 39 16\n\tL:\n"
        "\t.loc 1 40 16\n\tmbarrier.try_wait.parity.shared.b64 c, [%r1], %r2;\n\t@!c bra L;\n\t}\n"
        "\t// end inline asm\n");
    EXPECT_EQ(names(text), (Names{"mbarrier.wait:gemm.py:36"}));
    EXPECT_EQ(line_in_table(text).line, 36u);
}

TEST(AutoScopes, LineOfAWrapperIsThatOfItsCaller) {
    const std::string text = with_files(
        "\t.loc 1 20 1\n\tadd.u32 %r1, %r1, 1;\n"
        "\t.loc 2 99 1, function_name $L__info_string0, inlined_at 1 20 1\n\tbar.sync 0;\n");
    EXPECT_EQ(names(text), (Names{"barrier.wait:gemm.py:20"}));
    EXPECT_EQ(line_in_table(text).file, "/home/a b/gemm.py");
    EXPECT_EQ(line_in_table(text).line, 20u);
    EXPECT_NE(mark(text).ptx.find("\tmov.u32 %gwatch_auto, 0;\n\t.loc 2 99 1, function_name "
                                  "$L__info_string0, inlined_at 1 20 1\n\tbar.sync 0;\n"),
              std::string::npos);
}

TEST(AutoScopes, LineOfALoopIsThatOfItsWait) {
    const std::string text = with_files(
        "\t.loc 1 7 1\n\tadd.u32 %r1, %r1, 1;\n$L1:\n\t.loc 1 8 1\n"
        "\tmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n"
        "\t@!%p1 bra $L1;\n");
    EXPECT_EQ(names(text), (Names{"mbarrier.wait:gemm.py:8"}));
    EXPECT_EQ(line_in_table(text).line, 8u);
}

TEST(AutoScopes, FunctionsThatTheKernelMayReachAreMarked) {
    const std::string text = std::string(kHeader) +
                             ".func other()\n{\n\tbar.sync 1;\n\tret;\n}\n"
                             ".func helper()\n{\n\tbar.sync 2;\n\tret;\n}\n"
                             ".visible .entry k()\n{\n\tcall.uni helper;\n\tret;\n}\n";
    const AutoMarked marked = mark(text);
    ASSERT_EQ(marked.finds.size(), 1u);
    EXPECT_EQ(marked.finds[0].function, "helper");
    EXPECT_EQ(marked.finds[0].ptx_line, 11u);
}

TEST(AutoScopes, FindsSayWhereTheyAre) {
    const AutoMarked marked = mark(kernel("bar.sync 0;\n" + std::string(kMma) + kMma));
    ASSERT_EQ(marked.finds.size(), 2u);
    EXPECT_EQ(name_of(marked.finds[0].kind), "barrier");
    EXPECT_EQ(marked.finds[0].ptx_line, 10u);
    EXPECT_EQ(marked.finds[0].end_ptx_line, 10u);
    EXPECT_EQ(name_of(marked.finds[1].kind), "mma");
    EXPECT_EQ(marked.finds[1].ptx_line, 11u);
    EXPECT_EQ(marked.finds[1].end_ptx_line, 12u);
}

// What the instrumenter makes of them

TEST(AutoScopes, WaitsOfWholeWarpsAreProven) {
    const std::string text = kernel(
        "bar.sync 0;\n// begin inline asm\n{\n.reg .pred c;\nL:\n"
        "mbarrier.try_wait.parity.shared.b64 c, [%r1], 0;\n@!c bra L;\n}\n// end inline asm\n"
        "cp.async.wait_all;\n");
    EXPECT_EQ(placed(text, Placement::kProven), 6u);
}

TEST(AutoScopes, MarkersDoNotChangeWhatIsProvenOfTheUsersOwn) {
    const std::string own = "// gwatch:start 1\nmov.u32 %r1, 0;\n";
    const std::string wait = "L:\nmbarrier.test_wait.shared.b64 %p1, [%r2], %rd1;\n@!%p1 bra L;\n";
    const std::string end = "// gwatch:end 1\nmov.u32 %r1, 0;\n";
    EXPECT_EQ(placed(kernel(own + wait + end), Placement::kProven), 4u);
}

TEST(AutoScopes, NeighboursShareARecord) {
    const auto module =
        ptx::parse(mark(kernel("cp.async.wait_all;\nbar.sync 0;\n")).ptx, "<marked>");
    const auto made = instrument(*module, "k");
    ASSERT_EQ(made->markers.size(), 4u);
    EXPECT_EQ(made->markers[1].site, made->markers[2].site);
}

}  // namespace
}  // namespace gwatch::instrument
