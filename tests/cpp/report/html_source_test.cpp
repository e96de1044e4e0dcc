#include "report/html_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "make_run.h"

namespace gwatch::report {

using testing::make_run;

namespace {

constexpr const char* kLongAgo = "2020-01-01T00:00:00Z";
constexpr const char* kFarAhead = "2099-01-01T00:00:00Z";

class HtmlSource : public ::testing::Test {
  protected:
    HtmlSource() { std::filesystem::create_directories(folder_); }
    ~HtmlSource() override { std::filesystem::remove_all(folder_); }

    /// A file of `lines` lines "line 1", "line 2", ...
    std::string write(const std::string& name, int lines, const std::string& end = "\n") const {
        const std::string path = folder_ / name;
        std::ofstream file(path, std::ios::binary);
        for (int line = 1; line <= lines; ++line) file << "line " << line << end;
        return path;
    }

    static trace::Run run_with(const std::vector<std::pair<std::string, std::uint32_t>>& places) {
        trace::Run run = make_run();
        run.scopes.clear();
        for (const auto& [file, line] : places) run.scopes.push_back({"scope", -1, file, line});
        return run;
    }

  private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("gwatch-source-" + std::to_string(getpid()));
};

}  // namespace

TEST_F(HtmlSource, LinesAroundScopesJoinWhereTheyTouch) {
    const std::string path = write("kernel.py", 100);
    const auto files =
        source_facts(run_with({{path, 30}, {path, 3}, {path, 14}, {path, 99}}), kFarAhead, true);
    ASSERT_EQ(files.size(), 1u);
    const auto& parts = files[0]["parts"];
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0]["first_line"], 1);
    EXPECT_EQ(parts[0]["lines"].size(), 38u);
    EXPECT_EQ(parts[0]["lines"][37], "line 38");
    EXPECT_EQ(parts[1]["first_line"], 91);
    EXPECT_EQ(parts[1]["lines"].back(), "line 100");
}

TEST_F(HtmlSource, LineThatTheFileDoesNotHaveIsPassedOver) {
    const std::string path = write("kernel.cu", 5);
    const auto files =
        source_facts(run_with({{path, 0}, {path, 6}, {path, 4'000'000'000}}), kFarAhead, true);
    EXPECT_TRUE(files[0]["parts"].empty());
}

TEST_F(HtmlSource, CarriageReturnsAndLongLinesAreCut) {
    const std::string path = write("kernel.cu", 2, std::string(5000, 'x') + "\r\n");
    const auto files = source_facts(run_with({{path, 1}}), kFarAhead, true);
    const std::string line = files[0]["parts"][0]["lines"][0];
    EXPECT_EQ(line.size(), 400u);
    EXPECT_EQ(line.find('\r'), std::string::npos);
}

TEST_F(HtmlSource, OnlySourceFilesAreRead) {
    const std::string secret = write("secret", 5);
    const std::string key = write("id.pem", 5);
    const std::string large = write("large.py", 1'000'000);
    const auto files = source_facts(
        run_with({{secret, 1}, {key, 1}, {large, 1}, {"/dev/zero", 1}, {"/nowhere/a.py", 1}}),
        kFarAhead, true);
    ASSERT_EQ(files.size(), 5u);
    for (const auto& file : files) EXPECT_TRUE(file["parts"].empty()) << file["file"];
}

TEST_F(HtmlSource, NothingIsReadWhenToldSo) {
    const std::string path = write("kernel.py", 5);
    const auto files = source_facts(run_with({{path, 1}}), kFarAhead, false);
    EXPECT_EQ(files[0]["file"], path);
    EXPECT_TRUE(files[0]["parts"].empty());
}

TEST_F(HtmlSource, FileThatIsNewerThanTheTraceIsMarked) {
    const std::string path = write("kernel.py", 5);
    EXPECT_EQ(source_facts(run_with({{path, 1}}), kLongAgo, true)[0]["changed"], true);
    EXPECT_EQ(source_facts(run_with({{path, 1}}), kFarAhead, true)[0]["changed"], false);
    EXPECT_EQ(source_facts(run_with({{path, 1}}), "no date", true)[0]["changed"], false);
}

TEST_F(HtmlSource, ScopesWithoutLinesNameNoFile) {
    EXPECT_TRUE(source_facts(run_with({{"", 0}}), kFarAhead, true).empty());
}

}  // namespace gwatch::report
