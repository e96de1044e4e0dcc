#include <dlfcn.h>

#include "capture/driver.h"

namespace gwatch::capture {

namespace {

constexpr char kLibrary[] = "libcuda.so.1";

class RealDriver : public Driver {
  public:
    explicit RealDriver(void* library) {
#define GWATCH_DRIVER_CALL(method, symbol, parameters, arguments) \
    method##_ = reinterpret_cast<CUresult(CUDAAPI*) parameters>(dlsym(library, #symbol));
#include "capture/driver_calls.def"
#undef GWATCH_DRIVER_CALL
    }

#define GWATCH_DRIVER_CALL(method, symbol, parameters, arguments)          \
    CUresult method parameters override {                                  \
        return method##_ ? method##_ arguments : CUDA_ERROR_NOT_SUPPORTED; \
    }
#include "capture/driver_calls.def"
#undef GWATCH_DRIVER_CALL

  private:
#define GWATCH_DRIVER_CALL(method, symbol, parameters, arguments) \
    CUresult(CUDAAPI* method##_) parameters = nullptr;
#include "capture/driver_calls.def"
#undef GWATCH_DRIVER_CALL
};

}  // namespace

Result<std::unique_ptr<Driver>> open_driver() {
    void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return Error{
            ErrorKind::kCapture, std::string("no CUDA driver: ") + kLibrary + " cannot be opened",
            dlerror(),
            "Tracing needs an NVIDIA driver. In a container, start it with the GPU passed through "
            "(docker run --gpus all)."};
    }
    return std::unique_ptr<Driver>(std::make_unique<RealDriver>(library));
}

}  // namespace gwatch::capture
