#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <protozero/pbf_message.hpp>
#include <random>
#include <set>
#include <sstream>

#include "make_run.h"
#include "report/chrome.h"
#include "report/perfetto.h"
#include "report/perfetto_fields.h"
#include "report/slice_rows.h"
#include "trace/archive.h"
#include "trace/merge.h"
#include "trace/output_file.h"
#include "trace/strip_paths.h"
#include "trace/time_axis.h"

namespace gwatch::report {
namespace {

using testing::add_lane;
using testing::make_run;

class ExportTest : public ::testing::Test {
  protected:
    ~ExportTest() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    static std::string read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

  private:
    static std::filesystem::path make_folder() {
        std::string name = ::testing::TempDir() + "gwatch-export-XXXXXX";
        return ::mkdtemp(name.data());
    }
    std::filesystem::path folder_ = make_folder();
};

trace::Run random_run(std::mt19937& random) {
    trace::Run run = make_run();
    run.launch.block = {48, 1, 1};
    for (std::uint64_t block = 0; block < 5; ++block) {
        for (std::uint32_t warp = 0; warp < 2; ++warp) {
            std::vector<testing::SliceSpec> slices;
            const std::int64_t enter = random() % 1000;
            std::int64_t start = enter;
            for (unsigned i = random() % 40; i > 0; --i) {
                start += random() % 30;
                slices.push_back({start, start + static_cast<std::int64_t>(random() % 60),
                                  static_cast<std::uint32_t>(random() % 3), 0,
                                  static_cast<std::uint32_t>(1 + random() % 0xffff)});
            }
            add_lane(run, block, warp, enter, 4000, slices);
        }
    }
    return run;
}

struct Counted {
    std::size_t begins = 0;
    std::size_t ends = 0;
    std::size_t instants = 0;
};

/// Counts events, and checks that the file is whole messages from its first to its last byte.
Counted count_events(const std::string& bytes) {
    using namespace perfetto;  // NOLINT: the messages of the format
    Counted counted;
    protozero::pbf_message<Trace> trace(bytes);
    while (trace.next(Trace::kPacket)) {
        protozero::pbf_message<Packet> packet = trace.get_message();
        while (packet.next(Packet::kTrackEvent)) {
            protozero::pbf_message<TrackEvent> event = packet.get_message();
            while (event.next(TrackEvent::kType)) {
                const auto type = static_cast<EventType>(event.get_enum());
                counted.begins += type == EventType::kSliceBegin;
                counted.ends += type == EventType::kSliceEnd;
                counted.instants += type == EventType::kInstant;
            }
        }
    }
    EXPECT_EQ(trace.length(), 0u);
    return counted;
}

TEST_F(ExportTest, PerfettoBeginsAndEndsEverySlice) {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        const trace::Trace trace{"t", "", {random_run(random), random_run(random)}};
        const std::size_t slices = trace.runs[0].slices.size() + trace.runs[1].slices.size();
        for (const GroupBy by : {GroupBy::kBlock, GroupBy::kSm}) {
            ASSERT_TRUE(write_perfetto(trace, "test", path("t.pftrace"), by).ok());
            const Counted counted = count_events(read(path("t.pftrace")));
            const std::size_t blocks_and_launches = 2 * 5 + 2;
            EXPECT_EQ(counted.begins, slices + blocks_and_launches);
            EXPECT_EQ(counted.ends, counted.begins);
            EXPECT_EQ(counted.instants, 1u);
        }
    }
}

TEST_F(ExportTest, PerfettoGrowsByTheSlice) {
    trace::Run run = make_run();
    std::vector<testing::SliceSpec> slices;
    for (std::int64_t i = 0; i < 10'000; ++i) slices.push_back({100 * i, 100 * i + 90, 0});
    add_lane(run, 0, 0, 0, 1'000'000, slices);
    ASSERT_TRUE(write_perfetto({"t", "", {run}}, "p", path("t.pftrace"), GroupBy::kBlock).ok());
    EXPECT_LT(read(path("t.pftrace")).size(), 28 * slices.size());
}

TEST_F(ExportTest, FailuresAreTold) {
    const trace::Trace trace{"t", "", {make_run()}};
    for (const std::string& target : {path("missing/t"), std::string("/dev/full")}) {
        EXPECT_EQ(write_perfetto(trace, "p", target, GroupBy::kSm).error().kind, ErrorKind::kIo);
        EXPECT_EQ(write_chrome(trace, "p", target, GroupBy::kSm).error().kind, ErrorKind::kIo);
    }
}

TEST_F(ExportTest, GzipOfManyPiecesIsWhole) {
    std::mt19937 random(3);
    std::string text;
    while (text.size() < 5'000'000) text += std::to_string(random());
    Result<trace::OutputFile> file = trace::OutputFile::create(path("t.gz"));
    ASSERT_TRUE(file.ok());
    for (std::size_t at = 0; at < text.size(); at += 777'777) {
        file->write(std::string_view(text).substr(at, 777'777));
    }
    ASSERT_TRUE(file->close().ok());
    gzFile in = gzopen(path("t.gz").c_str(), "rb");
    std::string back(text.size() + 1, '\0');
    EXPECT_EQ(gzread(in, back.data(), static_cast<unsigned>(back.size())),
              static_cast<int>(text.size()));
    gzclose(in);
    back.resize(text.size());
    EXPECT_EQ(back, text);
    EXPECT_LT(read(path("t.gz")).size(), text.size());
}

TEST_F(ExportTest, RowsOfAnyPartOfTheSlices) {
    std::mt19937 random(11);
    trace::Run run = random_run(random);
    run.launch.grid = {2, 3, 1};
    const SliceRows all = slice_rows(run, 0, run.slices.size());
    ASSERT_EQ(all.block.size(), run.slices.size());
    for (const trace::Lane& lane : run.lanes) {
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            EXPECT_EQ(all.block[i], lane.block);
            EXPECT_EQ(all.block_x[i] + 2 * all.block_y[i], lane.block);
            EXPECT_EQ(all.warp[i], lane.warp);
            EXPECT_EQ(all.end_ns[i], run.slices.start_ns[i] + run.slices.duration_ns[i]);
        }
    }
    const std::uint64_t middle = run.slices.size() / 2;
    const SliceRows part = slice_rows(run, 3, middle);
    EXPECT_EQ(part.warp,
              std::vector<std::uint32_t>(all.warp.begin() + 3,
                                         all.warp.begin() + static_cast<std::ptrdiff_t>(middle)));
    EXPECT_EQ(part.end_ns.size(), middle - 3);
}

TEST_F(ExportTest, MergeTellsTheFileThatCannotBeRead) {
    const trace::Trace trace{"first", "2026-11-30T12:00:00+00:00", {make_run()}};
    ASSERT_TRUE(trace::write_archive(trace, "p", path("a.json")).ok());
    ASSERT_TRUE(trace::write_archive(trace, "p", path("b.json.gz")).ok());
    const auto merged = trace::merge_archives({path("a.json"), path("b.json.gz")});
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(merged->runs.size(), 2u);
    EXPECT_EQ(merged->title, "first");
    const auto missing = trace::merge_archives({path("a.json"), path("c.json")});
    EXPECT_NE(missing.error().message.find("c.json"), std::string::npos);
}

TEST(TimeAxes, HostsAndUnknownStartsAreApart) {
    trace::Trace trace;
    trace.runs.resize(5);
    const auto set = [&](std::size_t run, std::optional<std::string> host, std::uint64_t start) {
        trace.runs[run].launch.host = std::move(host);
        trace.runs[run].time.start_globaltimer_ns = start;
    };
    set(0, "a", 5'000);
    set(1, "b", 100);
    set(2, "a", 4'000);
    set(3, "b", 0);
    set(4, std::nullopt, 0);
    const trace::TimeAxes axes = trace::time_axes(trace);
    EXPECT_EQ(axes.runs[0].axis, axes.runs[2].axis);
    EXPECT_EQ(axes.runs[0].offset_ns, 1'000);
    EXPECT_EQ(axes.runs[2].offset_ns, 0);
    EXPECT_EQ(axes.runs[1].offset_ns, 0);
    const std::set<std::uint32_t> numbers = {axes.runs[0].axis, axes.runs[1].axis,
                                             axes.runs[3].axis, axes.runs[4].axis};
    EXPECT_EQ(numbers.size(), 4u);
    EXPECT_EQ(axes.notes.size(), 2u);
}

TEST(StripPaths, CutsPathsAndNothingElse) {
    const std::pair<const char*, const char*> cases[] = {
        {"/usr/bin/ptxas -v", "ptxas -v"},
        {"in '/a b/c.py'", "in 'a b/c.py'"},
        {"~/x/y.py:12", "y.py:12"},
        {"https://example.org/a/b", "https://example.org/a/b"},
        {"a / b, 1/2, and/or", "a / b, 1/2, and/or"},
        {"--out=/tmp/u/k.cubin", "--out=k.cubin"},
        {"(/a/b)(/c/d/)", "(b)()"},
        {"/", "/"},
        {"", ""}};
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(trace::without_folders(text), expected);
    }
}

}  // namespace
}  // namespace gwatch::report
