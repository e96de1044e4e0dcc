#include "trace/archive.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "sample_trace.h"
#include "trace/facts_json.h"

namespace gwatch::trace {
namespace {

Trace read_back(const std::string& text) {
    auto trace = from_json(text, "sample");
    EXPECT_TRUE(trace.ok()) << trace.error().to_string();
    return *trace;
}

void expect_equal(const Payloads& a, const Payloads& b) {
    EXPECT_EQ(a.row, b.row);
    EXPECT_EQ(a.bits, b.bits);
}

void expect_equal(const Instants& a, const Instants& b) {
    expect_equal(a.payloads, b.payloads);
    EXPECT_EQ(a.lane, b.lane);
    EXPECT_EQ(a.time_ns, b.time_ns);
    EXPECT_EQ(a.scope, b.scope);
    EXPECT_EQ(a.mask, b.mask);
}

void expect_equal(const Slices& a, const Slices& b) {
    expect_equal(a.payloads, b.payloads);
    EXPECT_EQ(a.start_ns, b.start_ns);
    EXPECT_EQ(a.duration_ns, b.duration_ns);
    EXPECT_EQ(a.scope, b.scope);
    EXPECT_EQ(a.depth, b.depth);
    EXPECT_EQ(a.mask, b.mask);
}

TEST(Archive, RoundTripIsTheSameText) {
    const std::string text = to_json(sample_trace(), "gwatch 0.1.0");
    EXPECT_EQ(to_json(read_back(text), "gwatch 0.1.0"), text);
}

TEST(Archive, RoundTripKeepsColumns) {
    const Trace sample = sample_trace();
    const trace::Run run = read_back(to_json(sample, "gwatch 0.1.0")).runs[0];
    const trace::Run& before = sample.runs[0];
    expect_equal(run.slices, before.slices);
    expect_equal(run.marks, before.marks);
    expect_equal(run.orphan_starts, before.orphan_starts);
    expect_equal(run.orphan_ends, before.orphan_ends);
    ASSERT_EQ(run.lanes.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(run.lanes[i].block, before.lanes[i].block);
        EXPECT_EQ(run.lanes[i].exit_ns, before.lanes[i].exit_ns);
        EXPECT_EQ(run.lanes[i].first_slice, before.lanes[i].first_slice);
        EXPECT_EQ(run.lanes[i].end_slice, before.lanes[i].end_slice);
    }
    EXPECT_EQ(run.launch.stream, before.launch.stream);
    EXPECT_EQ(run.compile.remarks, before.compile.remarks);
    EXPECT_EQ(run.stage_seconds, before.stage_seconds);
    EXPECT_EQ(run.scopes[1].name, before.scopes[1].name);
    EXPECT_EQ(run.time.start_globaltimer_ns, before.time.start_globaltimer_ns);
}

TEST(Archive, LeavesOutWhatIsTheSameThroughout) {
    Trace trace = sample_trace();
    trace.runs[0].slices.depth = {0, 1, 1, 0};
    trace.runs[0].slices.mask = {0xffffffff, 0xffffffff, 0xffffffff, 0xff};
    const std::string text = to_json(trace, "gwatch");
    EXPECT_NE(text.find("\"scope_depth\":[0,1]"), std::string::npos);
    EXPECT_EQ(text.find("\"depth\""), std::string::npos);
    const std::size_t slices = text.find("\"slices\"");
    EXPECT_GT(text.find("\"mask\"", slices), text.find("\"marks\""));
    expect_equal(read_back(text).runs[0].slices, trace.runs[0].slices);
}

TEST(Archive, StartsAreDeltas) {
    const std::string text = to_json(sample_trace(), "gwatch");
    EXPECT_NE(text.find("\"start_delta_ns\":[100,0,600,100]"), std::string::npos);
    EXPECT_NE(text.find("\"mask\":[0,65535,0,0]"), std::string::npos);
}

TEST(Archive, PayloadsAreRowsAndBits) {
    const std::string text = to_json(sample_trace(), "gwatch");
    EXPECT_NE(text.find("\"line\":12,\"payload\":\"f32\"}"), std::string::npos);
    EXPECT_NE(text.find("\"payloads\":{\n\"row_delta\":[0,1,2],\n\"bits\":[1065353216,"
                        "18446744073709551614,0]}}"),
              std::string::npos);
    EXPECT_NE(text.find("\"row_delta\":[1],\n\"bits\":[9223372036854775808]"), std::string::npos);
}

TEST(Archive, WithoutPayloadsIsAsItWas) {
    Trace trace = sample_trace();
    trace::Run& run = trace.runs[0];
    for (Scope& scope : run.scopes) scope.payload = PayloadKind::kNone;
    run.slices.payloads = run.marks.payloads = run.orphan_starts.payloads = {};
    const std::string text = to_json(trace, "gwatch");
    EXPECT_EQ(text.find("payload"), std::string::npos);
    EXPECT_EQ(read_back(text).runs[0].scopes[0].payload, PayloadKind::kNone);
}

TEST(Archive, OfEveryKindOfPayload) {
    for (std::size_t kind = 1; kind < record::kPayloadNames.size(); ++kind) {
        Trace trace = sample_trace();
        trace.runs[0].scopes[1].payload = static_cast<PayloadKind>(kind);
        trace.runs[0].slices.payloads.bits[1] = trace.runs[0].marks.payloads.bits[0] = 0xffff'ffff;
        EXPECT_EQ(read_back(to_json(trace, "gwatch")).runs[0].scopes[1].payload,
                  trace.runs[0].scopes[1].payload);
    }
}

TEST(Archive, HostileStringsStayJson) {
    Trace trace = sample_trace();
    trace.title = "\xff\xfe\" \\ \n \x01 </script>";
    trace.runs[0].launch.kernel =
        "gr\xf6\xdf"
        "e\xc3";
    trace.runs[0].scopes[0].name =
        "\xe2\x82\xac ok, \xed\xa0\x80 surrogate, \xc0\xaf overlong, \xf5 outside";
    trace.runs[0].stage_seconds["\xe9tape"] = 1;
    const Trace again = read_back(to_json(trace, "g\xfcwatch"));
    EXPECT_EQ(again.title, "\xc3\xbf\xc3\xbe\" \\ \n \x01 </script>");
    EXPECT_EQ(again.runs[0].launch.kernel,
              "gr\xc3\xb6\xc3\x9f"
              "e\xc3\x83");
    EXPECT_EQ(again.runs[0].scopes[0].name,
              "\xe2\x82\xac ok, \xc3\xad\xc2\xa0\xc2\x80 surrogate, \xc3\x80\xc2\xaf overlong, "
              "\xc3\xb5 outside");
    EXPECT_EQ(again.runs[0].stage_seconds.at("\xc3\xa9tape"), 1);
    EXPECT_EQ(to_json(again, "gwatch"), to_json(read_back(to_json(again, "gwatch")), "gwatch"));
}

TEST(Archive, ReadersIgnoreUnknownKeys) {
    std::string text = to_json(sample_trace(), "gwatch");
    text.insert(1, "\"future\":{\"runs\":[{\"lanes\":{\"x\":[1,[2],{\"y\":3}]}}]},");
    text.insert(text.find("\"start_delta_ns\""), "\"energy_pj\":[1,2,3,4],");
    EXPECT_EQ(to_json(read_back(text), "gwatch"), to_json(sample_trace(), "gwatch"));
}

class ArchiveOnDisk : public ::testing::TestWithParam<const char*> {};

TEST_P(ArchiveOnDisk, RoundTrip) {
    const std::string path = ::testing::TempDir() + "/gwatch_archive_test" + GetParam();
    ASSERT_TRUE(write_archive(sample_trace(), "gwatch 0.1.0", path).ok());
    const auto again = read_archive(path);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(to_json(*again, "gwatch"), to_json(sample_trace(), "gwatch"));
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    const bool is_gzip = bytes.str().starts_with("\x1f\x8b");
    EXPECT_EQ(is_gzip, path.ends_with(".gz"));
    std::remove(path.c_str());
}
INSTANTIATE_TEST_SUITE_P(Extensions, ArchiveOnDisk, ::testing::Values(".json", ".json.gz"));

TEST(Archive, TruncatedGzip) {
    const std::string path = ::testing::TempDir() + "/gwatch_truncated.json.gz";
    ASSERT_TRUE(write_archive(sample_trace(), "gwatch 0.1.0", path).ok());
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    std::ofstream(path, std::ios::binary) << bytes.str().substr(0, bytes.str().size() / 2);
    const auto again = read_archive(path);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().message, "cannot read " + path + ": the gzip data end too early");
    std::remove(path.c_str());
}

TEST(Archive, MissingFile) {
    const auto read = read_archive("/nowhere/trace.json");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().kind, ErrorKind::kIo);
    EXPECT_EQ(read.error().message, "cannot read /nowhere/trace.json: No such file or directory");
    const auto written = write_archive({}, "gwatch", "/nowhere/trace.json.gz");
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().message,
              "cannot write /nowhere/trace.json.gz: No such file or directory");
}

TEST(Archive, FullDisk) {
    const auto written = write_archive(sample_trace(), "gwatch", "/dev/full");
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().message, "cannot write /dev/full: No space left on device");
}

TEST(Facts, TravelWithARawCapture) {
    const trace::Run sample = sample_trace().runs[0];
    trace::Run run;
    ASSERT_TRUE(set_facts(facts_to_json(sample), &run).ok());
    EXPECT_EQ(run.launch.kernel, sample.launch.kernel);
    EXPECT_EQ(run.launch.grid, sample.launch.grid);
    EXPECT_EQ(run.compile.original.registers, 118);
    EXPECT_EQ(run.stage_seconds, sample.stage_seconds);
    EXPECT_FALSE(run.fidelity);
}

TEST(Facts, OfFidelityTravelTooAndWarnOnTop) {
    trace::Run sample = sample_trace().runs[0];
    sample.fidelity.emplace();
    sample.fidelity->overhead = fidelity::Overhead{40, 1.25, 1.2, 1.3, 100, 125};
    trace::Run run;
    run.warnings = {"one of the decoder"};
    ASSERT_TRUE(set_facts(facts_to_json(sample), &run).ok());
    ASSERT_TRUE(run.fidelity && run.fidelity->overhead);
    EXPECT_EQ(run.fidelity->overhead->ratio, 1.25);
    ASSERT_EQ(run.warnings.size(), 2u);
    EXPECT_EQ(run.warnings[0].find("Tracing slows the kernel by 25.0 %"), 0u);
    EXPECT_EQ(run.warnings[1], "one of the decoder");
}

TEST(Facts, BrokenOnesLeaveTheRunAlone) {
    trace::Run run = sample_trace().runs[0];
    EXPECT_EQ(set_facts("{", &run).error().message,
              "the facts of a raw capture are broken: they are no JSON");
    EXPECT_EQ(set_facts("[]", &run).error().message,
              "the facts of a raw capture are broken: facts is no object");
    EXPECT_EQ(set_facts("{}", &run).error().message,
              "the facts of a raw capture are broken: facts.launch is missing");
    EXPECT_EQ(run.launch.kernel, "_Z6kernelPf");
}

}  // namespace
}  // namespace gwatch::trace
