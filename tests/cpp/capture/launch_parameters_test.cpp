#include "capture/launch_parameters.h"

#include <cstddef>
#include <cstring>
#include <functional>

#include "capture_fixture.h"

namespace gwatch::capture {

namespace {

constexpr record::ParameterPlace kBehindTwo{2, 16};

struct Packed {
    std::uint64_t pointer = 0x1234;
    std::uint32_t number = 56;
};

/// A traced kernel of two parameters, which has the launch constants as its third.
class LaunchParametersTest : public CaptureFixture {
  protected:
    LaunchParametersTest() {
        FakeImage traced = traced_image();
        traced.variables.erase(record::kConstantsName);
        driver.add_image(kTraced, traced);
        preparer->result.value().parameter = kBehindTwo;
    }

    template <class Parameters>
    void call(CUpti_CallbackId id, Parameters& parameters, const std::function<void()>& look) {
        cupti.call(id, parameters, kKernel, [&] {
            look();
            return CUDA_SUCCESS;
        });
    }

    template <class Parameters>
    void call(CUpti_CallbackId id, Parameters& parameters) {
        cupti.call(id, parameters, kKernel, [&] {
            see(parameters.kernelParams);
            if constexpr (requires { parameters.extra; }) see_packed(parameters.extra);
            return CUDA_SUCCESS;
        });
    }

    void see(void** kernel_parameters) {
        if (!kernel_parameters) return;
        pointers.assign(kernel_parameters, kernel_parameters + 2);
        std::memcpy(&constants, kernel_parameters[2], sizeof constants);
    }

    void see_packed(void** extra) {
        if (!extra) return;
        ASSERT_EQ(extra[0], CU_LAUNCH_PARAM_BUFFER_POINTER);
        ASSERT_EQ(extra[2], CU_LAUNCH_PARAM_BUFFER_SIZE);
        EXPECT_EQ(extra[4], CU_LAUNCH_PARAM_END);
        ASSERT_EQ(*static_cast<std::size_t*>(extra[3]), 16 + sizeof constants);
        std::memcpy(&packed, extra[1], sizeof packed);
        std::memcpy(&constants, static_cast<char*>(extra[1]) + 16, sizeof constants);
    }

    std::uint64_t pointer = 0x77;
    std::uint32_t number = 8;
    void* own[2] = {&pointer, &number};
    std::vector<void*> pointers;  ///< of the kernel's own, as the driver got them
    Packed packed{0, 0};
    record::LaunchConstants constants{};
};

TEST_F(LaunchParametersTest, EveryWayToLaunchPassesTheConstants) {
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 64;
    config.blockDimY = config.blockDimZ = 1;
    begin("mm", 6);
    cuLaunchKernel_params plain{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, own, nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, plain);
    EXPECT_EQ(pointers, (std::vector<void*>{&pointer, &number}));
    EXPECT_NE(constants.regions, 0u);
    EXPECT_EQ(constants.pool_place, constants.pool - constants.regions);

    pointers.clear();
    cuLaunchKernelEx_params extended{&config, kernel, own, nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, extended);
    EXPECT_EQ(pointers, (std::vector<void*>{&pointer, &number}));

    pointers.clear();
    cuLaunchCooperativeKernel_params cooperative{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, own};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, cooperative);
    EXPECT_EQ(pointers, (std::vector<void*>{&pointer, &number}));
    EXPECT_TRUE(hooks->end().failures.empty());
}

TEST_F(LaunchParametersTest, ABufferOfParametersGrows) {
    Packed own_packed;
    std::size_t bytes = sizeof own_packed;
    // The order of the two keys is free.
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER,
                     &own_packed, CU_LAUNCH_PARAM_END};
    begin();
    cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters);
    EXPECT_EQ(packed.pointer, 0x1234u);
    EXPECT_EQ(packed.number, 56u);
    EXPECT_NE(constants.regions, 0u);
    EXPECT_EQ(bytes, sizeof own_packed) << "the caller's own";
    EXPECT_TRUE(hooks->end().failures.empty());
}

/// ptxas aligns addresses in the constant bank, so what the instrumenter computed may be wrong.
TEST_F(LaunchParametersTest, TheDriverSaysWhereTheConstantsStand) {
    preparer->result.value().parameter = record::ParameterPlace{2, 0};
    driver.parameter_offset = 24;
    std::byte own_packed[24] = {std::byte{7}};
    std::size_t bytes = sizeof own_packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, own_packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &bytes, CU_LAUNCH_PARAM_END};
    begin();
    cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, [&] {
        EXPECT_EQ(*static_cast<std::size_t*>(parameters.extra[3]), 24 + sizeof constants);
        EXPECT_EQ(*static_cast<std::byte*>(parameters.extra[1]), std::byte{7});
        std::memcpy(&constants, static_cast<char*>(parameters.extra[1]) + 24, sizeof constants);
    });
    EXPECT_NE(constants.regions, 0u);
    EXPECT_TRUE(hooks->end().failures.empty());
}

TEST_F(LaunchParametersTest, AnOlderDriverTracesNoBufferWithAnUnknownPlace) {
    preparer->result.value().parameter = record::ParameterPlace{2, 0};
    Packed own_packed;
    std::size_t bytes = sizeof own_packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &own_packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &bytes, CU_LAUNCH_PARAM_END};
    begin("mm", 2);
    cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, [&] {
        EXPECT_EQ(parameters.f, kernel);
        EXPECT_EQ(parameters.extra, extra);
    });
    const auto captured = hooks->end();
    ASSERT_EQ(captured.failures.size(), 1u);
    EXPECT_NE(captured.failures[0].error.hint.find("12.4"), std::string::npos);
}

TEST_F(LaunchParametersTest, ABufferThatTheDriverRefusesStaysAsItIs) {
    std::uint64_t too_little = 1;
    std::size_t bytes = sizeof too_little;
    int unknown = 0;
    void* const kPointer = CU_LAUNCH_PARAM_BUFFER_POINTER;
    void* const kSize = CU_LAUNCH_PARAM_BUFFER_SIZE;
    void* refused[][5] = {{CU_LAUNCH_PARAM_END},
                          {kSize, &bytes, CU_LAUNCH_PARAM_END},
                          {kPointer, &too_little, CU_LAUNCH_PARAM_END},
                          {kPointer, &too_little, kSize, nullptr, CU_LAUNCH_PARAM_END},
                          {kPointer, &too_little, kSize, &bytes, CU_LAUNCH_PARAM_END},
                          {&unknown, &unknown, CU_LAUNCH_PARAM_END}};
    begin("mm", 6);
    for (auto& extra : refused) {
        cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra};
        call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters,
             [&] { EXPECT_EQ(parameters.extra, extra); });
    }
    hooks->end();
}

/// The driver says what is wrong with it.
TEST_F(LaunchParametersTest, ACallWithoutItsParametersStaysAsItIs) {
    begin();
    cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters);
    EXPECT_EQ(parameters.kernelParams, nullptr);
    EXPECT_EQ(parameters.extra, nullptr);
    hooks->end();
}

TEST_F(LaunchParametersTest, AKernelWithoutParametersGetsItsFirst) {
    preparer->result.value().parameter = record::ParameterPlace{0, 0};
    begin();
    cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr};
    cupti.call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters, kKernel, [&] {
        std::memcpy(&constants, parameters.kernelParams[0], sizeof constants);
        return CUDA_SUCCESS;
    });
    EXPECT_NE(constants.regions, 0u);
    hooks->end();
}

/// A traced build is used again for each timed launch, whose parameters may be others.
TEST_F(LaunchParametersTest, EachTimedLaunchPassesItsOwn) {
    ASSERT_TRUE(hooks->begin_timing({"mm", 1, 1 << 20, 0}, preparer).ok());
    std::uint64_t other = 5;
    void* others[2] = {&other, &number};
    for (void** launched : {own, others}) {
        hooks->time_next(true);
        constants = {};
        cuLaunchKernel_params parameters{kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, launched, nullptr};
        call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, parameters);
        EXPECT_EQ(pointers, (std::vector<void*>{launched[0], launched[1]}));
        EXPECT_NE(constants.regions, 0u);
    }
    EXPECT_TRUE(hooks->end_timing().failures.empty());
}

}  // namespace

}  // namespace gwatch::capture
