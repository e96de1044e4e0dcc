#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "capture/hooks.h"
#include "fake_cupti.h"
#include "fake_driver.h"

namespace gwatch::capture {

/// Every look at it is a millisecond later.
class FakeClock : public Clock {
  public:
    double now() override { return 0.001 * ticks_++; }
    void pause(double seconds) override { paused_seconds = paused_seconds + seconds; }

    std::atomic<double> paused_seconds = 0;

  private:
    std::atomic<int> ticks_ = 0;
};

/// Gives the traced image that a test names, or its error.
class FakePreparer : public Preparer {
  public:
    Result<PreparedKernel> prepare(const LaunchInfo& launch) override {
        ++calls;
        if (on_prepare) on_prepare(launch);
        return result;
    }

    std::atomic<int> calls = 0;
    std::function<void(const LaunchInfo&)> on_prepare;
    Result<PreparedKernel> result{PreparedKernel{}};
};

/// A user's program with one kernel `mm`, hooks that are on, and a traced build of it.
class CaptureFixture : public ::testing::Test {
  protected:
    static constexpr char kOriginal[] =
        "\x7f"
        "ELF mm";
    static constexpr char kTraced[] =
        "\x7f"
        "ELF traced mm";
    static constexpr char kKernel[] = "mm";

    CaptureFixture() { set_up(driver); }

    void set_up(Driver& used_driver) {
        driver.add_image(kOriginal, {kKernel, {{"counter", 4}, {"table", 8}}, {}, 4});
        driver.add_image(kTraced, traced_image());
        kernel = driver.load_user_kernel(kOriginal);
        preparer->result = PreparedKernel{kTraced, false, 77, {}, false};
        hooks = std::make_unique<Hooks>(used_driver, clock, std::chrono::milliseconds(200));
        const Result<void> started = hooks->start({"libcupti.so"}, opens(cupti));
        ASSERT_TRUE(started.ok());
    }

    static FakeImage traced_image() {
        return {kKernel,
                {{record::kConstantsName, sizeof(record::LaunchConstants)},
                 {"counter", 4},
                 {"table", 8}},
                {},
                4};
    }

    void begin(const std::string& pattern = "mm", std::uint32_t max_launches = 1) {
        const Result<void> begun = hooks->begin({pattern, max_launches, 1 << 20, 0}, preparer);
        ASSERT_TRUE(begun.ok()) << begun.error().to_string();
    }

    /// Launches through cuLaunchKernel; gives the function that the driver got in the end.
    CUfunction launch(CUfunction function, const char* name = kKernel, CUstream stream = nullptr,
                      CUresult code = CUDA_SUCCESS) {
        cuLaunchKernel_params parameters{function, 2, 1, 1, 64, 1, 1, 0, stream, nullptr, nullptr};
        cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, name, [&] {
            if (code == CUDA_SUCCESS) run_kernel(parameters.f);
            return code;
        });
        return parameters.f;
    }

    /// What a kernel does: counts up its module's counter; a traced one writes one region's header
    /// and a record.
    void run_kernel(CUfunction function) {
        const auto module = reinterpret_cast<CUmodule>(driver.function(function).module);
        const auto& variables = driver.module(module).variables;
        const CUdeviceptr counter = variables.at("counter").first;
        const std::lock_guard lock(running_);
        driver.write(counter, driver.read<std::uint32_t>(counter) + 1);
        const auto constants = variables.find(record::kConstantsName);
        if (constants == variables.end()) return;
        const auto launch_constants = driver.read<record::LaunchConstants>(constants->second.first);
        driver.write(launch_constants.regions, record::RegionHeader{1000, 2000, 0, 5, 0});
        driver.write(launch_constants.regions + sizeof(record::RegionHeader),
                     record::Slot{2001, 1, 0});
    }

    std::uint32_t counter_of(CUfunction function) {
        const auto module = reinterpret_cast<CUmodule>(driver.function(function).module);
        return driver.read<std::uint32_t>(driver.module(module).variables.at("counter").first);
    }

    FakeDriver driver;
    FakeCuptiState cupti;
    FakeClock clock;
    std::shared_ptr<FakePreparer> preparer = std::make_shared<FakePreparer>();
    std::unique_ptr<Hooks> hooks;
    CUfunction kernel = nullptr;

  private:
    std::mutex running_;
};

}  // namespace gwatch::capture
