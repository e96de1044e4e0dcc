#include "views/segments.h"

#include <gtest/gtest.h>

#include "random_run.h"
#include "views/select.h"

namespace gwatch::views {

namespace {

using testing::add_lane;
using testing::make_run;
using testing::random_run;

/// Who is the innermost at each ns; segments that touch and show the same slice are one.
std::vector<std::int64_t> drawn(const std::vector<report::Segment>& segments) {
    std::vector<std::int64_t> row(400, -1);
    for (const report::Segment& segment : segments) {
        EXPECT_LT(segment.start_ns, segment.end_ns);
        for (std::int64_t ns = segment.start_ns; ns < segment.end_ns; ++ns) {
            EXPECT_EQ(row[ns], -1) << "two segments at " << ns << " ns";
            row[ns] = static_cast<std::int64_t>(segment.slice);
        }
    }
    return row;
}

void expect_as_flattened(const trace::Run& run) {
    Segmenter segmenter(run);
    for (const trace::Lane& lane : run.lanes) {
        std::vector<report::Segment> reference;
        report::flatten_lane(run, lane, reference);
        EXPECT_EQ(drawn(segmenter.segments_of(lane)), drawn(reference));
    }
}

TEST(Segments, OfNestedSlicesAreThoseOfTheReport) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) expect_as_flattened(random_run(seed, true));
}

TEST(Segments, OfCrossingSlicesAreThoseOfTheReport) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) expect_as_flattened(random_run(seed, false));
}

TEST(Segments, OfAnEmptyLaneAreNone) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {});
    EXPECT_TRUE(Segmenter(run).segments_of(run.lanes[0]).empty());
}

TEST(Select, KeepsTheSlicesAndInstantsOfChosenWarps) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{1, 2, 0}});
    add_lane(run, 0, 1, 0, 100, {{3, 5, 1}, {6, 7, 2, 3, 9}});
    add_lane(run, 7, 1, 0, 100, {{8, 9, 2}});
    run.marks = {{0, 1, 2}, {1, 2, 3}, {0, 1, 2}, {1, 2, 4}};
    run.counts.events = 42;

    const trace::Run kept = select_warps(run, {{}, {1}});

    ASSERT_EQ(kept.lanes.size(), 2u);
    EXPECT_EQ(kept.lanes[1].block, 7u);
    EXPECT_EQ(kept.lanes[1].first_slice, 2u);
    EXPECT_EQ(kept.lanes[1].end_slice, 3u);
    EXPECT_EQ(kept.slices.start_ns, (std::vector<std::int64_t>{3, 6, 8}));
    EXPECT_EQ(kept.slices.duration_ns, (std::vector<std::int64_t>{2, 1, 1}));
    EXPECT_EQ(kept.slices.scope, (std::vector<std::uint32_t>{1, 2, 2}));
    EXPECT_EQ(kept.slices.depth, (std::vector<std::uint16_t>{0, 3, 0}));
    EXPECT_EQ(kept.slices.mask[1], 9u);
    EXPECT_EQ(kept.marks.lane, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(kept.marks.time_ns, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(kept.counts.events, 42u);
    EXPECT_EQ(select_warps(run, {{7}, {}}).lanes.size(), 1u);
    EXPECT_TRUE(select_warps(run, {{1}, {}}).lanes.empty());
    EXPECT_EQ(select_warps(run, {}).slices.size(), run.slices.size());
}

}  // namespace

}  // namespace gwatch::views
