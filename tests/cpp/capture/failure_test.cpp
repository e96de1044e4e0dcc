#include "capture_fixture.h"

namespace gwatch::capture {

namespace {

class FailureTest : public CaptureFixture {
  protected:
    const Error& only_failure(const CaptureResult& result) {
        EXPECT_TRUE(result.launches.empty());
        EXPECT_EQ(result.failures.size(), 1u);
        return result.failures.at(0).error;
    }
};

TEST_F(FailureTest, AFailedPreparationLeavesTheOriginal) {
    preparer->result = Error{ErrorKind::kNoMarkers, "kernel mm has no marker"};
    begin("mm", 5);
    EXPECT_EQ(launch(kernel), kernel);
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_failure(result).kind, ErrorKind::kNoMarkers);
    EXPECT_EQ(result.failures[0].kernel, "mm");
    EXPECT_EQ(preparer->calls, 1) << "a failed kernel is not prepared again";
    EXPECT_EQ(result.matching_launches, 2u);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(FailureTest, AFailedKernelLeavesItsPlaceToAnother) {
    driver.add_image(
        "\x7f"
        "ELF mm2",
        {"mm2", {{"counter", 4}}, {}, 4});
    const CUfunction other = driver.load_user_kernel(
        "\x7f"
        "ELF mm2");
    FakeImage traced = traced_image();
    traced.kernel = "mm2";
    driver.add_image(kTraced, traced);
    begin("mm", 1);
    EXPECT_EQ(launch(kernel), kernel) << "the traced image has no kernel mm";
    EXPECT_NE(launch(other, "mm2"), other);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(result.launches.size(), 1u);
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_NE(
        result.failures[0].error.message.find("cuModuleGetFunction failed to find the kernel"),
        std::string::npos);
}

TEST_F(FailureTest, AThrowingPreparerLeavesTheOriginal) {
    preparer->on_prepare = [](const LaunchInfo&) { throw std::runtime_error("out of luck"); };
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    EXPECT_EQ(only_failure(hooks->end()).detail, "out of luck");
}

TEST_F(FailureTest, ATrapIsAFailureThatNamesTheKernel) {
    begin();
    launch(kernel);
    driver.event_code = CUDA_ERROR_ILLEGAL_ADDRESS;
    const CaptureResult result = hooks->end();
    const Error& error = only_failure(result);
    EXPECT_EQ(error.kind, ErrorKind::kDriver);
    EXPECT_NE(error.message.find("kernel mm ended with CUDA_ERROR_ILLEGAL_ADDRESS (700"),
              std::string::npos)
        << error.message;
    EXPECT_FALSE(error.hint.empty());
}

TEST_F(FailureTest, OutOfMemorySaysHowMuchWasAsked) {
    FailingDriver failing(driver);
    set_up(failing);
    failing.fail_all("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY);
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    const Error& error = only_failure(result);
    EXPECT_NE(error.message.find("cuMemAlloc_v2 failed to allocate"), std::string::npos);
    EXPECT_NE(error.message.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
    EXPECT_NE(error.hint.find("buffer_bytes"), std::string::npos);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(FailureTest, TheLogOfTheDriversCompilerIsKept) {
    preparer->result.value().image = ".version 99.0";
    driver.jit_log = "ptxas fatal: Unsupported .version 99.0";
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_failure(result).detail, driver.jit_log);
    EXPECT_NE(only_failure(result).message.find("CUDA_ERROR_INVALID_PTX"), std::string::npos);
}

TEST_F(FailureTest, ABuildThatNoLongerFitsIsNotLaunched) {
    FakeImage traced = traced_image();
    traced.blocks_per_sm = 0;
    traced.attributes = {{CU_FUNC_ATTRIBUTE_NUM_REGS, 255}};
    driver.add_image(kTraced, traced);
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    EXPECT_NE(only_failure(result).detail.find("255"), std::string::npos);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(FailureTest, ACooperativeGridMustStayResident) {
    FakeImage traced = traced_image();
    traced.blocks_per_sm = 3;
    driver.add_image(kTraced, traced);
    const unsigned blocks = 4 * FakeDriver::kMultiprocessors;
    cuLaunchCooperativeKernel_params parameters{kernel, blocks, 1, 1,       32,
                                                1,      1,      0, nullptr, nullptr};
    begin();
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, parameters, kKernel,
               [] { return CUDA_SUCCESS; });
    EXPECT_EQ(parameters.f, kernel);
    EXPECT_NE(only_failure(hooks->end()).message.find("3 blocks fit"), std::string::npos);
}

TEST_F(FailureTest, ARefusedLaunchIsAFailure) {
    begin();
    EXPECT_NE(launch(kernel, kKernel, nullptr, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_failure(result).kind, ErrorKind::kDriver);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(FailureTest, ConstantsOfAnotherSizeAreRefused) {
    FakeImage traced = traced_image();
    traced.variables[record::kConstantsName] = 48;
    driver.add_image(kTraced, traced);
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    EXPECT_NE(only_failure(hooks->end()).message.find("has 48 bytes instead of 72"),
              std::string::npos);
}

TEST_F(FailureTest, ABadPatternIsAUsageError) {
    const Result<void> begun = hooks->begin({"mm(", 1, 0, 0}, preparer);
    ASSERT_FALSE(begun.ok());
    EXPECT_EQ(begun.error().kind, ErrorKind::kUsage);
    EXPECT_NE(begun.error().message.find("'mm('"), std::string::npos);
    EXPECT_EQ(hooks->end().launches.size(), 0u);
}

TEST_F(FailureTest, CapturesDoNotNest) {
    begin();
    const Result<void> second = hooks->begin({"mm", 1, 0, 0}, preparer);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().kind, ErrorKind::kUsage);
    hooks->end();
    begin();
    hooks->end();
}

TEST_F(FailureTest, ARefusedCallbackUndoesTheBeginning) {
    cupti.refused = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx};
    const Result<void> begun = hooks->begin({"mm", 1, 0, 0}, preparer);
    ASSERT_FALSE(begun.ok());
    EXPECT_EQ(begun.error().kind, ErrorKind::kCapture);
    EXPECT_FALSE(cupti.is_enabled(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
}

/// Fails each driver call of a traced launch in turn, from the enter callback to the end.
class EachCallFails : public CaptureFixture, public ::testing::WithParamInterface<bool> {
  protected:
    /// The call that failed, at any stage of a launch; empty once there is none so late.
    std::string fail(FailingDriver& failing, int number) {
        const std::size_t live_before = driver.live_objects();
        begin();
        if (GetParam()) driver.capturing.insert(stream);
        failing.fail(number, CUDA_ERROR_ILLEGAL_ADDRESS);
        const CUfunction ran = launch(kernel, kKernel, stream);
        driver.capturing.clear();
        const CaptureResult result = hooks->end();
        const std::string failed = failing.failed();
        failing.fail(-1, CUDA_SUCCESS);
        EXPECT_EQ(result.launches.size() + result.failures.size(), 1u) << failed;
        EXPECT_EQ(result.failures.empty(), result.launches.size() == 1) << failed;
        if (ran == kernel) {
            EXPECT_EQ(result.failures.size(), 1u) << failed;
            EXPECT_EQ(driver.live_objects(), live_before) << failed;
            if (!result.failures.empty()) {
                EXPECT_NE(result.failures[0].error.message.find(failed), std::string::npos)
                    << result.failures[0].error.message << " does not name " << failed;
            }
        }
        EXPECT_EQ(driver.capture_mode(), CU_STREAM_CAPTURE_MODE_GLOBAL) << failed;
        ++failed_calls[failed];
        return failed;
    }

    CUstream stream = reinterpret_cast<CUstream>(0x51);
    std::map<std::string, int> failed_calls;
};

TEST_P(EachCallFails, NothingLeaksAndTheOriginalRuns) {
    FailingDriver failing(driver);
    set_up(failing);
    preparer->result.value().module_variables = {"counter"};
    int number = 0;
    while (!fail(failing, number).empty() && number < 200) ++number;
    for (const char* call :
         {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemAlloc_v2", "cuMemGetInfo_v2",
          "cuModuleGetGlobal_v2", "cuMemsetD8Async", "cuMemcpyHtoDAsync_v2", "cuStreamCreate",
          "cuEventCreate", "cuMemcpyDtoDAsync_v2"}) {
        EXPECT_GT(failed_calls[call], 0) << call;
    }
}

INSTANTIATE_TEST_SUITE_P(PlainAndCaptured, EachCallFails, ::testing::Bool());

}  // namespace

}  // namespace gwatch::capture
