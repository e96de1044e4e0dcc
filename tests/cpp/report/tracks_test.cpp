#include "report/tracks.h"

#include <gtest/gtest.h>

#include <random>

#include "make_run.h"

namespace gwatch::report {
namespace {

using testing::add_lane;
using testing::make_run;

std::vector<std::uint32_t> tracks_of(const trace::Run& run, std::uint32_t* count = nullptr) {
    std::vector<std::uint32_t> tracks;
    const std::uint32_t number = lay_out_slices(run, run.lanes.at(0), &tracks);
    if (count != nullptr) *count = number;
    return tracks;
}

TEST(Tracks, NestedSlicesShareATrack) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{0, 100, 0}, {0, 50, 1, 1}, {50, 100, 2, 1}, {100, 100, 1}});
    EXPECT_EQ(tracks_of(run), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(Tracks, OverlapGoesBelow) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{0, 50, 0}, {10, 60, 1}, {20, 70, 2}, {55, 58, 0}, {65, 90, 1}});
    std::uint32_t count = 0;
    EXPECT_EQ(tracks_of(run, &count), (std::vector<std::uint32_t>{0, 1, 2, 0, 0}));
    EXPECT_EQ(count, 3u);
}

TEST(Tracks, ThreadsOutsideDoNotNest) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{0, 50, 0, 0, 0x0f}, {10, 20, 1, 0, 0xf0}, {10, 20, 1, 1, 0x03}});
    EXPECT_EQ(tracks_of(run), (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(Tracks, LaneWithoutSlicesHasOneTrack) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {});
    std::uint32_t count = 0;
    EXPECT_TRUE(tracks_of(run, &count).empty());
    EXPECT_EQ(count, 1u);
}

/// Any two slices of one track are apart or nested, whatever the slices are.
TEST(Tracks, AnySlicesAreApartOrNested) {
    std::mt19937 random(20261130);
    for (int round = 0; round < 200; ++round) {
        trace::Run run = make_run();
        std::vector<testing::SliceSpec> slices;
        std::int64_t start = 0;
        for (int i = 0; i < 60; ++i) {
            start += random() % 3;
            slices.push_back({start, start + static_cast<std::int64_t>(random() % 12),
                              static_cast<std::uint32_t>(random() % 3), 0,
                              static_cast<std::uint32_t>(1 + random() % 15)});
        }
        add_lane(run, 0, 0, 0, 1000, slices);
        const std::vector<std::uint32_t> tracks = tracks_of(run);
        for (std::size_t outer = 0; outer < slices.size(); ++outer) {
            for (std::size_t inner = outer + 1; inner < slices.size(); ++inner) {
                if (tracks[outer] != tracks[inner]) continue;
                const bool apart = slices[inner].start_ns >= slices[outer].end_ns;
                const bool nested = slices[inner].end_ns <= slices[outer].end_ns &&
                                    (slices[inner].mask & ~slices[outer].mask) == 0;
                EXPECT_TRUE(apart || nested) << round << ": " << outer << ", " << inner;
            }
        }
    }
}

TEST(Groups, BlocksOfAnSmThatOverlapGetRows) {
    trace::Run run = make_run();
    run.launch.grid = {2, 2, 1};
    add_lane(run, 0, 0, 0, 50, {});
    add_lane(run, 0, 1, 5, 60, {});
    add_lane(run, 1, 0, 10, 40, {});
    add_lane(run, 2, 0, 40, 80, {});
    add_lane(run, 3, 0, 0, trace::kUnknownTime, {{10, 30, 0}});
    for (trace::Lane& lane : run.lanes) lane.sm = lane.block == 3 ? 1 : 0;
    const std::vector<Group> groups = group_lanes(run, GroupBy::kSm);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].name, "SM 0");
    EXPECT_EQ(groups[0].rows, 2u);
    ASSERT_EQ(groups[0].blocks.size(), 3u);
    EXPECT_EQ(groups[0].blocks[0].end_ns, 60);
    EXPECT_EQ(groups[0].blocks[1].row, 1u);
    EXPECT_EQ(groups[0].blocks[2].row, 1u);
    EXPECT_EQ(groups[1].blocks[0].end_ns, 30);
    EXPECT_EQ(group_lanes(run, GroupBy::kBlock)[3].name, "block 3 (1, 1, 0)");
}

TEST(RunName, SaysRunAndRankWhereTheyTell) {
    trace::Trace trace;
    trace.runs.resize(1);
    trace.runs[0].launch.kernel = "kernel";
    EXPECT_EQ(run_name(trace, 0), "kernel");
    trace.runs[0].launch.rank = 4;
    EXPECT_EQ(run_name(trace, 0), "rank 4: kernel");
    trace.runs.resize(2);
    EXPECT_EQ(process_prefix(trace, 0), "run 1, rank 4: ");
    EXPECT_EQ(process_prefix(trace, 1), "run 2: ");
}

}  // namespace
}  // namespace gwatch::report
