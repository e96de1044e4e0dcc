#include "report/text_timeline.h"

#include <gtest/gtest.h>

#include "make_run.h"

namespace gwatch::report {

using testing::add_lane;
using testing::make_run;

namespace {

std::string letters(const TimelineRow& row) {
    std::string text;
    for (const std::int32_t cell : row.cells)
        text += cell == kOutsideCell ? ' ' : cell == kGapCell ? '.' : static_cast<char>('A' + cell);
    return text;
}

TimelineRequest request_of(std::size_t width, std::size_t max_rows = 16) {
    TimelineRequest request;
    request.width = width;
    request.max_rows = max_rows;
    return request;
}

/// Blocks of two warps; block b lives 100 + lengths[b] ns from 1000 * b on.
trace::Run run_of_blocks(const std::vector<std::int64_t>& lengths) {
    trace::Run run = make_run();
    for (std::size_t block = 0; block < lengths.size(); ++block) {
        const auto begin = static_cast<std::int64_t>(1000 * block);
        const std::int64_t end = begin + 100 + lengths[block];
        for (std::uint32_t warp = 0; warp < 2; ++warp)
            add_lane(run, block, warp, begin, end, {{begin, end, 0}});
    }
    return run;
}

std::string choice(const trace::Run& run, const WarpFilter& filter, std::size_t max_rows) {
    std::string text;
    for (const ChosenBlock& block : choose_blocks(run, filter, max_rows)) {
        text += std::to_string(block.block) + "x" + std::to_string(block.lanes.size()) + " " +
                block.reason + "; ";
    }
    return text;
}

}  // namespace

TEST(TextTimeline, CellShowsWhatHeldMostOfItsTime) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{10, 40, 0}, {46, 100, 1}, {60, 80, 2, 1}});
    const TextTimeline timeline = text_timeline(run, request_of(10));
    ASSERT_EQ(timeline.blocks.size(), 1u);
    EXPECT_EQ(letters(timeline.blocks[0].rows[0]), ".AAA.BCCBB");
    EXPECT_DOUBLE_EQ(timeline.cell_ns, 10);
    EXPECT_EQ(timeline.innermost_ns, (std::vector<std::int64_t>{30, 34, 20}));
    EXPECT_EQ(timeline.gap_ns, 16);
}

TEST(TextTimeline, OutsideTheLifeIsBlankAndAGapIsNot) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 60, {{0, 20, 0}});
    add_lane(run, 0, 1, 20, 100, {{40, 100, 1}});
    const TextTimeline timeline = text_timeline(run, request_of(10));
    EXPECT_EQ(letters(timeline.blocks[0].rows[0]), "AA....    ");
    EXPECT_EQ(letters(timeline.blocks[0].rows[1]), "  ..BBBBBB");
}

TEST(TextTimeline, WindowCutsAndScales) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{10, 40, 0}, {40, 90, 1}});
    TimelineRequest request = request_of(10);
    request.begin_ns = 35;
    request.end_ns = 45;
    const TextTimeline timeline = text_timeline(run, request);
    EXPECT_EQ(letters(timeline.blocks[0].rows[0]), "AAAAABBBBB");
    EXPECT_EQ(timeline.innermost_ns, (std::vector<std::int64_t>{5, 5, 0}));
    EXPECT_EQ(timeline.gap_ns, 0);
    EXPECT_EQ(timeline.blocks[0].begin_ns, 35);
}

TEST(TextTimeline, CellsNarrowerThanANanosecondWork) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 4, {{1, 2, 0}, {3, 4, 1}});
    EXPECT_EQ(letters(text_timeline(run, request_of(8)).blocks[0].rows[0]), "..AA..BB");
}

TEST(TextTimeline, WarpWithoutLifetimeStillHasACell) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 100, {{0, 100, 0}});
    add_lane(run, 0, 1, 55, 55, {});
    EXPECT_EQ(letters(text_timeline(run, request_of(10)).blocks[0].rows[1]), "     .    ");
}

TEST(TextTimeline, RunWithoutLanesHasNoBlocks) {
    EXPECT_TRUE(text_timeline(make_run(), request_of(10)).blocks.empty());
}

TEST(TextTimeline, RunOfOneInstantDoesNotDivideByZero) {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 0, {});
    EXPECT_EQ(letters(text_timeline(run, request_of(3)).blocks[0].rows[0]), ".  ");
}

TEST(TextTimeline, BlocksShareTheScaleNotTheOrigin) {
    const TextTimeline timeline = text_timeline(run_of_blocks({0, 100}), request_of(10));
    ASSERT_EQ(timeline.blocks.size(), 2u);
    EXPECT_EQ(timeline.blocks[1].begin_ns, 1000);
    EXPECT_EQ(letters(timeline.blocks[0].rows[0]), "AAAAA     ");
    EXPECT_EQ(letters(timeline.blocks[1].rows[0]), "AAAAAAAAAA");
}

TEST(BlockChoice, AllBlocksWhenTheyFit) {
    EXPECT_EQ(choice(run_of_blocks({0, 5}), {}, 4),
              "0x2 all blocks are shown; 1x2 all blocks are shown; ");
}

TEST(BlockChoice, NamesWhyEachBlockWasChosen) {
    trace::Run run = run_of_blocks({30, 10, 50, 20, 40});
    add_lane(run, 5, 0, 5000, 5135, {});
    add_lane(run, 5, 1, 5000, 5135, {});
    EXPECT_EQ(choice(run, {}, 8),
              "5x2 median lifetime, most gap, last to end; 0x2 first to start; 2x2 longest "
              "lifetime; 1x2 shortest lifetime; ");
    EXPECT_EQ(choice(run, {}, 4),
              "5x2 median lifetime, most gap, last to end; 0x2 first to start; ");
    EXPECT_EQ(choice(run, {}, 1), "5x2 median lifetime, most gap, last to end; ");
}

TEST(BlockChoice, FilterByBlockShowsExactlyThose) {
    const trace::Run run = run_of_blocks({30, 10, 50, 20});
    EXPECT_EQ(choice(run, {{1, 3}, {}}, 1), "1x2 asked for; 3x2 asked for; ");
    EXPECT_EQ(choice(run, {{1}, {1}}, 1), "1x1 asked for; ");
    EXPECT_EQ(choice(run, {{9}, {}}, 1), "");
}

TEST(BlockChoice, FilterByWarpMakesRoomForMoreBlocks) {
    EXPECT_EQ(choice(run_of_blocks({30, 10}), {{}, {1}}, 2),
              "0x1 all blocks are shown; 1x1 all blocks are shown; ");
}

}  // namespace gwatch::report
