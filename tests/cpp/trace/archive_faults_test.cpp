// Broken archives, each a file of tests/data/traces named by its fault.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "sample_trace.h"
#include "trace/archive.h"
#include "trace/statistics.h"

namespace gwatch::trace {
namespace {

const std::string kFolder = GWATCH_TEST_DATA "/traces/";
const std::string kForeign = "is no gwatch trace: ";
const std::string kBroken = "is a broken gwatch trace: ";

/// What reading each file must say, behind its path.
const std::map<std::string, std::string> kFaults = {
    {"bad-empty.json", kForeign + "the text ends too early, after byte 0"},
    {"bad-truncated.json", kForeign + "the text ends too early, after byte 220"},
    {"bad-trailing-comma.json", kForeign + "its JSON breaks at byte 53"},
    {"bad-not-json.json", kForeign + "its JSON breaks at byte 2"},
    {"bad-not-an-object.json", kForeign + "it is JSON, but no object"},
    {"bad-other-format.json", kForeign + "it lacks \"format\": \"gwatch-trace\""},
    {"bad-newer-version.json",
     "was written by gwatch 9.0.0 in version 2 of the format; this gwatch reads versions up to 1"},
    {"bad-version-text.json", kBroken + "version is no whole number from 1 up"},
    {"bad-no-runs.json", kBroken + "runs is no array"},
    {"bad-missing-field.json", kBroken + "runs[0].launch.dsl is missing"},
    {"bad-field-type.json",
     kBroken + "runs[0].launch.grid[1] is no whole number from 0 to 4294967295"},
    {"bad-missing-column.json", kBroken + "runs[0].slices.duration_ns is missing"},
    {"bad-column-length.json",
     kBroken + "runs[0].slices.duration_ns has 3 values, start_delta_ns has 4"},
    {"bad-column-value.json",
     kBroken + "runs[0].lanes.block holds something else than whole numbers of 64 bits"},
    {"bad-slice-count.json",
     kBroken + "runs[0].slices has 4 rows, but lanes.slice_count adds up to 5"},
    {"bad-scope-index.json", kBroken + "runs[0].slices.scope[2] is 7, outside of 0 to 1"},
    {"bad-lane-index.json", kBroken + "runs[0].marks.lane[1] is 3, outside of 0 to 2"},
    {"bad-negative-duration.json",
     kBroken + "runs[0].slices.duration_ns[0] is -1, outside of 0 to 9007199254740992"},
    {"bad-exit-before-entry.json", kBroken + "runs[0].lanes.exit_ns[2] is before enter_ns"},
    {"bad-no-depth.json", kBroken + "runs[0].slices has neither depth nor scope_depth"},
    {"bad-scope-depth-length.json",
     kBroken + "runs[0].slices.scope_depth has 3 values for a scope table of 2"},
    {"bad-times-overflow.json",
     kBroken + "runs[0].slices of lane 0 start later than 9007199254740992 ns"},
    {"bad-payload-kind.json",
     kBroken + "runs[0].scopes[0].payload is no kind of payload: s32, u32, f32, s64, u64, f64, "
               "bits"},
    {"bad-payload-kind-type.json", kBroken + "runs[0].scopes[0].payload is no string"},
    {"bad-payload-row.json",
     kBroken + "runs[0].slices.payloads.row_delta[1] leads to row 4 of a table of 4"},
    {"bad-payload-order.json", kBroken + "runs[0].slices.payloads.row_delta[1] is 0: rows ascend"},
    {"bad-payload-scope.json",
     kBroken + "runs[0].slices.payloads.row_delta[1] leads to row 1, whose scope wait has no kind "
               "of payload"},
    {"bad-payload-length.json",
     kBroken + "runs[0].slices.payloads.bits has 1 values, row_delta has 2"},
    {"bad-payload-no-bits.json", kBroken + "runs[0].slices.payloads.bits is missing"},
    {"bad-payload-no-rows.json", kBroken + "runs[0].slices.payloads.row_delta is missing"},
    {"bad-payload-bits.json",
     kBroken + "runs[0].slices.payloads.bits[0] has more than the 32 bits of scope load"},
    {"bad-payload-negative.json",
     kBroken + "runs[0].slices.payloads.bits holds something else than whole numbers from 0 to "
               "2^64 - 1"},
    {"bad-payload-too-big.json",
     kBroken + "runs[0].slices.payloads.bits holds something else than whole numbers from 0 to "
               "2^64 - 1"},
    {"bad-payload-mark.json",
     kBroken + "runs[0].marks.payloads.row_delta[0] leads to row 5 of a table of 2"},
};

class ArchiveFaultFiles
    : public ::testing::TestWithParam<std::pair<const std::string, std::string>> {};

TEST_P(ArchiveFaultFiles, SaysWhatIsWrong) {
    const std::string path = kFolder + GetParam().first;
    const auto trace = read_archive(path);
    ASSERT_FALSE(trace.ok());
    EXPECT_EQ(trace.error().kind, ErrorKind::kArchive);
    EXPECT_EQ(trace.error().message, path + " " + GetParam().second);
    EXPECT_FALSE(trace.error().hint.empty());
}

std::string name_of_fault(const ::testing::TestParamInfo<ArchiveFaultFiles::ParamType>& fault) {
    std::string name = fault.param.first.substr(4, fault.param.first.size() - 9);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Files, ArchiveFaultFiles, ::testing::ValuesIn(kFaults), name_of_fault);

TEST(ArchiveFaults, EveryBadFileIsListed) {
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
        const std::string name = entry.path().filename().string();
        EXPECT_TRUE(!name.starts_with("bad-") || kFaults.count(name) == 1) << name;
    }
}

TEST(ArchiveFaults, EveryTruncationIsRefused) {
    const std::string text = to_json(sample_trace(), "gwatch");
    for (std::size_t size = 0; size + 2 < text.size(); ++size) {
        EXPECT_FALSE(from_json(text.substr(0, size), "x").ok()) << size;
    }
}

TEST(ArchiveFaults, AnyByteMayBeWrong) {
    const std::string text = to_json(sample_trace(), "gwatch");
    std::mt19937 random(1);
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = text;
        for (int i = 0; i < 2; ++i)
            damaged[random() % text.size()] = "0123456789,:[]{}\"-e.x"[random() % 21];
        const auto trace = from_json(damaged, "x");
        if (!trace.ok()) continue;
        ++accepted;
        for (const trace::Run& run : trace->runs) {
            scope_statistics(run);
            pipeline_summary(run);
        }
        to_json(*trace, "gwatch");
    }
    EXPECT_GT(accepted, 100);
}

TEST(ArchiveFaults, DeepNestingIsNoTrouble) {
    const std::string deep(200'000, '[');
    EXPECT_FALSE(from_json(deep, "x").ok());
    EXPECT_FALSE(from_json("{\"runs\":[{\"lanes\":{\"block\":" + deep, "x").ok());
    EXPECT_FALSE(from_json(deep + std::string(200'000, ']'), "x").ok());
}

}  // namespace
}  // namespace gwatch::trace
