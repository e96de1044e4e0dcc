#include <array>

#include "capture/guards.h"
#include "capture/traced_build.h"

namespace gwatch::capture {

namespace {

/// The stream's context: a CUkernel is launched there. The default streams belong to the current
/// one.
CUcontext context_of(Driver& driver, CUstream stream) {
    CUcontext context = nullptr;
    const bool is_default =
        stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
    if (!is_default && driver.stream_get_context(stream, &context) == CUDA_SUCCESS && context) {
        return context;
    }
    driver.context_get_current(&context);
    return context;
}

bool is_capturing(Driver& driver, CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver.stream_is_capturing(stream, &status) == CUDA_SUCCESS &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

int attribute(Driver& driver, CUfunction function, CUfunction_attribute which) {
    int value = 0;
    return driver.function_get_attribute(&value, which, function) == CUDA_SUCCESS ? value : 0;
}

record::Dim3 required_cluster(Driver& driver, CUfunction function) {
    constexpr std::array kAttributes{CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                     CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
    record::Dim3 cluster{1, 1, 1};
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        const int blocks = attribute(driver, function, kAttributes[i]);
        if (blocks > 0) cluster[i] = static_cast<std::uint32_t>(blocks);
    }
    return cluster;
}

std::string image_of(Driver& driver, ImageStore& images, CUfunction handle, CUfunction function) {
    CUmodule module = nullptr;
    driver.function_get_module(&module, function);
    std::string image = images.find(module);
    if (!image.empty() || handle == function) return image;
    CUlibrary library = nullptr;
    driver.kernel_get_library(&library, reinterpret_cast<CUkernel>(handle));
    return images.find(library);
}

Result<void> describe_device(Driver& driver, LaunchInfo& info) {
    CUdevice device = 0;
    std::array<char, 256> name{};
    int major = 0;
    int minor = 0;
    Result<void> found = check(driver, driver.context_get_device(&device), "cuCtxGetDevice",
                               "to find the device of the launch");
    if (!found.ok()) return found;
    found = check(driver, driver.device_get_name(name.data(), name.size() - 1, device),
                  "cuDeviceGetName", "for device " + std::to_string(device));
    if (!found.ok()) return found;
    for (const auto& [which, value] :
         {std::pair{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info.sm_count},
          std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
          std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor}}) {
        found = check(driver, driver.device_get_attribute(value, which, device),
                      "cuDeviceGetAttribute", "for attribute " + std::to_string(which));
        if (!found.ok()) return found;
    }
    if (driver.device_get_attribute(&info.max_clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device) !=
        CUDA_SUCCESS) {
        info.max_clock_khz = 0;
    }
    info.device = device;
    info.device_name = name.data();
    info.compute_capability = 10 * major + minor;
    return {};
}

}  // namespace

Result<LaunchInfo> describe_launch(Driver& driver, ImageStore& images, const LaunchCall& call,
                                   const SeenKernel& kernel) {
    LaunchInfo info;
    const CUfunction handle = *call.function;
    const CUcontext context = context_of(driver, call.stream);
    const CurrentContext current(driver, context);
    if (Result<void> entered = current.status(); !entered.ok()) return entered.error();
    if (Result<void> described = describe_device(driver, info); !described.ok()) {
        return described.error();
    }
    const CUfunction function = resolve(driver, handle);
    info.kernel = kernel.name;
    info.kernel_demangled = kernel.demangled;
    info.function = reinterpret_cast<std::uint64_t>(handle);
    info.resolved_function = reinterpret_cast<std::uint64_t>(function);
    info.context = reinterpret_cast<std::uint64_t>(context);
    info.grid = call.grid;
    info.block = call.block;
    info.cluster = call.cluster.value_or(required_cluster(driver, function));
    info.dynamic_shared_bytes = call.dynamic_shared_bytes;
    info.stream = reinterpret_cast<std::uint64_t>(call.stream);
    info.in_stream_capture = is_capturing(driver, call.stream);
    info.image = image_of(driver, images, handle, function);
    return info;
}

}  // namespace gwatch::capture
