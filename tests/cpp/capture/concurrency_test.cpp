#include <atomic>
#include <thread>

#include "capture_fixture.h"

namespace gwatch::capture {

namespace {

using ConcurrencyTest = CaptureFixture;

TEST_F(ConcurrencyTest, ThreadsShareThePlaces) {
    constexpr int kThreads = 8;
    constexpr int kLaunches = 50;
    begin("mm", 20);
    std::atomic<int> swapped = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < kLaunches; ++k) swapped += launch(kernel) != kernel;
        });
    }
    for (std::thread& thread : threads) thread.join();
    const CaptureResult result = hooks->end();
    EXPECT_EQ(swapped, 20);
    EXPECT_EQ(result.launches.size(), 20u);
    EXPECT_EQ(result.matching_launches, std::uint64_t{kThreads * kLaunches});
    EXPECT_EQ(result.skipped_launches, result.matching_launches - 20);
    EXPECT_EQ(result.seen_kernels.at("mm"), std::uint64_t{kThreads * kLaunches});
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(ConcurrencyTest, TheEndWaitsForALaunchCallThatIsUnderWay) {
    std::atomic<bool> inside = false;
    std::atomic<bool> ended = false;
    begin();
    std::thread launching([&] {
        cuLaunchKernel_params parameters{kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr};
        cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, kKernel, [&] {
            inside = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            EXPECT_FALSE(ended);
            run_kernel(parameters.f);
            return CUDA_SUCCESS;
        });
    });
    while (!inside) std::this_thread::yield();
    const CaptureResult result = hooks->end();
    ended = true;
    launching.join();
    EXPECT_EQ(result.launches.size(), 1u);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(ConcurrencyTest, ALaunchCallThatDoesNotReturnIsAFailureAndKeepsItsMemory) {
    std::atomic<bool> inside = false;
    std::atomic<bool> go_on = false;
    begin();
    std::thread launching([&] {
        cuLaunchKernel_params parameters{kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr};
        cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, kKernel, [&] {
            inside = true;
            while (!go_on) std::this_thread::yield();
            run_kernel(parameters.f);
            return CUDA_SUCCESS;
        });
    });
    while (!inside) std::this_thread::yield();
    const CaptureResult result = hooks->end();
    EXPECT_TRUE(result.launches.empty());
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_NE(result.failures[0].error.message.find("has not returned"), std::string::npos);
    EXPECT_GT(driver.live_objects(), 0u);
    go_on = true;
    launching.join();
}

TEST_F(ConcurrencyTest, APreparationThatOutlastsTheEndIsNotSwappedIn) {
    std::atomic<bool> inside = false;
    std::atomic<bool> go_on = false;
    preparer->on_prepare = [&](const LaunchInfo&) {
        inside = true;
        while (!go_on) std::this_thread::yield();
    };
    begin();
    CUfunction ran = nullptr;
    std::thread launching([&] { ran = launch(kernel); });
    while (!inside) std::this_thread::yield();
    const CaptureResult result = hooks->end();
    EXPECT_TRUE(result.launches.empty());
    go_on = true;
    launching.join();
    EXPECT_EQ(ran, kernel);
    EXPECT_EQ(driver.live_objects(), 0u);
}

TEST_F(ConcurrencyTest, EachContextIsAskedForItsOwnLaunch) {
    begin("mm", 2);
    launch(kernel);
    std::thread other([&] {
        driver.make_current(FakeDriver::kContext + 1);
        launch(kernel);
    });
    other.join();
    const CaptureResult result = hooks->end();
    ASSERT_EQ(result.launches.size(), 2u);
    EXPECT_EQ(result.launches[0].info.device, 0);
    EXPECT_EQ(result.launches[1].info.device, 1);
    EXPECT_EQ(result.launches[1].info.device_name, "Fake GPU 1");
}

}  // namespace

}  // namespace gwatch::capture
