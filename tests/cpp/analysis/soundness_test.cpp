#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "analysis/uniformity.h"
#include "ptx/module.h"
#include "random_program.h"
#include "warp_interpreter.h"

namespace gwatch::analysis {
namespace {

using Block = std::array<std::uint32_t, 3>;

const std::vector<Block> kBlocks = {{128, 1, 1}, {32, 1, 1}, {20, 1, 1}, {64, 2, 1}, {16, 4, 1},
                                    {8, 8, 2},   {48, 2, 1}, {4, 3, 8},  {2, 4, 8},  {96, 1, 2}};

struct Tally {
    std::uint32_t runs = 0;     // that ended as programs should
    std::uint32_t proven = 0;   // statements proven, over all runs
    std::uint32_t alike = 0;    // statements that all lanes passed equally often
    std::uint32_t unalike = 0;  // the others
};

bool is_alike(const WarpRun& run, std::uint32_t statement) {
    for (const auto& counts : run.counts) {
        if (counts[statement] != run.counts[0][statement]) return false;
    }
    return true;
}

void check_run(const ptx::Module& module, const Uniformity& uniformity, const WarpRun& run,
               Tally& tally) {
    ++tally.runs;
    for (std::uint32_t i = 0; i < module.statements().size(); ++i) {
        if (module.statements()[i].kind != ptx::StatementKind::kInstruction) continue;
        const bool alike = is_alike(run, i);
        const bool proven = uniformity.proven(i);
        ++(alike ? tally.alike : tally.unalike);
        tally.proven += proven ? 1 : 0;
        ASSERT_TRUE(alike || !proven)
            << "line " << module.position(module.begin_of(module.statements()[i])).line
            << " is said to be proven in\n"
            << module.text();
    }
}

void check_program(Shape shape, std::uint32_t seed, Tally& tally) {
    const auto module = ptx::parse(make_random_program(shape, seed));
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    const Block block = kBlocks[seed % kBlocks.size()];
    const bool knows_shape = seed % 3 != 0;
    const LaunchShape known{knows_shape ? block : Block{}};
    const Uniformity uniformity = analyze(*module, module->functions()[0], known);
    const std::uint32_t warps = (block[0] * block[1] * block[2] + 31) / 32;
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
        const WarpRun run = run_warp(*module, {block, warp, seed + warp * 977ULL});
        ASSERT_NE(run.ending, Ending::kUnknown) << module->text();
        if (run.ending == Ending::kDone) check_run(*module, uniformity, run, tally);
        if (testing::Test::HasFatalFailure()) return;
    }
}

Tally check_programs(Shape shape, std::uint32_t count) {
    Tally tally;
    for (std::uint32_t seed = 0; seed < count && !testing::Test::HasFatalFailure(); ++seed) {
        check_program(shape, seed, tally);
    }
    return tally;
}

// Enough of both answers, or the test would prove nothing.
void expect_both_answers(const Tally& tally, std::uint32_t runs, std::uint32_t unalike) {
    EXPECT_GT(tally.runs, runs);
    EXPECT_GT(tally.unalike, unalike);
    EXPECT_GT(tally.proven * 3, tally.alike);
    testing::Test::RecordProperty("runs", static_cast<int>(tally.runs));
    testing::Test::RecordProperty("proven", static_cast<int>(tally.proven));
    testing::Test::RecordProperty("alike", static_cast<int>(tally.alike));
    testing::Test::RecordProperty("unalike", static_cast<int>(tally.unalike));
}

TEST(Soundness, OfStructuredPrograms) {
    expect_both_answers(check_programs(Shape::kStructured, 1500), 4000, 5000);
}

TEST(Soundness, OfTangledPrograms) {
    expect_both_answers(check_programs(Shape::kTangled, 1500), 1000, 500);
}

}  // namespace
}  // namespace gwatch::analysis
