#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "capture/driver.h"

namespace gwatch::capture {

/// What a fake image holds when it is loaded. Its text stands for cubin bytes or PTX.
struct FakeImage {
    std::string kernel;
    std::map<std::string, std::size_t> variables = {};  ///< name -> bytes
    std::map<CUfunction_attribute, int> attributes = {};
    int blocks_per_sm = 4;
};

struct FakeFunction {
    std::string name;
    std::uint64_t module = 0;
    std::map<CUfunction_attribute, int> attributes;
    int blocks_per_sm = 4;
};

struct FakeModule {
    std::map<std::string, std::pair<CUdeviceptr, std::size_t>> variables;
    std::vector<CUfunction> functions;
};

/// A driver without a device: memory is bytes, streams run at once. Thread-safe.
class FakeDriver : public Driver {
  public:
    static constexpr std::uint64_t kContext = 0xc0;
    static constexpr int kMultiprocessors = 132;
    static constexpr int kMaxClockKhz = 1'980'000;

    FakeDriver();

#define GWATCH_DRIVER_CALL(method, symbol, parameters, arguments) \
    CUresult method parameters override;
#include "capture/driver_calls.def"
#undef GWATCH_DRIVER_CALL

    void add_image(const std::string& bytes, FakeImage image);
    /// Loads an image as the user's program does; gives the function of its kernel.
    CUfunction load_user_kernel(const std::string& bytes);
    /// A CUkernel handle that stands for a function.
    CUfunction as_kernel(CUfunction function, std::uint64_t library = 0);
    FakeFunction& function(CUfunction handle);
    FakeModule& module(CUmodule handle);
    std::uint8_t* at(CUdeviceptr address, std::size_t bytes);
    template <class T>
    T read(CUdeviceptr address) {
        const std::lock_guard lock(mutex_);
        T value;
        std::memcpy(&value, at(address, sizeof value), sizeof value);
        return value;
    }
    template <class T>
    void write(CUdeviceptr address, const T& value) {
        const std::lock_guard lock(mutex_);
        std::memcpy(at(address, sizeof value), &value, sizeof value);
    }
    void make_current(std::uint64_t context);
    void destroy_user_module(CUmodule handle);

    std::size_t free_bytes = std::size_t{64} << 20;
    CUresult event_code = CUDA_SUCCESS;       ///< of cuEventSynchronize
    CUresult clock_rate_code = CUDA_SUCCESS;  ///< of cuDeviceGetAttribute for the clock rate
    float elapsed_ms = 0.25f;                 ///< of cuEventElapsedTime
    CUresult context_code = CUDA_SUCCESS;     ///< of cuCtxSynchronize
    std::size_t parameter_offset = 0;         ///< of each parameter; 0: the driver does not tell
    std::string jit_log;                      ///< text images then fail to load, with this log
    std::set<CUstream> capturing;
    std::atomic<int> synchronized_contexts = 0;

    std::size_t
    live_objects();  ///< memory, modules, streams and events not given back, besides the user's
    std::vector<std::string> stream_operations(CUstream stream);
    CUstreamCaptureMode capture_mode();  ///< of this thread

  private:
    CUfunction load(const std::string& bytes, CUmodule* module);
    CUdeviceptr reserve(std::size_t bytes);
    void note(CUstream stream, const std::string& operation);

    std::recursive_mutex mutex_;
    std::uint64_t next_handle_ = 0x1000;
    CUdeviceptr next_address_ = 0x10000000;
    std::map<CUdeviceptr, std::vector<std::uint8_t>> memory_;
    std::map<std::string, FakeImage> images_;
    std::map<CUmodule, FakeModule> modules_;
    std::map<CUfunction, FakeFunction> functions_;
    std::map<CUfunction, CUfunction> kernels_;
    std::map<CUfunction, std::uint64_t> libraries_;
    std::set<CUmodule> user_modules_;
    std::set<CUdeviceptr> allocations_;
    std::set<CUstream> streams_;
    std::set<CUevent> events_;
    std::map<CUstream, std::vector<std::string>> operations_;
};

/// Passes calls on, and fails one of them.
class FailingDriver : public Driver {
  public:
    explicit FailingDriver(Driver& inner) : inner_(inner) {}

#define GWATCH_DRIVER_CALL(method, symbol, parameters, arguments)           \
    CUresult method parameters override {                                   \
        const CUresult failure = before(#symbol);                           \
        return failure == CUDA_SUCCESS ? inner_.method arguments : failure; \
    }
#include "capture/driver_calls.def"
#undef GWATCH_DRIVER_CALL

    /// From now on the `number`-th call (from 0) fails; calls that give back or describe do not
    /// count.
    void fail(int number, CUresult code) {
        countdown_ = number;
        code_ = code;
        failed_.clear();
    }
    /// Every call of this symbol fails.
    void fail_all(const std::string& symbol, CUresult code) { always_[symbol] = code; }
    const std::string& failed() const { return failed_; }

  private:
    CUresult before(const std::string& symbol);

    Driver& inner_;
    int countdown_ = -1;
    CUresult code_ = CUDA_SUCCESS;
    std::string failed_;
    std::map<std::string, CUresult> always_;
};

}  // namespace gwatch::capture
