// Which sites the uniformity analysis places as proven, and that they record as others do.
#include <gtest/gtest.h>

#include "instrument/instrument.h"
#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using instrument::Instrumented;
using instrument::Options;
using instrument::Placement;

Instrumented instrumented(const std::string& text, const Options& options = {}) {
    const auto module = ptx::parse(text, "case");
    EXPECT_TRUE(module.ok());
    auto result = instrument::instrument(*module, "k", options);
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    return std::move(result).value();
}

/// A marker that only threads below `limit` pass.
std::string below(const std::string& limit) {
    return "\tmov.u32 %r2, %tid.x;\n\tsetp.ge.u32 %p1, %r2, " + limit + ";\n\t@%p1 bra END;\n" +
           marker("mark 1") + "END:\n\tret;\n";
}

TEST(Prove, AMarkerThatAllLanesPassIsProvenAndSoIsTheExit) {
    const Instrumented result = instrumented(kernel_text(marker("mark 1") + "\tret;\n"));
    EXPECT_EQ(result.markers[0].placement, Placement::kProven);
    EXPECT_EQ(result.markers[0].placement_reason, "");
    EXPECT_EQ(result.sites.sites[0].placement, Placement::kProven);
    EXPECT_EQ(result.sites.sites[1].placement, Placement::kProven);
}

TEST(Prove, AMarkerOfSomeLanesSaysWhichBranchPartsThem) {
    const Instrumented result = instrumented(kernel_text(below("5")));
    EXPECT_EQ(result.markers[0].placement, Placement::kUnknown);
    EXPECT_NE(result.markers[0].placement_reason.find("%tid.x"), std::string::npos)
        << result.markers[0].placement_reason;
    EXPECT_EQ(result.sites.sites[1].placement, Placement::kProven) << "lanes meet at the exit";
}

TEST(Prove, TheShapeOfTheBlockProvesBranchesBetweenWarps) {
    const std::string text = kernel_text(below("32"));
    Options one_row;
    one_row.shape.block = {128, 1, 1};
    Options two_rows;
    two_rows.shape.block = {48, 2, 1};
    EXPECT_EQ(instrumented(text, one_row).markers[0].placement, Placement::kProven);
    EXPECT_EQ(instrumented(text, two_rows).markers[0].placement, Placement::kUnknown);
}

TEST(Prove, AGuardedMarkerIsNotProven) {
    const std::string guarded =
        "\tsetp.lt.u32 %p1, %r1, 5;\n\t// gwatch:mark 1\n\t@%p1 mov.u32 %r2, 0;\n\tret;\n";
    EXPECT_EQ(instrumented(kernel_text(guarded)).markers[0].placement, Placement::kUnknown);
}

TEST(Prove, CanBeLeftOut) {
    Options options;
    options.prove = false;
    const Instrumented result = instrumented(kernel_text(marker("mark 1") + "\tret;\n"), options);
    EXPECT_EQ(result.markers[0].placement, Placement::kUnknown);
    EXPECT_NE(result.markers[0].placement_reason, "");
}

TEST(Prove, AFullRegionOfAProvenSiteGoesOnInThePoolOnceAWarp) {
    std::string marks;
    for (int i = 0; i < 30; ++i) marks += marker("mark 1") + "\tadd.u32 %r2, %r1, 1;\n";
    const TracedKernel kernel(kernel_text(marks + "\tret;\n"), "k", Placement::kProven);
    Memory layout;
    layout.region_slots = 16;
    const Traced traced = kernel.run(layout, {});
    ASSERT_EQ(traced.failure, "");
    EXPECT_EQ(traced.events.size(), 31u);
    EXPECT_EQ(traced.cold_count(), 31u - 12u);
    for (const Event& event : traced.events) EXPECT_EQ(event.mask, 0xffffffffu);
}

/// Lanes may pass a proven marker one after the other, and meet an unproven one in any groups.
TEST(Prove, ProvenAndUnprovenSitesOfOneWarpKeepEveryEventInAnyOrderOfLanes) {
    const std::string text =
        kernel_text("\tmov.u32 %r2, 0;\n\tsetp.ge.u32 %p1, %r1, 5;\nLOOP:\n" + marker("start 1") +
                    "\t@%p1 bra MEET;\n" + marker("mark 2") + "MEET:\n\tadd.u32 %r2, %r2, 1;\n" +
                    marker("end 1") + "\tsetp.lt.u32 %p2, %r2, 20;\n\t@%p2 bra LOOP;\n\tret;\n");
    const TracedKernel kernel(text, "k", std::nullopt);
    ASSERT_EQ(kernel.sites().sites[0].placement, Placement::kProven);
    ASSERT_EQ(kernel.sites().sites[1].placement, Placement::kUnknown);
    ASSERT_EQ(kernel.sites().sites[2].placement, Placement::kProven);
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        Memory layout;
        layout.region_slots = seed % 2 ? 16 : 64;
        layout.pool_chunks = 256;
        Simulation simulation;
        simulation.schedule = Schedule::kRandom;
        simulation.seed = seed;
        const Traced traced = kernel.run(layout, simulation);
        ASSERT_EQ(traced.failure, "") << seed;
        ASSERT_EQ(traced.control.dropped_records, 0u) << seed;
        EXPECT_EQ(traced.threads_at(1), 32u * 20) << seed;
        EXPECT_EQ(traced.threads_at(2), 5u * 20) << seed;
        EXPECT_EQ(traced.threads_at(3), 32u * 20) << seed;
        EXPECT_EQ(traced.threads_at(4), 32u) << seed;
    }
}

}  // namespace
}  // namespace gwatch::testing
