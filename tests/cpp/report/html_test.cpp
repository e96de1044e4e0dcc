#include "report/html.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "make_run.h"
#include "report/embed.h"
#include "report/sha256.h"
#include "trace/statistics.h"
#include "unpack.h"

namespace gwatch::report {

using testing::add_lane;
using testing::element_text;
using testing::make_run;
using testing::read_columns;
using testing::unzigzag;

namespace {

const ViewerAssets kAssets = {"run();", "body{margin:0}"};

trace::Trace trace_of(trace::Run run) {
    trace::Trace trace;
    trace.title = "A trace";
    trace.runs.push_back(std::move(run));
    return trace;
}

std::string page_of(const trace::Trace& trace) {
    return to_html(trace, kAssets, "gwatch test");
}

nlohmann::json facts_of(const std::string& page) {
    return nlohmann::json::parse(element_text(page, "facts"));
}

/// Times past 32 bits, negative ones, gaps, nesting, an unknown exit, a lane without slices.
trace::Run varied_run() {
    trace::Run run = make_run();
    add_lane(run, 0, 0, 0, 1000, {{10, 300, 0}, {20, 30, 1, 1, 0x1}, {400, 400, 2, 0, 0x80000000}});
    add_lane(run, 0, 1, -5, trace::kUnknownTime, {{-3, 7, 1}});
    add_lane(run, 7, 0, 20, 900, {});
    add_lane(run, 70'000, 31, 6'000'000'000, 7'000'000'001, {{6'000'000'100, 6'900'000'000, 0}});
    return run;
}

void expect_rows_survive(const trace::Run& run, const std::string& page) {
    auto columns = read_columns(page, 0);
    std::int64_t block = 0;
    std::int64_t enter = 0;
    ASSERT_EQ(columns["row.block"].size(), run.lanes.size());
    for (std::size_t row = 0; row < run.lanes.size(); ++row) {
        const trace::Lane& lane = run.lanes[row];
        EXPECT_EQ(block += unzigzag(columns["row.block"][row]),
                  static_cast<std::int64_t>(lane.block));
        EXPECT_EQ(enter += unzigzag(columns["row.enter"][row]), lane.enter_ns);
        EXPECT_EQ(columns["row.warp"][row], lane.warp);
        EXPECT_EQ(columns["row.sm"][row], lane.sm);
        EXPECT_EQ(columns["row.slices"][row], lane.end_slice - lane.first_slice);
        const std::uint64_t life = columns["row.life"][row];
        EXPECT_EQ(life == 0 ? trace::kUnknownTime : enter + static_cast<std::int64_t>(life) - 1,
                  lane.exit_ns);
    }
}

void expect_slices_survive(const trace::Run& run, const std::string& page) {
    auto columns = read_columns(page, 0);
    ASSERT_EQ(columns["slice.start"].size(), run.slices.size());
    for (const trace::Lane& lane : run.lanes) {
        std::map<std::uint64_t, std::int64_t> last_start;
        std::map<std::uint64_t, std::int64_t> last_end;
        const auto known = [&](std::map<std::uint64_t, std::int64_t>& times, std::uint64_t depth) {
            return times.try_emplace(depth, lane.enter_ns).first->second;
        };
        for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice) {
            const std::uint64_t kind = columns["slice.kind"][slice];
            const std::uint64_t depth = columns["kind.depth"].at(kind);
            const std::int64_t around = depth == 0 ? lane.enter_ns : known(last_start, depth - 1);
            const std::int64_t start =
                std::max(around, known(last_end, depth)) + unzigzag(columns["slice.start"][slice]);
            EXPECT_EQ(start, run.slices.start_ns[slice]);
            last_start[depth] = start;
            last_end[depth] = start + static_cast<std::int64_t>(columns["slice.duration"][slice]);
            EXPECT_EQ(static_cast<std::int64_t>(columns["slice.duration"][slice]),
                      run.slices.duration_ns[slice]);
            EXPECT_EQ(columns["kind.scope"].at(kind), run.slices.scope[slice]);
            EXPECT_EQ(depth, run.slices.depth[slice]);
            EXPECT_EQ(columns["kind.mask"].at(kind), run.slices.mask[slice]);
        }
    }
}

}  // namespace

TEST(Html, RowsAndSlicesComeBackFromThePage) {
    const trace::Run run = varied_run();
    const std::string page = page_of(trace_of(run));
    expect_rows_survive(run, page);
    expect_slices_survive(run, page);
}

TEST(Html, ManySlicesComeBackThroughManyPlanes) {
    trace::Run run = make_run();
    std::uint32_t random = 1;
    std::int64_t time = 0;
    for (std::uint32_t warp = 0; warp < 50; ++warp) {
        std::vector<testing::SliceSpec> slices;
        for (int i = 0; i < 400; ++i) {
            random = random * 1664525 + 1013904223;
            const std::int64_t length = 1 + (random >> 8) % 70'000;
            slices.push_back({time, time + length, random % 3, 0, random | 1});
            time += length + (random >> 20) % 50;
        }
        add_lane(run, warp / 4, warp % 4, slices.front().start_ns, time, slices);
    }
    const std::string page = page_of(trace_of(run));
    expect_rows_survive(run, page);
    expect_slices_survive(run, page);
}

TEST(Html, InstantsComeBack) {
    trace::Run run = varied_run();
    run.marks = {{1, 0}, {5, 900}, {2, 1}, {0xffffffff, 1}};
    run.orphan_starts = {{3}, {6'000'000'500}, {0}, {0x0000ffff}};
    const std::string page = page_of(trace_of(run));
    auto columns = read_columns(page, 0);
    EXPECT_EQ(unzigzag(columns["mark.row"][0]), 1);
    EXPECT_EQ(unzigzag(columns["mark.row"][1]), -1);
    EXPECT_EQ(unzigzag(columns["mark.time"][1]), 895);
    EXPECT_EQ(columns["mark.scope"], (std::vector<std::uint64_t>{2, 1}));
    EXPECT_EQ(unzigzag(columns["orphan_start.time"][0]), 6'000'000'500);
    EXPECT_EQ(columns["orphan_start.mask"], std::vector<std::uint64_t>{0x0000ffff});
    EXPECT_TRUE(columns["orphan_end.row"].empty());
}

TEST(Html, FactsHoldEveryTimeOfTheRun) {
    const auto facts = facts_of(page_of(trace_of(varied_run())))["runs"][0];
    EXPECT_EQ(facts["first_ns"], -5);
    EXPECT_EQ(facts["last_ns"], 7'000'000'001);
}

TEST(Html, StatisticsOfThePageAreThoseOfTheTrace) {
    const trace::Run run = varied_run();
    const auto facts = facts_of(page_of(trace_of(run)))["runs"][0];
    const auto statistics = trace::scope_statistics(run);
    ASSERT_EQ(facts["statistics"].size(), statistics.size());
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        EXPECT_EQ(facts["statistics"][i]["scope"], statistics[i].scope);
        EXPECT_EQ(facts["statistics"][i]["count"], statistics[i].count);
        EXPECT_EQ(facts["statistics"][i]["p95_ns"], statistics[i].p95_ns);
        EXPECT_EQ(facts["statistics"][i]["total_ns"], statistics[i].total_ns);
    }
    EXPECT_EQ(facts["pipeline"]["gap_ns"], trace::pipeline_summary(run).gap_ns);
}

TEST(Html, HostileNamesStayText) {
    trace::Trace trace = trace_of(varied_run());
    const std::string hostile = "</script><script>alert(1)</script><!--\"'&\xff";
    trace.title = hostile;
    trace.runs[0].launch.kernel = hostile;
    trace.runs[0].scopes[0].name = hostile;
    trace.runs[0].warnings = {hostile};
    const std::string page = page_of(trace);
    EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
    EXPECT_EQ(page.find("<!--"), std::string::npos);
    const std::string shown = "</script><script>alert(1)</script><!--\"'&\xef\xbf\xbd";
    EXPECT_EQ(facts_of(page)["runs"][0]["launch"]["kernel"], shown);
    EXPECT_EQ(facts_of(page)["runs"][0]["scopes"][0]["name"], shown);
}

TEST(Html, PolicyAllowsTheTwoAssetsAndNothingElse) {
    const std::string page = page_of(trace_of(varied_run()));
    EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-" + base64(sha256(kAssets.script)) +
                        "'; style-src 'sha256-" + base64(sha256(kAssets.style)) + "'"),
              std::string::npos);
    EXPECT_NE(page.find("<script>" + kAssets.script + "</script>"), std::string::npos);
    EXPECT_NE(page.find("<style>" + kAssets.style + "</style>"), std::string::npos);
}

TEST(Html, TraceWithoutRunsIsAPage) {
    const auto facts = facts_of(page_of({}));
    EXPECT_TRUE(facts["runs"].empty());
    EXPECT_EQ(facts["producer"], "gwatch test");
}

TEST(Html, RunWithoutLanesIsAPage) {
    const std::string page = page_of(trace_of(make_run()));
    EXPECT_TRUE(read_columns(page, 0)["row.block"].empty());
}

TEST(Html, EachRunHasItsOwnColumns) {
    trace::Trace trace = trace_of(varied_run());
    trace::Run second = make_run();
    add_lane(second, 3, 2, 0, 9, {{1, 2, 0}});
    trace.runs.push_back(second);
    const std::string page = page_of(trace);
    EXPECT_EQ(read_columns(page, 0)["row.warp"].size(), 4u);
    EXPECT_EQ(read_columns(page, 1)["row.warp"], std::vector<std::uint64_t>{2});
}

TEST(Html, WritesTheSamePageToAFile) {
    const trace::Trace trace = trace_of(varied_run());
    const auto path =
        std::filesystem::temp_directory_path() / ("gwatch-html-test-" + std::to_string(getpid()));
    ASSERT_TRUE(write_html(trace, kAssets, "gwatch test", path));
    std::ifstream file(path, std::ios::binary);
    const std::string written{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(written, page_of(trace));
    std::filesystem::remove(path);
}

TEST(Html, FileThatCannotBeWrittenIsAnErrorThatNamesIt) {
    const auto result = write_html({}, kAssets, "gwatch test", "/nowhere/at/all/page.html");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kIo);
    EXPECT_EQ(result.error().message, "cannot write the report to '/nowhere/at/all/page.html'");
    EXPECT_NE(result.error().hint, "");
}

}  // namespace gwatch::report
