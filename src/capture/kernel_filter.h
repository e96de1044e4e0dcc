#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <regex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "capture/driver.h"

namespace gwatch::capture {

/// A kernel that was launched during a capture.
struct SeenKernel {
    std::string name;       ///< mangled
    std::string demangled;  ///< the same when the name is not mangled
    bool matches = false;
    std::atomic<std::uint64_t> launches = 0;
};

/// Decides by name which launches match, remembers it by handle, and counts all. Thread-safe.
class KernelFilter {
  public:
    /// kUsage, with the place, for a pattern that is no ECMAScript regex.
    static Result<std::unique_ptr<KernelFilter>> make(const std::string& pattern, Driver& driver);

    /// Counts a launch. `symbol_name` is CUPTI's and may be null. The handle of an unloaded kernel
    /// can come back for another kernel, so the name is compared each time.
    SeenKernel& count(CUfunction handle, const char* symbol_name);

    /// Mangled name -> launches.
    std::map<std::string, std::uint64_t> seen() const;

  private:
    KernelFilter(std::regex pattern, Driver& driver)
        : pattern_(std::move(pattern)), driver_(driver) {}
    SeenKernel& add(CUfunction handle, const std::string& name);
    bool matches(const SeenKernel& kernel) const;

    std::regex pattern_;
    Driver& driver_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<CUfunction, SeenKernel*> by_handle_;
    std::map<std::string, std::unique_ptr<SeenKernel>> by_name_;
};

/// The name of the kernel behind a CUfunction or CUkernel; "<unnamed>" when the driver does not
/// say.
std::string kernel_name(Driver& driver, CUfunction handle);

/// The CUfunction behind a handle that may be a CUkernel.
CUfunction resolve(Driver& driver, CUfunction handle);

/// The name as written in C++, or the name itself.
std::string demangle(const std::string& name);

}  // namespace gwatch::capture
