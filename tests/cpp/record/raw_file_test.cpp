#include "record/raw_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <random>

#include "memory_image.h"

namespace gwatch::record {
namespace {

instrument::SiteTable some_sites() {
    instrument::SiteTable table;
    table.scopes.resize(1);
    table.scopes[0].name = "load";
    table.scopes[0].source = {"kernel.py", 12};
    table.sites.resize(2);
    table.sites[0].actions = {{instrument::ActionKind::kStart, 0}};
    table.sites[0].markers = 1;
    table.sites[0].placement = instrument::Placement::kProven;
    table.sites[1].actions = {{instrument::ActionKind::kExit, ptx::kNone}};
    return table;
}

RawCapture some_capture(std::uint32_t records) {
    const Dim3 grid{16, 2, 1};
    const Dim3 block{96, 1, 1};
    const Plan plan = plan_memory({grid, block, 4 << 20, 0, 0, true}).value();
    MemoryImage memory(plan);
    for (std::uint32_t region = 0; region < plan.constants.region_count; ++region) {
        memory.fill_region(region, records);
    }
    memory.fill_chunk(0, 4, 40);
    Control control{};
    control.chunks_taken = 1;
    control.dropped_events = 3;
    memory.set_control(control);
    return {read_records(plan, grid, block, memory).value(), some_sites(), "{\"launch\":1}"};
}

void expect_equal(const RawCapture& a, const RawCapture& b) {
    EXPECT_EQ(a.records.region_slots, b.records.region_slots);
    EXPECT_EQ(a.records.slots, b.records.slots);
    ASSERT_EQ(a.records.pool.size(), b.records.pool.size());
    EXPECT_EQ(std::memcmp(a.records.pool.data(), b.records.pool.data(),
                          a.records.pool.size() * sizeof(Unit)),
              0);
    EXPECT_EQ(std::memcmp(&a.records.control, &b.records.control, sizeof(Control)), 0);
    EXPECT_EQ(a.records.grid, b.records.grid);
    EXPECT_EQ(a.records.block, b.records.block);
    const LaunchConstants& c = a.records.plan.constants;
    EXPECT_EQ(std::memcmp(&c, &b.records.plan.constants, sizeof c), 0);
    EXPECT_EQ(a.records.plan.total_bytes, b.records.plan.total_bytes);
    EXPECT_EQ(a.records.plan.lane_cursors_offset, b.records.plan.lane_cursors_offset);
    EXPECT_EQ(a.records.plan.pool_offset, b.records.plan.pool_offset);
    EXPECT_EQ(a.records.plan.sampled, b.records.plan.sampled);
    EXPECT_EQ(a.facts, b.facts);
    ASSERT_EQ(a.sites.sites.size(), b.sites.sites.size());
    EXPECT_EQ(a.sites.scopes[0].name, b.sites.scopes[0].name);
    EXPECT_EQ(a.sites.sites[0].placement, b.sites.sites[0].placement);
}

std::string message_of(const std::string& bytes) {
    const auto capture = from_raw_bytes(bytes, "x.raw");
    return capture.ok() ? "accepted" : capture.error().message;
}

TEST(RawFile, RoundTrip) {
    const RawCapture capture = some_capture(200);
    const auto again = from_raw_bytes(to_raw_bytes(capture), "x.raw");
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    expect_equal(capture, *again);
}

TEST(RawFile, KeepsAnyBits) {
    RawCapture capture = some_capture(50);
    std::mt19937_64 random(1);
    for (std::uint64_t& slot : capture.records.slots) slot = random();
    for (Unit& unit : capture.records.pool) {
        const std::uint64_t words[2] = {random(), random()};
        std::memcpy(&unit, words, sizeof unit);
    }
    const auto again = from_raw_bytes(to_raw_bytes(capture), "x.raw");
    ASSERT_TRUE(again.ok());
    expect_equal(capture, *again);
}

TEST(RawFile, TakesAFewBytesARecord) {
    RawCapture capture = some_capture(500);
    std::mt19937 random(1);
    std::uint32_t clock = 0;
    for (std::uint64_t& slot : capture.records.slots) {
        clock += 300 + random() % 500;
        slot = clock | (1 + random() % 2) << 32;
    }
    const std::size_t bytes = to_raw_bytes(capture).size();
    EXPECT_LT(bytes, 3 * capture.records.slots.size());
}

TEST(RawFile, OnDisk) {
    const std::string path = ::testing::TempDir() + "/gwatch_raw_file_test.raw";
    const RawCapture capture = some_capture(20);
    ASSERT_TRUE(write_raw_file(capture, path).ok());
    const auto again = read_raw_file(path);
    ASSERT_TRUE(again.ok());
    expect_equal(capture, *again);
    std::remove(path.c_str());
}

TEST(RawFile, MissingFile) {
    const auto capture = read_raw_file("/nowhere/x.raw");
    ASSERT_FALSE(capture.ok());
    EXPECT_EQ(capture.error().kind, ErrorKind::kIo);
    EXPECT_EQ(capture.error().message, "cannot read /nowhere/x.raw: No such file or directory");
    const auto written = write_raw_file(some_capture(1), "/nowhere/x.raw");
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().message, "cannot write /nowhere/x.raw: No such file or directory");
}

TEST(RawFile, RefusesOtherFiles) {
    EXPECT_EQ(message_of(""), "x.raw is no raw capture of gwatch: it does not begin as one");
    EXPECT_EQ(message_of("{\"format\":\"gwatch-trace\"}"),
              "x.raw is no raw capture of gwatch: it does not begin as one");
}

TEST(RawFile, RefusesEveryTruncation) {
    const std::string bytes = to_raw_bytes(some_capture(20));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(from_raw_bytes(bytes.substr(0, size), "x.raw").ok()) << size;
    }
    EXPECT_EQ(message_of(bytes.substr(0, bytes.size() - 1)),
              "x.raw is no raw capture of gwatch: its zlib data are damaged or cut off");
}

TEST(RawFile, DamageIsRefusedOrWithoutEffect) {
    // A few bits of the zlib stream carry nothing; any other change breaks its checksum.
    const std::string bytes = to_raw_bytes(some_capture(20));
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = bytes;
        damaged[random() % damaged.size()] = static_cast<char>(random());
        const auto capture = from_raw_bytes(damaged, "x.raw");
        if (capture.ok()) {
            EXPECT_EQ(to_raw_bytes(*capture), bytes);
        } else {
            ++refused;
        }
    }
    EXPECT_GT(refused, 1900);
}

}  // namespace
}  // namespace gwatch::record
