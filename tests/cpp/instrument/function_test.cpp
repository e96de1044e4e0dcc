// Records in device functions, and schedules that tear warps apart.
#include <gtest/gtest.h>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

const char kHelper[] =
    ".func helper\n{\n\t.reg .b32 %r<8>;\n\t.reg .pred %p<2>;\n\tmov.u32 %r1, %tid.x;\n"
    "\t// gwatch:start in\n\tmov.u32 %r7, 0;\n"
    "\tsetp.gt.u32 %p1, %r1, 20;\n\t@%p1 bra OUT;\n\tadd.u32 %r1, %r1, 1;\nOUT:\n"
    "\t// gwatch:end in\n\tmov.u32 %r7, 0;\n\tret;\n}\n";

TEST(FunctionRecords, TheirLaneCursorsStandInMemory) {
    std::string body =
        "\tmov.u32 %r2, 0;\nLOOP:\n\tcall helper;\n\tadd.u32 %r2, %r2, 1;\n"
        "\tsetp.lt.u32 %p1, %r2, 70;\n\t@%p1 bra LOOP;\n\tret;\n";
    const TracedKernel kernel(kernel_text(body, kHelper));
    Simulation simulation;
    simulation.grid = {2, 1, 1};
    simulation.block = {64, 1, 1};
    const Traced traced = kernel.run({}, simulation);
    ASSERT_EQ(traced.failure, "");
    for (std::uint32_t region = 0; region < 4; ++region)
        EXPECT_EQ(traced.of_region(region).size(), 141u) << region;
    EXPECT_EQ(traced.control.chunks_taken, 4u * 3);
}

TEST(FunctionRecords, PartsOfAWarpCall) {
    const std::string body =
        "\tand.b32 %r2, %r1, 1;\n\tsetp.eq.u32 %p1, %r2, 0;\n\t@%p1 bra EVEN;\n"
        "\tcall.uni helper;\n\tbra JOIN;\nEVEN:\n" +
        marker("mark even") + "\tcall.uni helper;\nJOIN:\n\tret;\n";
    const TracedKernel kernel(kernel_text(body, kHelper));
    const Traced traced = kernel.run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.threads_at(1), 32u);
    EXPECT_EQ(traced.threads_at(2), 32u);
    EXPECT_EQ(traced.threads_at(3), 16u);
    EXPECT_EQ(traced.threads_at(4), 32u);
}

TEST(FunctionRecords, AWarpThatIsNotSelectedWritesNothing) {
    const TracedKernel kernel(kernel_text("\tcall helper;\n\tret;\n", kHelper));
    Memory layout;
    layout.warp_mask = 0b10;
    layout.region_count = 1;
    layout.block_stride = 2;
    Simulation simulation;
    simulation.grid = {4, 1, 1};
    simulation.block = {96, 1, 1};
    const Traced traced = kernel.run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 3u);
}

TEST(FunctionRecords, AnExitInAFunctionIsAnExit) {
    const std::string leaver =
        ".func leave\n{\n\t.reg .b32 %r<2>;\n\t.reg .pred %p<2>;\n\tmov.u32 %r1, %tid.x;\n"
        "\tsetp.lt.u32 %p1, %r1, 7;\n\t@%p1 exit;\n\tret;\n}\n";
    const TracedKernel kernel(
        kernel_text("\tcall leave;\n" + marker("mark after") + "\tret;\n", leaver));
    const Traced traced = kernel.run({}, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.threads_at(1), 7u);
    EXPECT_EQ(traced.threads_at(2), 25u);
    EXPECT_EQ(traced.threads_at(3), 25u);
}

/// No code of the entry's runs behind the last record, to tell what a register has counted.
TEST(FunctionRecords, WhatAWarpDropsThatLeavesInAFunctionIsCounted) {
    const std::string leaver = ".func leave\n{\n\texit;\n}\n";
    std::string body;
    for (int i = 0; i < 30; ++i) body += marker("mark a") + "\tadd.u32 %r2, %r1, 1;\n";
    const TracedKernel kernel(kernel_text(body + "\tcall leave;\n\tret;\n", leaver), "k",
                              std::nullopt);
    Memory layout;
    layout.region_slots = 16;
    layout.pool_chunks = 0;
    Simulation simulation;
    simulation.grid = {2, 1, 1};
    const Traced traced = kernel.run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.of_region(0).size(), 5u);
    EXPECT_EQ(traced.control.dropped_events, 2u * 25);
    EXPECT_EQ(traced.control.chunks_taken, 2u);
}

TEST(FunctionRecords, AFullPoolIsCounted) {
    const TracedKernel kernel(kernel_text("\tcall helper;\n\tcall helper;\n\tret;\n", kHelper));
    Memory layout;
    layout.pool_chunks = 0;
    const Traced traced = kernel.run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.control.dropped_records, 4u);
    EXPECT_EQ(traced.control.dropped_events, 4u);
    EXPECT_EQ(traced.events.size(), 1u);
}

/// Whatever groups the lanes of a warp go in: each thread passes each marker as often as its code
/// says.
class AnySchedule : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AnySchedule, EveryThreadIsRecordedOnce) {
    const std::string body =
        "\tmov.u32 %r2, 0;\n\tand.b32 %r3, %r1, 3;\n\tadd.u32 %r3, %r3, 5;\nLOOP:\n" +
        marker("start turn") +
        "\tand.b32 %r4, %r2, %r1;\n\tand.b32 %r4, %r4, 1;\n\tsetp.eq.u32 %p2, %r4, 0;\n\t@%p2 bra "
        "SKIP;\n" +
        marker("mark odd") + "\tcall helper;\nSKIP:\n" + marker("end turn") + marker("start next") +
        "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, %r3;\n\t@%p1 bra LOOP;\n"
        "\tsetp.eq.u32 %p3, %r3, 6;\n\t@%p3 ret;\n" +
        marker("mark last") + "\tret;\n";
    static const TracedKernel kernel(kernel_text(body, kHelper));
    Memory layout;
    layout.region_slots = 16;
    layout.pool_chunks = 4000;
    layout.warp_mask = 0b111;
    Simulation simulation;
    simulation.grid = {2, 1, 1};
    simulation.block = {72, 1, 1};
    simulation.schedule = Schedule::kRandom;
    simulation.seed = GetParam();
    const Traced traced = kernel.run(layout, simulation);
    ASSERT_EQ(traced.failure, "");
    std::uint64_t turns = 0, odd = 0, last = 0;
    for (std::uint32_t thread = 0; thread < 72; ++thread) {
        const std::uint32_t count = (thread & 3) + 5;
        turns += 2 * count;
        odd += thread & 1 ? 2 * (count / 2) : 0;
        last += count != 6 ? 2 : 0;
    }
    EXPECT_EQ(traced.threads_at(1), odd);
    EXPECT_EQ(traced.threads_at(2), odd);
    EXPECT_EQ(traced.threads_at(3), turns);
    EXPECT_EQ(traced.threads_at(4), odd);
    EXPECT_EQ(traced.threads_at(5), turns);
    EXPECT_EQ(traced.threads_at(6), 2 * 72 - last);
    EXPECT_EQ(traced.threads_at(7), last);
    EXPECT_EQ(traced.threads_at(8), last);
    EXPECT_EQ(traced.control.dropped_records, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnySchedule, ::testing::Range(0u, 16u));

}  // namespace
}  // namespace gwatch::testing
