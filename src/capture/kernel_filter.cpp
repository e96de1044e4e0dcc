#include "capture/kernel_filter.h"

#include <cxxabi.h>

#include <cstdlib>
#include <mutex>

namespace gwatch::capture {

namespace {

bool ends_in_escape(const std::string& pattern, std::size_t end) {
    std::size_t backslashes = 0;
    while (backslashes < end && pattern[end - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
}

/// A search finds the same with or without ".*" at either end; without, std::regex needs far less
/// stack and time on the names of templates, which reach many kilobytes.
std::string without_outer_wildcards(std::string pattern) {
    if (pattern.starts_with(".*")) {
        pattern.erase(0, 2);
        if (pattern.starts_with("?")) pattern.erase(0, 1);
    }
    if (pattern.ends_with(".*") && !ends_in_escape(pattern, pattern.size() - 2)) {
        pattern.erase(pattern.size() - 2);
    }
    return pattern;
}

std::regex compile(const std::string& pattern) {
    constexpr auto kFlags = std::regex::ECMAScript | std::regex::optimize;
#ifdef __GLIBCXX__
    // Breadth first: stack and time stay small. It has no back-references; then the default does.
    try {
        return std::regex(pattern, kFlags | std::regex_constants::__polynomial);
    } catch (const std::regex_error& error) {
        if (error.code() != std::regex_constants::error_complexity) throw;
    }
#endif
    return std::regex(pattern, kFlags);
}

}  // namespace

std::string demangle(const std::string& name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string demangled = status == 0 && text ? text : name;
    std::free(text);
    return demangled;
}

CUfunction resolve(Driver& driver, CUfunction handle) {
    const char* name = nullptr;
    if (driver.function_get_name(&name, handle) == CUDA_SUCCESS && name) return handle;
    CUfunction function = nullptr;
    const auto kernel = reinterpret_cast<CUkernel>(handle);
    const bool found = driver.kernel_get_function(&function, kernel) == CUDA_SUCCESS && function;
    return found ? function : handle;
}

std::string kernel_name(Driver& driver, CUfunction handle) {
    const char* name = nullptr;
    driver.function_get_name(&name, resolve(driver, handle));
    return name ? name : "<unnamed>";
}

Result<std::unique_ptr<KernelFilter>> KernelFilter::make(const std::string& pattern,
                                                         Driver& driver) {
    try {
        std::regex(pattern, std::regex::ECMAScript);
        return std::unique_ptr<KernelFilter>(
            new KernelFilter(compile(without_outer_wildcards(pattern)), driver));
    } catch (const std::regex_error& error) {
        return Error{
            ErrorKind::kUsage, "the kernel name pattern '" + pattern + "' is no regular expression",
            error.what(),
            "Patterns are ECMAScript regexes that are searched in the name, such as .*matmul.*"};
    }
}

bool KernelFilter::matches(const SeenKernel& kernel) const {
    try {
        return std::regex_search(kernel.name, pattern_) ||
               (kernel.demangled != kernel.name && std::regex_search(kernel.demangled, pattern_));
    } catch (const std::regex_error&) {
        return false;
    }
}

SeenKernel& KernelFilter::count(CUfunction handle, const char* symbol_name) {
    std::string looked_up;
    if (!symbol_name) {
        looked_up = kernel_name(driver_, handle);
        symbol_name = looked_up.c_str();
    }
    {
        const std::shared_lock lock(mutex_);
        const auto found = by_handle_.find(handle);
        if (found != by_handle_.end() && found->second->name == symbol_name) {
            found->second->launches.fetch_add(1, std::memory_order_relaxed);
            return *found->second;
        }
    }
    return add(handle, symbol_name);
}

SeenKernel& KernelFilter::add(CUfunction handle, const std::string& name) {
    const std::unique_lock lock(mutex_);
    std::unique_ptr<SeenKernel>& kernel = by_name_[name];
    if (!kernel) {
        kernel = std::make_unique<SeenKernel>();
        kernel->name = name;
        kernel->demangled = demangle(name);
        kernel->matches = matches(*kernel);
    }
    by_handle_[handle] = kernel.get();
    kernel->launches.fetch_add(1, std::memory_order_relaxed);
    return *kernel;
}

std::map<std::string, std::uint64_t> KernelFilter::seen() const {
    const std::shared_lock lock(mutex_);
    std::map<std::string, std::uint64_t> launches;
    for (const auto& [name, kernel] : by_name_) launches[name] = kernel->launches.load();
    return launches;
}

}  // namespace gwatch::capture
