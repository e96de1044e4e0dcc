#include "capture_fixture.h"

namespace gwatch::capture {

namespace {

class TimingTest : public CaptureFixture {
  protected:
    void begin_timing(const std::string& pattern = "mm") {
        const Result<void> begun = hooks->begin_timing({pattern, 1, 1 << 20, 0}, preparer);
        ASSERT_TRUE(begun.ok()) << begun.error().to_string();
    }
    CUfunction timed_launch(bool traced, CUstream stream = nullptr) {
        hooks->time_next(traced);
        return launch(kernel, kKernel, stream);
    }
};

TEST_F(TimingTest, TimesOriginalAndTracedLaunchesByTurns) {
    begin_timing();
    EXPECT_EQ(timed_launch(false), kernel);
    const CUfunction first = timed_launch(true);
    EXPECT_NE(first, kernel);
    EXPECT_EQ(timed_launch(false), kernel);
    EXPECT_EQ(timed_launch(true), first) << "the traced build is loaded once";
    const TimingResult result = hooks->end_timing();
    EXPECT_TRUE(result.failures.empty());
    ASSERT_EQ(result.launches.size(), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(result.launches[i].turn, i);
        EXPECT_EQ(result.launches[i].traced, i % 2 == 1);
        EXPECT_DOUBLE_EQ(result.launches[i].duration_ns, 250'000);
    }
    EXPECT_EQ(preparer->calls, 1);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(TimingTest, RestsAheadOfEachLaunchAndPutsNothingBetweenItsEvents) {
    begin_timing();
    timed_launch(true);
    timed_launch(false);
    EXPECT_NEAR(clock.paused_seconds, 0.006, 1e-9);
    const std::vector<std::string> operations = driver.stream_operations(nullptr);
    // The traced launch's own end mark stands behind its two events.
    EXPECT_EQ(operations, (std::vector<std::string>{"event", "event", "event", "event", "event"}));
    hooks->end_timing();
}

TEST_F(TimingTest, OnlyTheFirstMatchingLaunchOfATurnIsTimed) {
    begin_timing();
    EXPECT_EQ(launch(kernel), kernel) << "no turn yet";
    hooks->time_next(true);
    EXPECT_EQ(launch(kernel, "other"), kernel);
    EXPECT_NE(launch(kernel), kernel);
    EXPECT_EQ(launch(kernel), kernel);
    EXPECT_EQ(hooks->end_timing().launches.size(), 1u);
}

TEST_F(TimingTest, EachTracedLaunchStartsWithoutRecordsAndWithTheOriginalsVariables) {
    preparer->result = PreparedKernel{kTraced, false, 77, {"counter"}, false};
    begin_timing();
    const CUfunction traced = timed_launch(true);
    const auto module = reinterpret_cast<CUmodule>(driver.function(traced).module);
    const auto constants = driver.read<record::LaunchConstants>(
        driver.module(module).variables.at(record::kConstantsName).first);
    record::Control used{};
    used.chunks_taken = 7;
    driver.write(constants.control, used);
    EXPECT_EQ(counter_of(kernel), 1u);
    timed_launch(true);
    EXPECT_EQ(counter_of(kernel), 2u);
    EXPECT_EQ(driver.read<record::Control>(constants.control).chunks_taken, 0u);
    hooks->end_timing();
}

TEST_F(TimingTest, AStreamThatIsBeingCapturedIsNotTimed) {
    CUstream stream = nullptr;
    driver.stream_create(&stream, 0);
    driver.capturing.insert(stream);
    begin_timing();
    EXPECT_EQ(timed_launch(true, stream), kernel);
    const TimingResult result = hooks->end_timing();
    EXPECT_TRUE(result.launches.empty());
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_NE(result.failures[0].error.message.find("being captured"), std::string::npos);
    driver.stream_destroy(stream);
}

TEST_F(TimingTest, AnErrorOfThePreparerLeavesTheOriginalToRun) {
    preparer->result = Error{ErrorKind::kSource, "no PTX"};
    begin_timing();
    EXPECT_EQ(timed_launch(true), kernel);
    EXPECT_EQ(timed_launch(false), kernel);
    const TimingResult result = hooks->end_timing();
    EXPECT_EQ(result.launches.size(), 1u);
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_EQ(result.failures[0].error.message, "no PTX");
}

TEST_F(TimingTest, AKernelThatFailsIsAFailureNotATime) {
    begin_timing();
    timed_launch(true);
    driver.event_code = CUDA_ERROR_ILLEGAL_ADDRESS;
    const TimingResult result = hooks->end_timing();
    EXPECT_TRUE(result.launches.empty());
    EXPECT_EQ(result.failures.size(), 1u);
    driver.event_code = CUDA_SUCCESS;
}

TEST_F(TimingTest, TimingAndCapturingExcludeEachOther) {
    begin();
    EXPECT_FALSE(hooks->begin_timing({"mm", 1, 0, 0}, preparer).ok());
    hooks->end();
    begin_timing();
    EXPECT_FALSE(hooks->begin({"mm", 1, 0, 0}, preparer).ok());
    hooks->end_timing();
    begin();
    EXPECT_NE(launch(kernel), kernel);
    EXPECT_EQ(hooks->end().launches.size(), 1u);
    EXPECT_TRUE(hooks->end_timing().launches.empty()) << "none was under way";
}

}  // namespace

}  // namespace gwatch::capture
