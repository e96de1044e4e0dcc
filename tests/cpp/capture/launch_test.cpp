#include <unistd.h>

#include <cstring>
#include <fstream>

#include "capture_fixture.h"

namespace gwatch::capture {

namespace {

class LaunchTest : public CaptureFixture {
  protected:
    const TracedLaunch& only_launch(const CaptureResult& result) {
        EXPECT_EQ(result.launches.size(), 1u);
        for (const FailedLaunch& failed : result.failures)
            ADD_FAILURE() << failed.error.to_string();
        return result.launches.at(0);
    }
};

TEST_F(LaunchTest, SwapsTheHandleAndReadsTheRecords) {
    begin();
    const CUfunction ran = launch(kernel);
    EXPECT_NE(ran, kernel);
    const CaptureResult result = hooks->end();
    const TracedLaunch& traced = only_launch(result);
    EXPECT_EQ(traced.token, 77u);
    EXPECT_EQ(traced.info.kernel, "mm");
    EXPECT_EQ(traced.info.device_name, "Fake GPU 0");
    EXPECT_EQ(traced.info.sm_count, 132);
    EXPECT_EQ(traced.info.compute_capability, 90);
    EXPECT_EQ(traced.info.max_clock_khz, 1'980'000);
    EXPECT_EQ(traced.info.grid, (record::Dim3{2, 1, 1}));
    EXPECT_EQ(traced.info.block, (record::Dim3{64, 1, 1}));
    ASSERT_GE(traced.records.slots.size(), 5u);
    record::Slot slot;
    std::memcpy(&slot, &traced.records.slots[record::kHeaderSlots], sizeof slot);
    EXPECT_EQ(slot.clock_low, 2001u);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(LaunchTest, ADriverThatDoesNotSayTheClockIsNoFailure) {
    driver.clock_rate_code = CUDA_ERROR_INVALID_VALUE;
    begin();
    launch(kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_launch(result).info.max_clock_khz, 0);
}

TEST_F(LaunchTest, CountsGraphsWhoseKernelsItDoesNotSee) {
    begin();
    for (const CUpti_CallbackId id :
         {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz}) {
        cuGraphLaunch_params parameters{};
        cupti.call(id, parameters, nullptr, [] { return CUDA_SUCCESS; });
    }
    const CaptureResult result = hooks->end();
    EXPECT_EQ(result.graph_launches, 2u);
    EXPECT_EQ(result.matching_launches, 0u);
    EXPECT_TRUE(result.seen_kernels.empty());
    EXPECT_FALSE(cupti.is_enabled(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch));
}

TEST_F(LaunchTest, ReadsTheRecordsBeforeTheContextEnds) {
    for (const CUpti_CallbackId id : {CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2,
                                      CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2}) {
        begin("mm", 2);
        launch(kernel);
        cuCtxDestroy_v2_params parameters{};
        cupti.call(id, parameters, nullptr, [&] {
            EXPECT_EQ(driver.live_objects(), 0u);
            return CUDA_SUCCESS;
        });
        launch(kernel);
        const CaptureResult result = hooks->end();
        ASSERT_EQ(result.launches.size(), 2u);
        EXPECT_TRUE(result.failures.empty());
        for (const TracedLaunch& traced : result.launches) {
            EXPECT_GE(traced.records.slots.size(), 5u);
        }
    }
}

TEST_F(LaunchTest, NotesTheTimeOfEveryStage) {
    begin();
    launch(kernel);
    const CaptureResult result = hooks->end();
    for (const char* stage : {"prepare", "load", "allocate", "launch wait", "read back", "free"}) {
        ASSERT_TRUE(only_launch(result).stage_seconds.contains(stage)) << stage;
        EXPECT_GT(only_launch(result).stage_seconds.at(stage), 0) << stage;
    }
}

TEST_F(LaunchTest, SwapsInCuLaunchKernelEx) {
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = 2;
    cluster.value.clusterDim.y = 1;
    cluster.value.clusterDim.z = 1;
    const CUlaunchConfig config{4, 2, 1, 128, 1, 1, 0, nullptr, &cluster, 1};
    cuLaunchKernelEx_params parameters{&config, kernel, nullptr, nullptr};
    begin();
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, parameters, kKernel,
               [] { return CUDA_SUCCESS; });
    EXPECT_NE(parameters.f, kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_launch(result).info.grid, (record::Dim3{4, 2, 1}));
    EXPECT_EQ(only_launch(result).info.cluster, (record::Dim3{2, 1, 1}));
}

TEST_F(LaunchTest, SwapsInCuLaunchCooperativeKernel) {
    cuLaunchCooperativeKernel_params parameters{kernel, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr};
    begin();
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, parameters, kKernel,
               [] { return CUDA_SUCCESS; });
    EXPECT_NE(parameters.f, kernel);
    only_launch(hooks->end());
}

TEST_F(LaunchTest, PerThreadCallsUseThePerThreadStream) {
    cuLaunchKernel_ptsz_params plain{kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr};
    const CUlaunchConfig config{2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, 0};
    cuLaunchKernelEx_ptsz_params extended{&config, kernel, nullptr, nullptr};
    cuLaunchCooperativeKernel_ptsz_params cooperative{kernel, 2, 1, 1,       64,
                                                      1,      1, 0, nullptr, nullptr};
    const auto succeed = [] { return CUDA_SUCCESS; };
    begin("mm", 3);
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, plain, kKernel, succeed);
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, extended, kKernel, succeed);
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, cooperative, kKernel,
               succeed);
    const CaptureResult result = hooks->end();
    ASSERT_EQ(result.launches.size(), 3u);
    for (const TracedLaunch& traced : result.launches) {
        EXPECT_EQ(traced.info.stream, reinterpret_cast<std::uint64_t>(CU_STREAM_PER_THREAD));
    }
    EXPECT_NE(cooperative.f, kernel);
}

TEST_F(LaunchTest, TracesTheFirstMatchOnly) {
    begin();
    EXPECT_NE(launch(kernel), kernel);
    EXPECT_EQ(launch(kernel), kernel);
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    only_launch(result);
    EXPECT_EQ(result.matching_launches, 3u);
    EXPECT_EQ(result.skipped_launches, 2u);
}

TEST_F(LaunchTest, EachTracedLaunchHasAModuleAndMemoryOfItsOwn) {
    begin("mm", 2);
    const CUfunction first = launch(kernel);
    const CUfunction second = launch(kernel);
    EXPECT_NE(first, second);
    EXPECT_EQ(launch(kernel), kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(result.launches.size(), 2u);
    EXPECT_EQ(result.skipped_launches, 1u);
    EXPECT_EQ(preparer->calls, 1);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(LaunchTest, AnotherBlockShapeIsPreparedAnew) {
    begin("mm", 2);
    launch(kernel);
    cuLaunchKernel_params wide{kernel, 2, 1, 1, 48, 1, 1, 0, nullptr, nullptr, nullptr};
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, wide, kKernel, [] { return CUDA_SUCCESS; });
    hooks->end();
    EXPECT_EQ(preparer->calls, 2);
}

TEST_F(LaunchTest, AKernelLaunchedLongBeforeIsTraced) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(kernel), kernel);
    begin();
    EXPECT_NE(launch(kernel), kernel);
    hooks->end();
    EXPECT_EQ(launch(kernel), kernel);
}

TEST_F(LaunchTest, MatchesTheDemangledName) {
    driver.add_image(
        "\x7f"
        "ELF cpp",
        {"_ZN3foo6matmulIfEEvPT_", {{"counter", 4}}, {}, 4});
    const CUfunction function = driver.load_user_kernel(
        "\x7f"
        "ELF cpp");
    FakeImage traced = traced_image();
    traced.kernel = "_ZN3foo6matmulIfEEvPT_";
    driver.add_image(kTraced, traced);
    begin("foo::matmul<float>");
    EXPECT_NE(launch(function, "_ZN3foo6matmulIfEEvPT_"), function);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_launch(result).info.kernel_demangled, "void foo::matmul<float>(float*)");
}

TEST_F(LaunchTest, AKernelHandleIsResolvedToItsFunction) {
    const CUfunction handle = driver.as_kernel(kernel);
    begin();
    const CUfunction ran = launch(handle, nullptr);
    EXPECT_NE(ran, handle);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_launch(result).info.function, reinterpret_cast<std::uint64_t>(handle));
    EXPECT_EQ(only_launch(result).info.resolved_function, reinterpret_cast<std::uint64_t>(kernel));
}

TEST_F(LaunchTest, WithoutAMatchTheSeenKernelsAreListed) {
    begin(".*attention.*");
    EXPECT_EQ(launch(kernel), kernel);
    launch(kernel);
    launch(kernel, "softmax");
    const CaptureResult result = hooks->end();
    EXPECT_TRUE(result.launches.empty());
    EXPECT_TRUE(result.failures.empty());
    EXPECT_EQ(result.matching_launches, 0u);
    EXPECT_EQ(result.seen_kernels,
              (std::map<std::string, std::uint64_t>{{"mm", 2}, {"softmax", 1}}));
}

TEST_F(LaunchTest, AReusedHandleIsNotTakenForTheKernelItWas) {
    begin("mm");
    launch(kernel, "softmax");
    EXPECT_NE(launch(kernel, "mm"), kernel);
    EXPECT_EQ(hooks->end().seen_kernels.size(), 2u);
}

TEST_F(LaunchTest, CopiesTheAttributesThatDiffer) {
    auto& attributes = driver.function(kernel).attributes;
    attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = 100'000;
    attributes[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = 50;
    attributes[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = 1;
    begin();
    auto traced = driver.function(launch(kernel)).attributes;
    EXPECT_EQ(traced[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES], 100'000);
    EXPECT_EQ(traced[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT], 50);
    EXPECT_EQ(traced[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED], 1);
    hooks->end();
}

TEST_F(LaunchTest, AttributesThatOnlyTheLaunchShowsAreSet) {
    CUlaunchAttribute cluster{};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = 16;
    cluster.value.clusterDim.y = 1;
    cluster.value.clusterDim.z = 1;
    const CUlaunchConfig config{16, 1, 1, 64, 1, 1, 200'000, nullptr, &cluster, 1};
    cuLaunchKernelEx_params parameters{&config, kernel, nullptr, nullptr};
    begin();
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, parameters, kKernel,
               [] { return CUDA_SUCCESS; });
    auto traced = driver.function(parameters.f).attributes;
    EXPECT_EQ(traced[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES], 200'000);
    EXPECT_EQ(traced[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED], 1);
    hooks->end();
}

TEST_F(LaunchTest, TellsTheFactsOfBothBuilds) {
    driver.function(kernel).attributes[CU_FUNC_ATTRIBUTE_NUM_REGS] = 118;
    FakeImage traced = traced_image();
    traced.attributes = {{CU_FUNC_ATTRIBUTE_NUM_REGS, 121},
                         {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 8}};
    driver.add_image(kTraced, traced);
    begin();
    launch(kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_launch(result).original.registers, 118);
    EXPECT_EQ(only_launch(result).traced.registers, 121);
    EXPECT_EQ(only_launch(result).traced.local_bytes, 8);
}

TEST_F(LaunchTest, AGridOfClustersIsCountedInBlocks) {
    auto& attributes = driver.function(kernel).attributes;
    attributes[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = 4;
    preparer->result.value().grid_counts_clusters = true;
    begin();
    launch(kernel);
    const CaptureResult result = hooks->end();
    EXPECT_EQ(only_launch(result).info.grid, (record::Dim3{8, 1, 1}));
    EXPECT_EQ(only_launch(result).info.cluster, (record::Dim3{4, 1, 1}));
}

TEST_F(LaunchTest, TheLaunchesOfThePreparerAreNotSeen) {
    CUfunction inner = nullptr;
    preparer->on_prepare = [&](const LaunchInfo&) { inner = launch(kernel); };
    begin("mm", 2);
    EXPECT_NE(launch(kernel), kernel);
    EXPECT_EQ(inner, kernel);
    EXPECT_EQ(hooks->end().matching_launches, 1u);
}

TEST_F(LaunchTest, LaunchCallbacksAreOffOutsideACapture) {
    const auto id = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
    EXPECT_FALSE(cupti.is_enabled(id));
    begin();
    EXPECT_TRUE(cupti.is_enabled(id));
    hooks->end();
    EXPECT_FALSE(cupti.is_enabled(id));
}

TEST_F(LaunchTest, TheImageSeenAtLoadIsGivenToThePreparer) {
    std::string image(64, '\0');
    std::memcpy(image.data(),
                "\x7f"
                "ELF\x02",
                5);
    auto module = reinterpret_cast<CUmodule>(driver.function(kernel).module);
    cuModuleLoadData_params load{&module, image.data()};
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, load, nullptr,
               [] { return CUDA_SUCCESS; });
    std::string given;
    preparer->on_prepare = [&](const LaunchInfo& info) { given = info.image; };
    begin();
    launch(kernel);
    hooks->end();
    EXPECT_EQ(given, image);
}

TEST_F(LaunchTest, TheFileThatWasLoadedIsGivenToThePreparer) {
    const std::string path = testing::TempDir() + "gwatch_module_" + std::to_string(getpid());
    std::ofstream(path) << ".version 9.0";
    auto module = reinterpret_cast<CUmodule>(driver.function(kernel).module);
    cuModuleLoad_params load{&module, path.c_str()};
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, load, nullptr, [] { return CUDA_SUCCESS; });
    std::string given;
    preparer->on_prepare = [&](const LaunchInfo& info) { given = info.image; };
    begin();
    launch(kernel);
    hooks->end();
    EXPECT_EQ(given, ".version 9.0");
}

TEST_F(LaunchTest, TheImageOfALibraryIsFoundThroughItsKernel) {
    std::string image(64, '\0');
    std::memcpy(image.data(),
                "\x7f"
                "ELF\x02",
                5);
    auto library = reinterpret_cast<CUlibrary>(0x777);
    cuLibraryLoadData_params load{};
    load.library = &library;
    load.code = image.data();
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, load, nullptr,
               [] { return CUDA_SUCCESS; });
    std::string given;
    preparer->on_prepare = [&](const LaunchInfo& info) { given = info.image; };
    begin();
    launch(driver.as_kernel(kernel, 0x777));
    hooks->end();
    EXPECT_EQ(given, image);
}

TEST_F(LaunchTest, UnloadingForgetsImagesAndPreparations) {
    begin("mm", 2);
    launch(kernel);
    cuModuleUnload_params unload{reinterpret_cast<CUmodule>(0x999)};
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, unload, nullptr,
               [] { return CUDA_SUCCESS; });
    launch(kernel);
    hooks->end();
    EXPECT_EQ(preparer->calls, 2);
}

}  // namespace

}  // namespace gwatch::capture
