// Values on starts and marks: whose row they land at, and what of them may be missing.
#include <gtest/gtest.h>

#include "simulated_launch.h"
#include "trace/archive.h"
#include "trace/decode.h"

namespace gwatch::trace {
namespace {

using namespace simulated;  // NOLINT: the simulated GPU

constexpr std::uint64_t kWide = 0x123'4567'89ab'cdef;

/// Three scopes: the starts and marks of scope 0 have 32 bits, those of scope 1 have 64.
instrument::SiteTable value_sites() {
    instrument::SiteTable table = simple_sites(3);
    for (const std::uint16_t site : {start_site(0), mark_site(0)})
        table.sites[site - 1u].actions[0].payload = PayloadKind::kSigned32;
    for (const std::uint16_t site : {start_site(1), mark_site(1)})
        table.sites[site - 1u].actions[0].payload = PayloadKind::kBits;
    return table;
}

struct OneWarp {
    instrument::SiteTable sites = value_sites();
    SimulatedLaunch launch;

    explicit OneWarp(std::uint64_t bytes = 1 << 20)
        : launch(small_request(1, 32, bytes), SimulatedGpu{}, exit_site(sites)) {
        launch.enter(0, 0, 0);
    }
    trace::Run decode() {
        auto run = trace::decode(launch.records(), sites);
        EXPECT_TRUE(run.ok()) << run.error().to_string();
        return *run;
    }
};

using Rows = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Rows rows_of(const Payloads& payloads) {
    Rows rows;
    for (std::size_t i = 0; i < payloads.size(); ++i)
        rows.emplace_back(payloads.row[i], payloads.bits[i]);
    return rows;
}

TEST(DecodePayloads, OfWholeWarps) {
    OneWarp warp;
    warp.launch.hot(0, start_site(2), 100);
    warp.launch.hot_value(0, start_site(0), 200, 0xffff'fffb);
    warp.launch.hot_value(0, start_site(1), 300, kWide);
    warp.launch.hot_value(0, mark_site(1), 350, 0);
    warp.launch.hot(0, mark_site(2), 360);
    warp.launch.hot_value(0, mark_site(0), 370, 9);
    warp.launch.hot(0, end_site(1), 400);
    warp.launch.hot(0, end_site(0), 500);
    warp.launch.hot(0, end_site(2), 600);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(rows_of(run.slices.payloads), (Rows{{1, 0xffff'fffb}, {2, kWide}}));
    EXPECT_EQ(rows_of(run.marks.payloads), (Rows{{0, 0}, {2, 9}}));
    EXPECT_EQ(run.scopes[0].payload, PayloadKind::kSigned32);
    EXPECT_EQ(run.scopes[1].payload, PayloadKind::kBits);
    EXPECT_EQ(run.scopes[2].payload, PayloadKind::kNone);
    EXPECT_EQ(run.counts.records, 10u);
    EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
}

TEST(DecodePayloads, OfPartsOfAWarpAmongHotRecords) {
    OneWarp warp;
    warp.launch.hot_value(0, start_site(1), 100, 1);
    warp.launch.cold(0, 3, mark_site(0), 0xf8, 200, 0x8000'0000);
    warp.launch.cold_value(0, 3, mark_site(1), 0xf8, 300, kWide);
    warp.launch.cold_value(0, 9, mark_site(1), 0xf00, 250, kWide + 1);
    warp.launch.cold(0, 9, mark_site(2), 0xf00, 260);
    warp.launch.hot(0, end_site(1), 400);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.marks.scope, (std::vector<std::uint32_t>{0, 1, 2, 1}));
    EXPECT_EQ(rows_of(run.marks.payloads), (Rows{{0, 0x8000'0000}, {1, kWide + 1}, {3, kWide}}));
    EXPECT_EQ(rows_of(run.slices.payloads), (Rows{{0, 1}}));
    EXPECT_EQ(run.counts.events, 6u);
    EXPECT_EQ(run.counts.records, 7u);
    EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
}

/// Records of one clock from different lanes keep their own values.
TEST(DecodePayloads, OfOneClock) {
    OneWarp warp;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        warp.launch.cold_value(0, lane, mark_site(1), 1u << lane, 500, kWide * lane);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    ASSERT_EQ(run.marks.size(), 32u);
    ASSERT_EQ(run.marks.payloads.size(), 32u);
    for (std::uint32_t row = 0; row < 32; ++row) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(run.marks.mask[row]));
        EXPECT_EQ(run.marks.payloads.bits[row], kWide * lane);
    }
}

TEST(DecodePayloads, HalvesAcrossChunks) {
    OneWarp warp;
    for (std::uint32_t i = 0; i < 300; ++i) {
        warp.launch.cold_value(0, 5, mark_site(1), 0x20, 10.0 * i + 10, kWide * i);
        if (i % 3 == 0) warp.launch.cold(0, 6, mark_site(2), 0x40, 10.0 * i + 15);
    }
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    ASSERT_EQ(run.marks.payloads.size(), 300u);
    for (std::uint32_t i = 0; i < 300; ++i) EXPECT_EQ(run.marks.payloads.bits[i], kWide * i);
    EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
}

/// Between the chunks of the entry stand those of its functions, of the same lane.
TEST(DecodePayloads, HalvesAcrossChunksOfTwoChains) {
    OneWarp warp;
    for (std::uint32_t i = 0; i < 300; ++i) {
        warp.launch.in_function = i / 7 % 2 == 1;
        warp.launch.cold_value(0, 5, mark_site(1), 0x20, 10.0 * i + 10, kWide * i);
    }
    warp.launch.in_function = false;
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    ASSERT_EQ(run.marks.payloads.size(), 300u);
    for (std::uint32_t i = 0; i < 300; ++i) EXPECT_EQ(run.marks.payloads.bits[i], kWide * i);
    EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
}

TEST(DecodePayloads, AStartWithoutAnEndKeepsItsValue) {
    OneWarp warp;
    warp.launch.hot_value(0, start_site(0), 100, 5);
    warp.launch.hot_value(0, start_site(1), 200, kWide);
    warp.launch.hot(0, end_site(0), 300);
    warp.launch.hot_value(0, mark_site(0), 350, 6);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(rows_of(run.slices.payloads), (Rows{{0, 5}}));
    EXPECT_EQ(rows_of(run.orphan_starts.payloads), (Rows{{0, kWide}}));
    EXPECT_EQ(rows_of(run.marks.payloads), (Rows{{0, 6}})) << "of the second way of matching";
}

/// Each part of a scope's visit has the value of its start.
TEST(DecodePayloads, AVisitThatThreadsLeaveOneAfterTheOther) {
    OneWarp warp;
    warp.launch.hot(0, start_site(2), 50);
    warp.launch.hot_value(0, start_site(1), 100, kWide);
    warp.launch.cold(0, 0, end_site(1), 0x0000ffff, 200);
    warp.launch.cold(0, 16, end_site(1), 0x00ff0000, 300);
    warp.launch.hot_value(0, start_site(0), 400, 3);
    warp.launch.hot(0, end_site(0), 500);
    warp.launch.hot(0, end_site(2), 600);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.slices.scope, (std::vector<std::uint32_t>{2, 1, 1, 0}));
    EXPECT_EQ(rows_of(run.slices.payloads), (Rows{{1, kWide}, {2, kWide}, {3, 3}}));
    EXPECT_EQ(run.orphan_starts.mask, (std::vector<std::uint32_t>{0xff000000}));
    EXPECT_EQ(rows_of(run.orphan_starts.payloads), (Rows{{0, kWide}}));
}

TEST(DecodePayloads, RowsAscendOverManyWarps) {
    const instrument::SiteTable sites = value_sites();
    SimulatedLaunch launch(small_request(6, 64), SimulatedGpu{}, exit_site(sites));
    for (std::uint32_t region = 0; region < 12; ++region) {
        launch.enter(region, 0, 0);
        launch.hot_value(region, start_site(0), 100, region);
        if (region % 3 == 0) {
            launch.cold(region, 0, end_site(0), 0xffff, 150);
            launch.cold(region, 16, end_site(0), 0xffff0000, 160);
        } else {
            launch.hot(region, end_site(0), 150);
        }
        launch.hot(region, start_site(2), 200);
        if (region % 4 != 0) launch.hot(region, end_site(2), 250);
        launch.hot_value(region, mark_site(1), 300, kWide + region);
        launch.exit(region, 700);
    }
    auto run = decode(launch.records(), sites);
    ASSERT_TRUE(run.ok());
    Rows slices, marks;
    for (const Lane& lane : run->lanes) {
        const auto warp = static_cast<std::uint64_t>(&lane - run->lanes.data());
        marks.emplace_back(warp, kWide + warp);
        for (std::uint64_t row = lane.first_slice; row < lane.end_slice; ++row) {
            if (run->slices.scope[row] == 0) slices.emplace_back(row, warp);
        }
    }
    EXPECT_EQ(slices.size(), 16u);
    EXPECT_EQ(rows_of(run->slices.payloads), slices);
    EXPECT_EQ(rows_of(run->marks.payloads), marks);
    const auto copy = from_json(to_json({"", "", {*run}}, "gwatch"), "copy");
    ASSERT_TRUE(copy.ok()) << copy.error().to_string();
    EXPECT_EQ(rows_of(copy->runs[0].slices.payloads), slices);
    EXPECT_EQ(rows_of(copy->runs[0].marks.payloads), marks);
}

TEST(DecodePayloads, ASecondHalfWithoutMemoryIsToldAndNamesTheBufferThatWouldDo) {
    OneWarp warp(1 << 13);
    const std::uint32_t chunks = warp.launch.plan().constants.pool_chunks;
    ASSERT_EQ(chunks % 2, 1u) << "the last unit is to be a first half";
    const std::uint32_t marks = (63 * chunks + 1) / 2;
    for (std::uint32_t i = 0; i < marks; ++i)
        warp.launch.cold_value(0, 5, mark_site(1), 0x20, 10.0 * i + 10, kWide * i);
    warp.launch.exit(0, 90'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.marks.size(), marks);
    EXPECT_EQ(run.marks.payloads.size(), marks - 1);
    EXPECT_EQ(run.counts.dropped_records, 0u);
    ASSERT_NE(run.counts.buffer_bytes_needed, 0u);
    ASSERT_EQ(run.warnings.size(), 1u);
    EXPECT_EQ(run.warnings[0],
              "1 value of 64 bits is missing from recorded events: the buffer of 7,424 bytes had "
              "no room for the second half; pass buffer_bytes=" +
                  std::to_string(run.counts.buffer_bytes_needed) + ".");
}

TEST(DecodePayloads, StrayHalvesAreIgnored) {
    OneWarp warp;
    warp.launch.cold(0, 2, record::kPayloadHighSite, 4, 50, 77);
    warp.launch.cold(0, 3, mark_site(1), 8, 100, 1);
    warp.launch.cold(0, 3, record::kPayloadHighSite, 8, 110, 2);
    warp.launch.cold(0, 4, mark_site(0), 16, 100, 3);
    warp.launch.cold(0, 4, record::kPayloadHighSite, 16, 100, 4);
    warp.launch.cold(0, 5, mark_site(2), 32, 120);
    warp.launch.cold(0, 5, record::kPayloadHighSite, 32, 120, 5);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.marks.size(), 3u);
    EXPECT_EQ(rows_of(run.marks.payloads), (Rows{{1, 3}}));
    EXPECT_EQ(run.warnings.size(), 1u) << "the value of the first mark";
}

TEST(DecodePayloads, OfSeveralKindsAreBits) {
    OneWarp warp;
    warp.sites.sites[mark_site(0) - 1u].actions[0].payload = PayloadKind::kFloat64;
    warp.launch.hot_value(0, mark_site(0), 100, kWide);
    warp.launch.hot_value(0, start_site(0), 200, 0xffff'ffff'0000'0001);
    warp.launch.hot(0, end_site(0), 300);
    warp.launch.exit(0, 100'000);
    const trace::Run run = warp.decode();
    EXPECT_EQ(run.scopes[0].payload, PayloadKind::kBits);
    EXPECT_EQ(rows_of(run.marks.payloads), (Rows{{0, kWide}}));
    EXPECT_EQ(rows_of(run.slices.payloads), (Rows{{0, 1}})) << "a value of 32 bits";
}

/// A warp that stops may have stored no more than a record's first half; that is zero then.
TEST(DecodePayloads, TheLastRecordOfARegion) {
    OneWarp warp;
    warp.launch.hot_value(0, mark_site(1), 100, kWide);
    const trace::Run run = warp.decode();
    EXPECT_EQ(rows_of(run.marks.payloads), (Rows{{0, kWide}}));
}

}  // namespace
}  // namespace gwatch::trace
