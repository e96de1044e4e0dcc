// Which proven markers share a record, and where its slots stand in the memory.
#include "instrument/series.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using instrument::Site;

constexpr char kWork[] = "\tadd.u32 %r2, %r1, 1;\n";

std::string two_marks(const std::string& between) {
    return marker("mark 1") + between + marker("mark 2") + "\tret;\n";
}

std::string marks(std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) text += marker("mark " + std::to_string(i)) + kWork;
    return text;
}

std::vector<Site> sites_of(const std::string& body, const std::string& before = "") {
    const TracedKernel kernel(kernel_text(body, before), "k", std::nullopt);
    EXPECT_EQ(kernel.error(), "");
    std::vector<Site> sites;
    for (const Site& site : kernel.sites().sites) {
        if (site.function == "k") sites.push_back(site);
    }
    return sites;
}

/// Whether two marks with this between them share a record.
bool are_joined(const std::string& between, const std::string& before = "") {
    return sites_of(two_marks(between), before)[0].series == 2;
}

TEST(Series, AreOfMarkersThatFollowEachOther) {
    EXPECT_TRUE(are_joined(kWork));
    EXPECT_TRUE(are_joined("$L__tmp7:\n" + std::string(kWork)));
    EXPECT_TRUE(are_joined("\tbar.sync 0;\n"));
    EXPECT_TRUE(are_joined("\t@%p1 mov.u32 %r2, 5;\n"));
}

TEST(Series, EndWhereAWarpMayGoAnotherWay) {
    const std::string condition = "\tld.param.u64 %rd1, [out];\n\tsetp.eq.u64 %p1, %rd1, 0;\n";
    EXPECT_FALSE(are_joined(condition + "\t@%p1 ret;\n"));
    EXPECT_FALSE(are_joined(condition + "\t@%p1 bra X;\n" + marker("mark 3") + "X:\n"));
    EXPECT_FALSE(sites_of(condition + "\t@%p1 bra X;\n" + marker("mark 1") + kWork + "X:\n" +
                          kWork + marker("mark 2") + "\tret;\n")[0]
                     .series == 2);
    // The first turn comes from the first mark, the others from the second.
    EXPECT_FALSE(sites_of(marker("mark 1") + condition + "LOOP:\n" + marker("mark 2") +
                          "\t@%p1 bra LOOP;\n\tret;\n")[0]
                     .series == 2);
}

TEST(Series, HaveNoGuardedMarkerAndNoExit) {
    const auto sites = sites_of(marker("mark 1") + kWork + "\t// gwatch:mark 2\n" +
                                "\t@%p1 mov.u32 %r7, 0;\n" + kWork + marker("mark 3") + "\tret;\n");
    for (const Site& site : sites) EXPECT_EQ(site.series, 1);
}

TEST(Series, KnowWhereAWarpMayWait) {
    EXPECT_TRUE(sites_of(two_marks("\tbar.sync 0;\n"))[1].waits_before);
    EXPECT_TRUE(sites_of(two_marks("\tbarrier.cluster.wait.aligned;\n"))[1].waits_before);
    EXPECT_TRUE(sites_of(two_marks("\tsetmaxnreg.inc.sync.aligned.u32 240;\n"))[1].waits_before);
    EXPECT_TRUE(
        sites_of(two_marks("\ttcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 "
                           "[%r2], 512;\n"))[1]
            .waits_before);
    EXPECT_FALSE(sites_of(two_marks("\tsetmaxnreg.dec.sync.aligned.u32 24;\n"))[1].waits_before);
    EXPECT_FALSE(
        sites_of(two_marks("\ttcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 512;\n"))[1]
            .waits_before);
    EXPECT_FALSE(sites_of(two_marks(kWork))[1].waits_before);
    EXPECT_FALSE(sites_of("\tbar.sync 0;\n" + two_marks(kWork))[0].waits_before);
}

/// Every number of marks in a row: series of eight, and the rest.
TEST(Series, AreOfAtMostEightSites) {
    for (std::uint32_t count = 1; count <= 20; ++count) {
        const auto sites = sites_of(marks(count) + "\tret;\n");
        ASSERT_EQ(sites.size(), count + 1);
        for (std::uint32_t i = 0; i < count; ++i) {
            EXPECT_EQ(sites[i].place, i % 8) << count;
            EXPECT_EQ(sites[i].series, std::min(8u, count - i / 8 * 8)) << count;
        }
        EXPECT_EQ(sites[count].series, 1) << "the exit";
    }
}

/// The reader of the memory checks each slot; here: nothing is lost, and the order is right.
TEST(Series, OfEveryLengthStandInTheRegion) {
    for (std::uint32_t count = 1; count <= 20; ++count) {
        const TracedKernel kernel(kernel_text(marks(count) + "\tret;\n"), "k", std::nullopt);
        Simulation simulation;
        simulation.first_clock = 0xffff'ff00;  // the low word wraps among them
        const Traced traced = kernel.run({}, simulation);
        ASSERT_EQ(traced.failure, "") << count;
        ASSERT_EQ(traced.events.size(), count + 1) << count;
        EXPECT_EQ(traced.cold_count(), 0u);
        for (std::uint32_t i = 0; i <= count; ++i) {
            EXPECT_EQ(traced.events[i].site, i + 1) << count;
            if (i > 0) {
                EXPECT_GT(traced.events[i].clock, traced.events[i - 1].clock) << count;
            }
        }
    }
}

/// Chosen lanes, halves and quarters of a warp, in any order: none of their records is lost.
TEST(Parted, MarkersLoseNothingInAnyOrderOfLanes) {
    const std::string body =
        "\tmov.u32 %r5, %laneid;\n\tmov.u32 %r2, 0;\nLOOP:\n"
        "\tsetp.eq.u32 %p1, %r5, 3;\n\t@!%p1 bra A;\n" +
        marker("mark one") + "A:\n\tsetp.lt.u32 %p0, %r5, 16;\n\t@%p0 bra B;\n" +
        marker("mark upper") + "\tbra C;\nB:\n" + marker("mark lower") +
        "C:\n\tsetp.ge.u32 %p3, %r5, 24;\n\t@!%p3 bra D;\n" + marker("mark quarter") +
        "D:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p2, %r2, 10;\n\t@%p2 bra LOOP;\n\tret;\n";
    const TracedKernel kernel(kernel_text(body), "k", std::nullopt);
    for (std::size_t site = 0; site < 4; ++site)
        ASSERT_EQ(kernel.sites().sites[site].placement, instrument::Placement::kParted) << site;
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        Memory layout;
        layout.region_slots = 16;
        layout.pool_chunks = 512;
        Simulation simulation;
        simulation.block = {64, 1, 1};
        simulation.seed = seed;
        simulation.schedule = seed % 3 == 0   ? Schedule::kLowestFirst
                              : seed % 3 == 1 ? Schedule::kGroups
                                              : Schedule::kRandom;
        const Traced traced = kernel.run(layout, simulation);
        ASSERT_EQ(traced.failure, "") << seed;
        EXPECT_EQ(traced.control.dropped_records, 0u) << seed;
        EXPECT_EQ(traced.threads_at(1), 2u * 10) << seed;
        EXPECT_EQ(traced.threads_at(2), 2u * 10 * 16) << seed;
        EXPECT_EQ(traced.threads_at(3), 2u * 10 * 16) << seed;
        EXPECT_EQ(traced.threads_at(4), 2u * 10 * 8) << seed;
        EXPECT_EQ(traced.threads_at(5), 64u) << seed;
    }
}

}  // namespace
}  // namespace gwatch::testing
