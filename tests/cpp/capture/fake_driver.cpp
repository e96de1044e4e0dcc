#include "fake_driver.h"

#include <algorithm>

namespace gwatch::capture {

namespace {

thread_local std::vector<std::uint64_t> contexts{FakeDriver::kContext};
thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

template <class Handle>
Handle handle_of(std::uint64_t number) {
    return reinterpret_cast<Handle>(number);
}

}  // namespace

FakeDriver::FakeDriver() {
    contexts = {kContext};
    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
}

void FakeDriver::add_image(const std::string& bytes, FakeImage image) {
    const std::lock_guard lock(mutex_);
    images_[bytes] = std::move(image);
}

CUdeviceptr FakeDriver::reserve(std::size_t bytes) {
    const CUdeviceptr address = next_address_;
    next_address_ += (bytes + 511) / 256 * 256;
    memory_[address].assign(bytes, 0xaa);
    return address;
}

CUfunction FakeDriver::load(const std::string& bytes, CUmodule* module) {
    const FakeImage& image = images_.at(bytes);
    *module = handle_of<CUmodule>(next_handle_++);
    const auto function = handle_of<CUfunction>(next_handle_++);
    functions_[function] = {image.kernel, reinterpret_cast<std::uint64_t>(*module),
                            image.attributes, image.blocks_per_sm};
    FakeModule& loaded = modules_[*module];
    loaded.functions = {function};
    for (const auto& [name, size] : image.variables) {
        loaded.variables[name] = {reserve(size), size};
        std::fill_n(at(loaded.variables[name].first, size), size, std::uint8_t{0});
    }
    return function;
}

CUfunction FakeDriver::load_user_kernel(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    CUmodule module = nullptr;
    const CUfunction function = load(bytes, &module);
    user_modules_.insert(module);
    return function;
}

CUfunction FakeDriver::as_kernel(CUfunction function, std::uint64_t library) {
    const std::lock_guard lock(mutex_);
    const auto kernel = handle_of<CUfunction>(next_handle_++);
    kernels_[kernel] = function;
    libraries_[kernel] = library;
    return kernel;
}

FakeFunction& FakeDriver::function(CUfunction handle) {
    const std::lock_guard lock(mutex_);
    return functions_.at(handle);
}

FakeModule& FakeDriver::module(CUmodule handle) {
    const std::lock_guard lock(mutex_);
    return modules_.at(handle);
}

std::uint8_t* FakeDriver::at(CUdeviceptr address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto block = memory_.upper_bound(address);
    if (block == memory_.begin()) throw std::out_of_range("no such device memory");
    --block;
    const std::size_t offset = address - block->first;
    if (offset + bytes > block->second.size()) throw std::out_of_range("past the device memory");
    return block->second.data() + offset;
}

void FakeDriver::make_current(std::uint64_t context) {
    contexts = {context};
}

void FakeDriver::destroy_user_module(CUmodule handle) {
    const std::lock_guard lock(mutex_);
    for (const CUfunction function : modules_.at(handle).functions) functions_.erase(function);
    modules_.erase(handle);
    user_modules_.erase(handle);
}

std::size_t FakeDriver::live_objects() {
    const std::lock_guard lock(mutex_);
    return allocations_.size() + (modules_.size() - user_modules_.size()) + streams_.size() +
           events_.size();
}

std::vector<std::string> FakeDriver::stream_operations(CUstream stream) {
    const std::lock_guard lock(mutex_);
    return operations_[stream];
}

CUstreamCaptureMode FakeDriver::capture_mode() {
    return mode;
}

void FakeDriver::note(CUstream stream, const std::string& operation) {
    operations_[stream].push_back(operation);
}

CUresult FakeDriver::context_get_current(CUcontext* context) {
    *context = contexts.empty() ? nullptr : handle_of<CUcontext>(contexts.back());
    return CUDA_SUCCESS;
}

CUresult FakeDriver::context_push(CUcontext context) {
    contexts.push_back(reinterpret_cast<std::uint64_t>(context));
    return CUDA_SUCCESS;
}

CUresult FakeDriver::context_pop(CUcontext* context) {
    *context = handle_of<CUcontext>(contexts.back());
    contexts.pop_back();
    return CUDA_SUCCESS;
}

CUresult FakeDriver::context_get_device(CUdevice* device) {
    *device = static_cast<int>(contexts.back() - kContext);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::context_synchronize() {
    ++synchronized_contexts;
    return context_code;
}

CUresult FakeDriver::device_get_name(char* name, int size, CUdevice device) {
    const std::string text = "Fake GPU " + std::to_string(device);
    std::strncpy(name, text.c_str(), static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
}

CUresult FakeDriver::device_get_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
    *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT       ? kMultiprocessors
             : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
             : attribute == CU_DEVICE_ATTRIBUTE_CLOCK_RATE               ? kMaxClockKhz
                                                                         : 0;
    return attribute == CU_DEVICE_ATTRIBUTE_CLOCK_RATE ? clock_rate_code : CUDA_SUCCESS;
}

CUresult FakeDriver::function_get_name(const char** name, CUfunction function) {
    const std::lock_guard lock(mutex_);
    const auto found = functions_.find(function);
    if (found == functions_.end()) return CUDA_ERROR_INVALID_HANDLE;
    *name = found->second.name.c_str();
    return CUDA_SUCCESS;
}

CUresult FakeDriver::function_get_module(CUmodule* module, CUfunction function) {
    const std::lock_guard lock(mutex_);
    const auto found = functions_.find(function);
    if (found == functions_.end()) return CUDA_ERROR_INVALID_HANDLE;
    *module = handle_of<CUmodule>(found->second.module);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::function_get_attribute(int* value, CUfunction_attribute attribute,
                                            CUfunction function) {
    const std::lock_guard lock(mutex_);
    const auto found = functions_.find(function);
    if (found == functions_.end()) return CUDA_ERROR_INVALID_HANDLE;
    *value = found->second.attributes[attribute];
    return CUDA_SUCCESS;
}

CUresult FakeDriver::function_get_parameter(CUfunction, std::size_t, std::size_t* offset,
                                            std::size_t*) {
    if (parameter_offset == 0) return CUDA_ERROR_NOT_SUPPORTED;
    *offset = parameter_offset;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::function_set_attribute(CUfunction function, CUfunction_attribute attribute,
                                            int value) {
    const std::lock_guard lock(mutex_);
    functions_.at(function).attributes[attribute] = value;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::kernel_get_function(CUfunction* function, CUkernel kernel) {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(reinterpret_cast<CUfunction>(kernel));
    if (found == kernels_.end()) return CUDA_ERROR_INVALID_HANDLE;
    *function = found->second;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::kernel_get_library(CUlibrary* library, CUkernel kernel) {
    const std::lock_guard lock(mutex_);
    const auto found = libraries_.find(reinterpret_cast<CUfunction>(kernel));
    if (found == libraries_.end()) return CUDA_ERROR_INVALID_HANDLE;
    *library = handle_of<CUlibrary>(found->second);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::blocks_per_sm(int* blocks, CUfunction function, int, std::size_t) {
    const std::lock_guard lock(mutex_);
    *blocks = functions_.at(function).blocks_per_sm;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::module_load(CUmodule* module, const void* image, unsigned count,
                                 CUjit_option* options, void** values) {
    const std::lock_guard lock(mutex_);
    if (!jit_log.empty()) {
        for (unsigned i = 0; i < count; ++i) {
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
                std::strcpy(static_cast<char*>(values[i]), jit_log.c_str());
            }
        }
        return CUDA_ERROR_INVALID_PTX;
    }
    const std::string bytes = static_cast<const char*>(image);
    if (!images_.contains(bytes)) return CUDA_ERROR_INVALID_IMAGE;
    load(bytes, module);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::module_unload(CUmodule module) {
    const std::lock_guard lock(mutex_);
    if (!modules_.contains(module)) return CUDA_ERROR_INVALID_HANDLE;
    for (const CUfunction function : modules_[module].functions) functions_.erase(function);
    modules_.erase(module);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::module_get_function(CUfunction* function, CUmodule module, const char* name) {
    const std::lock_guard lock(mutex_);
    for (const CUfunction candidate : modules_.at(module).functions) {
        if (functions_.at(candidate).name != name) continue;
        *function = candidate;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult FakeDriver::module_get_variable(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                                         const char* name) {
    const std::lock_guard lock(mutex_);
    const auto& variables = modules_.at(module).variables;
    const auto found = variables.find(name);
    if (found == variables.end()) return CUDA_ERROR_NOT_FOUND;
    std::tie(*address, *bytes) = found->second;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::memory_get_info(std::size_t* free, std::size_t* total) {
    *free = free_bytes;
    *total = 2 * free_bytes;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::memory_allocate(CUdeviceptr* address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > free_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
    if (mode != CU_STREAM_CAPTURE_MODE_RELAXED && !capturing.empty()) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    *address = reserve(bytes);
    allocations_.insert(*address);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::memory_free(CUdeviceptr address) {
    const std::lock_guard lock(mutex_);
    if (allocations_.erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
    memory_.erase(address);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::memory_set(CUdeviceptr address, unsigned char value, std::size_t bytes,
                                CUstream stream) {
    const std::lock_guard lock(mutex_);
    std::fill_n(at(address, bytes), bytes, value);
    note(stream, "set");
    return CUDA_SUCCESS;
}

CUresult FakeDriver::copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes,
                                    CUstream stream) {
    const std::lock_guard lock(mutex_);
    std::memcpy(at(to, bytes), from, bytes);
    note(stream, "copy to device");
    return CUDA_SUCCESS;
}

CUresult FakeDriver::copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                    CUstream stream) {
    const std::lock_guard lock(mutex_);
    std::memmove(at(to, bytes), at(from, bytes), bytes);
    note(stream, "copy on device");
    return CUDA_SUCCESS;
}

CUresult FakeDriver::copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    const std::lock_guard lock(mutex_);
    std::memcpy(to, at(from, bytes), bytes);
    note(stream, "copy to host");
    return CUDA_SUCCESS;
}

CUresult FakeDriver::copy_rows(const CUDA_MEMCPY2D* copy, CUstream stream) {
    const std::lock_guard lock(mutex_);
    if (copy->srcPitch < copy->WidthInBytes) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t row = 0; row < copy->Height; ++row) {
        std::memcpy(static_cast<std::uint8_t*>(copy->dstHost) + row * copy->dstPitch,
                    at(copy->srcDevice + row * copy->srcPitch, copy->WidthInBytes),
                    copy->WidthInBytes);
    }
    note(stream, "copy rows");
    return CUDA_SUCCESS;
}

CUresult FakeDriver::stream_create(CUstream* stream, unsigned) {
    const std::lock_guard lock(mutex_);
    *stream = handle_of<CUstream>(next_handle_++);
    streams_.insert(*stream);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::stream_destroy(CUstream stream) {
    const std::lock_guard lock(mutex_);
    return streams_.erase(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult FakeDriver::stream_synchronize(CUstream) {
    return CUDA_SUCCESS;
}

CUresult FakeDriver::stream_is_capturing(CUstream stream, CUstreamCaptureStatus* status) {
    const std::lock_guard lock(mutex_);
    *status = capturing.contains(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                         : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::stream_get_context(CUstream, CUcontext* context) {
    return context_get_current(context);
}

CUresult FakeDriver::event_create(CUevent* event, unsigned) {
    const std::lock_guard lock(mutex_);
    *event = handle_of<CUevent>(next_handle_++);
    events_.insert(*event);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::event_record(CUevent, CUstream stream) {
    const std::lock_guard lock(mutex_);
    note(stream, "event");
    return CUDA_SUCCESS;
}

CUresult FakeDriver::event_synchronize(CUevent) {
    return event_code;
}

CUresult FakeDriver::event_elapsed(float* milliseconds, CUevent, CUevent) {
    *milliseconds = elapsed_ms;
    return event_code;
}

CUresult FakeDriver::event_destroy(CUevent event) {
    const std::lock_guard lock(mutex_);
    return events_.erase(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult FakeDriver::exchange_capture_mode(CUstreamCaptureMode* new_mode) {
    std::swap(*new_mode, mode);
    return CUDA_SUCCESS;
}

CUresult FakeDriver::error_name(CUresult code, const char** name) {
    static const std::map<CUresult, const char*> kNames{
        {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"}};
    const auto found = kNames.find(code);
    *name = found == kNames.end() ? "CUDA_ERROR_OTHER" : found->second;
    return CUDA_SUCCESS;
}

CUresult FakeDriver::error_string(CUresult, const char** text) {
    *text = "some text";
    return CUDA_SUCCESS;
}

CUresult FailingDriver::before(const std::string& symbol) {
    static const std::set<std::string> kNeverFail{
        "cuGetErrorName",     "cuGetErrorString",
        "cuMemFree_v2",       "cuModuleUnload",
        "cuEventDestroy_v2",  "cuStreamDestroy_v2",
        "cuCtxPopCurrent_v2", "cuThreadExchangeStreamCaptureMode"};
    if (const auto found = always_.find(symbol); found != always_.end()) return found->second;
    if (countdown_ < 0 || kNeverFail.contains(symbol)) return CUDA_SUCCESS;
    if (countdown_-- > 0) return CUDA_SUCCESS;
    failed_ = symbol;
    return code_;
}

}  // namespace gwatch::capture
