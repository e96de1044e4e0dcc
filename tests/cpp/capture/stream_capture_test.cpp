#include "capture_fixture.h"

namespace gwatch::capture {

namespace {

/// Kernels that go into a graph, and kernels with module variables.
class StreamCaptureTest : public CaptureFixture {
  protected:
    const CUstream stream = reinterpret_cast<CUstream>(0x51);
};

TEST_F(StreamCaptureTest, AGraphKeepsItsModuleAndMemory) {
    driver.capturing.insert(stream);
    begin();
    const CUfunction traced = launch(kernel, kKernel, stream);
    EXPECT_NE(traced, kernel);
    driver.capturing.clear();
    run_kernel(traced);
    const CaptureResult result = hooks->end();
    ASSERT_EQ(result.launches.size(), 1u);
    EXPECT_TRUE(result.launches[0].info.in_stream_capture);
    EXPECT_EQ(driver.synchronized_contexts, 1);
    EXPECT_GT(driver.live_objects(), 0u);
    run_kernel(traced);
}

TEST_F(StreamCaptureTest, EveryReplayStartsFromZero) {
    driver.capturing.insert(stream);
    begin();
    launch(kernel, kKernel, stream);
    EXPECT_EQ(driver.stream_operations(stream), std::vector<std::string>{"set"});
    driver.capturing.clear();
    hooks->end();
}

TEST_F(StreamCaptureTest, AProgrammaticLaunchFollowsItsKernelDirectly) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    const CUlaunchConfig config{2, 1, 1, 64, 1, 1, 0, stream, &attribute, 1};
    cuLaunchKernelEx_params parameters{&config, kernel, nullptr, nullptr};
    driver.capturing.insert(stream);
    begin();
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, parameters, kKernel,
               [] { return CUDA_SUCCESS; });
    EXPECT_NE(parameters.f, kernel);
    EXPECT_TRUE(driver.stream_operations(stream).empty());
    driver.capturing.clear();
    hooks->end();
}

TEST_F(StreamCaptureTest, ACaptureThatIsStillOpenIsNotDisturbed) {
    driver.capturing.insert(stream);
    begin();
    launch(kernel, kKernel, stream);
    const CaptureResult result = hooks->end();
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_NE(result.failures[0].error.message.find("still being captured"), std::string::npos);
    EXPECT_EQ(driver.synchronized_contexts, 0);
}

TEST_F(StreamCaptureTest, APlainLaunchIsWaitedForByItsEvent) {
    begin();
    launch(kernel, kKernel, stream);
    EXPECT_EQ(driver.stream_operations(stream), std::vector<std::string>{"event"});
    hooks->end();
    EXPECT_EQ(driver.synchronized_contexts, 0);
}

TEST_F(StreamCaptureTest, WithoutTheEventTheContextIsWaitedFor) {
    FailingDriver failing(driver);
    set_up(failing);
    failing.fail_all("cuEventRecord", CUDA_ERROR_INVALID_HANDLE);
    begin();
    launch(kernel);
    EXPECT_EQ(hooks->end().launches.size(), 1u);
    EXPECT_EQ(driver.synchronized_contexts, 1);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(StreamCaptureTest, VariablesGoToTheTracedModuleAndBack) {
    preparer->result.value().module_variables = {"counter", "table", "not in the module"};
    run_kernel(kernel);
    run_kernel(kernel);
    begin();
    const CUfunction traced = launch(kernel, kKernel, stream);
    EXPECT_NE(traced, kernel);
    EXPECT_EQ(counter_of(traced), 3u) << "it started from the live value";
    EXPECT_EQ(counter_of(kernel), 3u) << "the original sees what it wrote";
    EXPECT_EQ(driver.stream_operations(stream),
              (std::vector<std::string>{"copy on device", "copy on device", "copy on device",
                                        "copy on device", "event"}));
    hooks->end();
}

TEST_F(StreamCaptureTest, VariablesOfDifferentSizesAreRefused) {
    FakeImage image = traced_image();
    image.variables["counter"] = 8;
    driver.add_image(kTraced, image);
    preparer->result.value().module_variables = {"counter"};
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_NE(result.failures[0].error.message.find("variable counter"), std::string::npos);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(StreamCaptureTest, VariablesThatCannotBeReachedStopTheTrace) {
    FailingDriver failing(driver);
    set_up(failing);
    failing.fail_all("cuFuncGetModule", CUDA_ERROR_NOT_SUPPORTED);
    preparer->result.value().module_variables = {"counter"};
    begin();
    EXPECT_EQ(launch(kernel), kernel);
    EXPECT_EQ(hooks->end().failures.size(), 1u);
}

}  // namespace

}  // namespace gwatch::capture
