#include "report/flatten.h"

#include <gtest/gtest.h>

#include "make_run.h"

namespace gwatch::report {

using testing::add_lane;
using testing::make_run;
using testing::SliceSpec;

namespace {

/// "start-end slice", separated by "; ".
std::string flattened(const std::vector<SliceSpec>& slices) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, slices);
    std::vector<Segment> segments;
    flatten_lane(run, run.lanes[0], segments);
    std::string text;
    for (const Segment& segment : segments) {
        if (!text.empty()) text += "; ";
        text += std::to_string(segment.start_ns) + "-" + std::to_string(segment.end_ns) + " " +
                std::to_string(segment.slice);
    }
    return text;
}

}  // namespace

TEST(Flatten, LeavesGapsOpen) {
    EXPECT_EQ(flattened({{10, 20, 0}, {30, 40, 1}}), "10-20 0; 30-40 1");
}

TEST(Flatten, ShowsTheInnerSliceAndTheOuterAroundIt) {
    EXPECT_EQ(flattened({{10, 50, 0}, {20, 30, 1, 1}, {30, 40, 2, 1}}),
              "10-20 0; 20-30 1; 30-40 2; 40-50 0");
}

TEST(Flatten, InnerSliceMayShareBothEnds) {
    EXPECT_EQ(flattened({{10, 50, 0}, {10, 50, 1, 1}}), "10-50 1");
    EXPECT_EQ(flattened({{10, 50, 0}, {10, 20, 1, 1}, {40, 50, 1, 1}}),
              "10-20 1; 20-40 0; 40-50 2");
}

TEST(Flatten, OverlapOfTwoHalvesShowsTheLowestThread) {
    EXPECT_EQ(flattened({{10, 50, 0, 0, 0xffff0000}, {20, 30, 1, 0, 0x0000ffff}}),
              "10-20 0; 20-30 1; 30-50 0");
    EXPECT_EQ(flattened({{10, 30, 0, 0, 0x0000ffff}, {20, 50, 1, 0, 0xffff0000}}),
              "10-30 0; 30-50 1");
}

TEST(Flatten, DeeperSliceOfOneThreadShowsOverTheRest) {
    EXPECT_EQ(flattened({{10, 50, 0}, {20, 40, 1, 1, 0x80000000}}), "10-20 0; 20-40 1; 40-50 0");
}

TEST(Flatten, SlicesWithoutLengthHaveNoSegment) {
    EXPECT_EQ(flattened({{10, 10, 0}, {10, 20, 1}, {15, 15, 2, 1}}), "10-20 1");
}

TEST(Flatten, LaneWithoutSlicesIsEmpty) {
    EXPECT_EQ(flattened({}), "");
}

TEST(Flatten, LaneEndIsItsExitElseTheEndOfItsLastSlice) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 5, 90, {{10, 20, 0}});
    add_lane(run, 0, 1, 5, trace::kUnknownTime, {{10, 70, 0}, {20, 30, 1, 1}});
    add_lane(run, 0, 2, 5, trace::kUnknownTime, {});
    EXPECT_EQ(lane_end_ns(run, run.lanes[0]), 90);
    EXPECT_EQ(lane_end_ns(run, run.lanes[1]), 70);
    EXPECT_EQ(lane_end_ns(run, run.lanes[2]), 5);
}

}  // namespace gwatch::report
