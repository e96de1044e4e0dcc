// A stand-in for libcuda.so.1 and libcupti.so in one, for the tests of the Python binding: its
// memory is the process's, an image is "\x7f" "ELF" and the name of its kernel, and fake_launch()
// calls back as CUPTI does. It is compiled by tests/python/test_capture_fake_cuda.py, without any
// header of CUDA.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

constexpr std::uint64_t kContext = 0xc0;
constexpr int kNotFound = 500;
constexpr int kTakenByAnother = 39;
constexpr std::uint32_t kLaunchKernel = 307;
constexpr std::size_t kConstantBytes = 72;

struct Module {
    std::string kernel;
    std::uint8_t constants[kConstantBytes];
};

/// CUpti_CallbackData
struct CallbackData {
    int site;
    const char* function_name;
    const void* parameters;
    void* return_value;
    const char* symbol_name;
    void* context;
    std::uint32_t context_id;
    std::uint64_t* correlation_data;
    std::uint32_t correlation_id;
};

/// cuLaunchKernel_params
struct LaunchParameters {
    Module* function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void* stream;
    void** arguments;
    void** extra;
};

using Callback = void (*)(void*, int, std::uint32_t, const void*);
Callback callback = nullptr;
void* user_data = nullptr;
std::map<std::uint32_t, bool> enabled;
int live = 0;

void call_back(std::uint32_t id, const CallbackData& data) {
    if (callback && enabled[id]) callback(user_data, 1, id, &data);
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int fake_live_objects() {
    return live;
}

/// A function of the user's program; a CUfunction is its module here.
EXPORT void* fake_load(const char* kernel) {
    return new Module{kernel, {}};
}

/// Launches a function of one parameter, with 2 blocks of 64 threads; gives the function that ran.
/// A traced one writes a region header; it has the launch constants as a second parameter, or in
/// its variable.
EXPORT void* fake_launch(void* function) {
    static std::uint32_t correlation = 0;
    std::uint64_t argument = 0;
    void* own[] = {&argument};
    LaunchParameters parameters{
        static_cast<Module*>(function), {2, 1, 1}, {64, 1, 1}, 0, nullptr, own, nullptr};
    const std::string name = parameters.function->kernel;
    int code = 0;
    CallbackData data{0, "cuLaunchKernel", &parameters,  &code, name.c_str(), nullptr,
                      0, nullptr,          ++correlation};
    call_back(kLaunchKernel, data);
    std::uint64_t regions = 0;
    const bool has_more = parameters.arguments != own;
    std::memcpy(&regions, has_more ? parameters.arguments[1] : parameters.function->constants,
                sizeof regions);
    if (regions) {
        const std::uint64_t header[4] = {1000, 2000, 0, 5};
        std::memcpy(reinterpret_cast<void*>(regions), header, sizeof header);
    }
    data.site = 1;
    call_back(kLaunchKernel, data);
    return parameters.function;
}

EXPORT int cuptiSubscribe(void** subscriber, Callback function, void* data) {
    if (callback || std::getenv("FAKE_CUPTI_TAKEN")) return kTakenByAnother;
    *subscriber = &callback;
    callback = function;
    user_data = data;
    return 0;
}
EXPORT int cuptiUnsubscribe(void*) {
    return 0;
}
EXPORT int cuptiEnableCallback(std::uint32_t on, void*, int, std::uint32_t id) {
    enabled[id] = on != 0;
    return 0;
}

EXPORT int cuCtxGetCurrent(std::uint64_t* context) {
    return *context = kContext, 0;
}
EXPORT int cuCtxPushCurrent_v2(std::uint64_t) {
    return 0;
}
EXPORT int cuCtxPopCurrent_v2(std::uint64_t* context) {
    return *context = kContext, 0;
}
EXPORT int cuCtxGetDevice(int* device) {
    return *device = 0, 0;
}
EXPORT int cuDeviceGetName(char* name, int size, int) {
    return std::strncpy(name, "Fake GPU", size), 0;
}
EXPORT int cuDeviceGetAttribute(int* value, int, int) {
    return *value = 9, 0;
}
EXPORT int cuFuncGetName(const char** name, Module* function) {
    return *name = function->kernel.c_str(), 0;
}
EXPORT int cuFuncGetModule(Module** module, Module* function) {
    return *module = function, 0;
}
EXPORT int cuFuncGetAttribute(int* value, int, Module*) {
    return *value = 32, 0;
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Module*, int, std::size_t) {
    return *blocks = 4, 0;
}
EXPORT int cuModuleLoadDataEx(Module** module, const char* image, unsigned, void*, void*) {
    ++live;
    *module = new Module{image + 4, {}};
    return 0;
}
EXPORT int cuModuleUnload(Module* module) {
    --live;
    delete module;
    return 0;
}
EXPORT int cuModuleGetFunction(Module** function, Module* module, const char* name) {
    *function = module;
    return module->kernel == name ? 0 : kNotFound;
}
EXPORT int cuModuleGetGlobal_v2(void** address, std::size_t* bytes, Module* module,
                                const char* name) {
    *address = module->constants;
    *bytes = kConstantBytes;
    return std::strcmp(name, "gwatch_launch") == 0 ? 0 : kNotFound;
}
EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return *free = *total = 1 << 24, 0;
}
EXPORT int cuMemAlloc_v2(void** address, std::size_t bytes) {
    ++live;
    *address = std::malloc(bytes);
    return 0;
}
EXPORT int cuMemFree_v2(void* address) {
    --live;
    std::free(address);
    return 0;
}
EXPORT int cuMemsetD8Async(void* address, unsigned char value, std::size_t bytes, void*) {
    return std::memset(address, value, bytes), 0;
}
EXPORT int cuMemcpyHtoDAsync_v2(void* to, const void* from, std::size_t bytes, void*) {
    return std::memcpy(to, from, bytes), 0;
}
EXPORT int cuMemcpyDtoHAsync_v2(void* to, const void* from, std::size_t bytes, void*) {
    return std::memcpy(to, from, bytes), 0;
}
EXPORT int cuStreamCreate(void** stream, unsigned) {
    ++live;
    *stream = &live;
    return 0;
}
EXPORT int cuStreamDestroy_v2(void*) {
    --live;
    return 0;
}
EXPORT int cuStreamSynchronize(void*) {
    return 0;
}
EXPORT int cuEventCreate(void** event, unsigned) {
    ++live;
    *event = &live;
    return 0;
}
EXPORT int cuEventRecord(void*, void*) {
    return 0;
}
EXPORT int cuEventSynchronize(void*) {
    return std::getenv("FAKE_CUDA_TRAPS") ? 700 : 0;
}
EXPORT int cuEventElapsedTime(float* milliseconds, void*, void*) {
    return *milliseconds = 0.25f, 0;
}
EXPORT int cuEventDestroy_v2(void*) {
    --live;
    return 0;
}
EXPORT int cuThreadExchangeStreamCaptureMode(int*) {
    return 0;
}
EXPORT int cuGetErrorName(int code, const char** name) {
    return *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER", 0;
}
EXPORT int cuGetErrorString(int, const char** text) {
    return *text = "no text", 0;
}

/// CUDA_MEMCPY2D
struct Rectangle {
    std::size_t from_x, from_y;
    int from_type;
    const void* from_host;
    const std::uint8_t* from;
    void* from_array;
    std::size_t from_pitch;
    std::size_t to_x, to_y;
    int to_type;
    std::uint8_t* to;
    void* to_device;
    void* to_array;
    std::size_t to_pitch;
    std::size_t width, height;
};
EXPORT int cuMemcpy2DAsync_v2(const Rectangle* copy, void*) {
    for (std::size_t row = 0; row < copy->height; ++row) {
        std::memcpy(copy->to + row * copy->to_pitch, copy->from + row * copy->from_pitch,
                    copy->width);
    }
    return 0;
}
