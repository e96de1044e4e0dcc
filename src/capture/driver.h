#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace gwatch::capture {

/// The calls of the CUDA driver that gwatch makes; driver_calls.def lists them. Thread-safe.
class Driver {
  public:
    virtual ~Driver() = default;
#define GWATCH_DRIVER_CALL(method, symbol, parameters, arguments) \
    virtual CUresult method parameters = 0;
#include "capture/driver_calls.def"
#undef GWATCH_DRIVER_CALL
};

/// Opens libcuda.so.1. A call that this driver lacks gives CUDA_ERROR_NOT_SUPPORTED.
Result<std::unique_ptr<Driver>> open_driver();

/// "CUDA_ERROR_OUT_OF_MEMORY (2, out of memory)".
std::string describe(Driver& driver, CUresult code);

/// kDriver, naming the call and what it was for, unless the code is CUDA_SUCCESS.
/// `purpose` completes "cuMemAlloc_v2 failed ...", as in "to allocate 64 bytes".
Result<void> check(Driver& driver, CUresult code, const char* call, const std::string& purpose);

}  // namespace gwatch::capture
