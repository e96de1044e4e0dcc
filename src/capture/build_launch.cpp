#include <array>
#include <string_view>
#include <utility>

#include "capture/function_setup.h"
#include "capture/guards.h"
#include "capture/stopwatch.h"
#include "capture/traced_build.h"

namespace gwatch::capture {

namespace {

constexpr std::size_t kLogBytes = 16 * 1024;

bool is_text(const std::string& image) {
    constexpr std::string_view kElf = "\177ELF";
    constexpr std::string_view kFatbin = "\x50\xed\x55\xba";
    return !image.starts_with(kElf) && !image.starts_with(kFatbin);
}

record::PlanRequest request_of(const LaunchInfo& info, const Options& options,
                               std::uint64_t free_bytes, bool uses_lane_cursors) {
    return {info.grid,         info.block,        options.buffer_bytes, free_bytes,
            options.warp_mask, uses_lane_cursors, options.blocks};
}

Error lost_memory(const std::string& kernel) {
    return {ErrorKind::kCapture,
            "memory of the device was taken while kernel " + kernel + " was prepared",
            {},
            "Launch it again, or pass a larger buffer_bytes."};
}

/// Builds one launch, a step a method. A failed step ends it.
class Builder {
  public:
    Builder(Driver& driver, const LaunchCall& call, const PreparedKernel& prepared,
            const Options& options, ActiveLaunch& launch)
        : driver_(driver),
          call_(call),
          prepared_(prepared),
          options_(options),
          launch_(launch),
          original_(reinterpret_cast<CUfunction>(launch.info.resolved_function)) {}

    Result<void> load();
    Result<void> allocate();
    Result<void> copy_variables_in();

  private:
    Result<void> load_module();
    Result<void> load_text();
    Result<void> find_function();
    Result<void> find_parameter();
    Result<void> plan_memory();
    Result<void> fill_memory();
    Result<void> write_constants();
    Result<void> pair_variable(CUmodule original, const std::string& name);

    /// Whether some code finds the launch constants there, and not among the parameters.
    bool reads_variable() const { return prepared_.uses_lane_cursors || !prepared_.parameter; }
    std::string of_kernel() const {
        return " of the traced build of kernel " + launch_.info.kernel;
    }
    Result<void> require(CUresult code, const char* call, const std::string& purpose) {
        return check(driver_, code, call, purpose + of_kernel());
    }

    Driver& driver_;
    const LaunchCall& call_;
    const PreparedKernel& prepared_;
    const Options& options_;
    ActiveLaunch& launch_;
    CUfunction original_;
};

Result<void> Builder::load_text() {
    std::string log(kLogBytes, '\0');
    std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
    const CUresult code = driver_.module_load(&launch_.resources.module, prepared_.image.c_str(),
                                              options.size(), options.data(), values.data());
    Result<void> loaded = require(code, "cuModuleLoadDataEx", "to compile the PTX");
    if (loaded.ok()) return loaded;
    Error error = loaded.error();
    error.detail = log.c_str();
    error.hint =
        "The driver compiles PTX only up to its own version: install ptxas (pip install "
        "nvidia-cuda-nvcc) or update the driver.";
    return error;
}

Result<void> Builder::load_module() {
    if (is_text(prepared_.image)) return load_text();
    return require(
        driver_.module_load(&launch_.resources.module, prepared_.image.data(), 0, nullptr, nullptr),
        "cuModuleLoadDataEx",
        "to load the cubin (" + std::to_string(prepared_.image.size()) + " bytes)");
}

Result<void> Builder::find_function() {
    return require(driver_.module_get_function(&launch_.function, launch_.resources.module,
                                               launch_.info.kernel.c_str()),
                   "cuModuleGetFunction", "to find the kernel");
}

/// Drivers before that of CUDA 12.4 do not tell; then the instrumenter's offset counts.
Result<void> Builder::find_parameter() {
    std::optional<record::ParameterPlace>& place = launch_.parameter;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    if (place && driver_.function_get_parameter(launch_.function, place->index, &offset, &bytes) ==
                     CUDA_SUCCESS) {
        place->offset = static_cast<std::uint32_t>(offset);
    }
    if (!place || place->is_offset_known() || !call_.passes_buffer()) return {};
    return Error{ErrorKind::kCapture,
                 "this driver does not tell where parameters stand in the buffer that kernel " +
                     launch_.info.kernel + " is launched with",
                 {},
                 "Update the driver to that of CUDA 12.4 or newer, or pass each parameter by a "
                 "pointer (kernelParams of cuLaunchKernel)."};
}

Result<void> Builder::load() {
    for (const auto step :
         {&Builder::load_module, &Builder::find_function, &Builder::find_parameter}) {
        if (Result<void> done = (this->*step)(); !done.ok()) return done;
    }
    FunctionSetup setup(driver_, call_, launch_.info, launch_.function);
    launch_.original = setup.original_facts();
    if (Result<void> copied = setup.copy_attributes(); !copied.ok()) return copied;
    launch_.traced = setup.traced_facts();
    return setup.check_fit();
}

Result<void> Builder::plan_memory() {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (Result<void> known = require(driver_.memory_get_info(&free_bytes, &total_bytes),
                                     "cuMemGetInfo_v2", "to plan the memory");
        !known.ok()) {
        return known;
    }
    Result<record::Plan> plan = record::plan_memory(
        request_of(launch_.info, options_, free_bytes, prepared_.uses_lane_cursors));
    if (!plan.ok()) return plan.error();
    if (launch_.info.every_warp && !plan->every_warp) return lost_memory(launch_.info.kernel);
    launch_.plan = *plan;
    const CUresult code =
        driver_.memory_allocate(&launch_.resources.memory, launch_.plan.total_bytes);
    Result<void> allocated = require(code, "cuMemAlloc_v2",
                                     "to allocate " + std::to_string(launch_.plan.total_bytes) +
                                         " bytes (" + std::to_string(free_bytes) + " are free)");
    if (allocated.ok() || code != CUDA_ERROR_OUT_OF_MEMORY) return allocated;
    Error error = allocated.error();
    error.hint = "Ask for less with buffer_bytes, or free memory of the device first.";
    return error;
}

Result<void> Builder::write_constants() {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    Result<void> found =
        require(driver_.module_get_variable(&address, &bytes, launch_.resources.module,
                                            record::kConstantsName),
                "cuModuleGetGlobal_v2", std::string("to find variable ") + record::kConstantsName);
    if (!found.ok()) return found;
    const record::LaunchConstants constants = launch_.plan.at(launch_.resources.memory);
    if (bytes != sizeof constants) {
        return Error{ErrorKind::kCapture,
                     std::string("variable ") + record::kConstantsName + of_kernel() + " has " +
                         std::to_string(bytes) + " bytes instead of " +
                         std::to_string(sizeof constants),
                     {},
                     "It was instrumented by another version of gwatch."};
    }
    return require(
        driver_.copy_to_device(address, &constants, sizeof constants, launch_.resources.stream),
        "cuMemcpyHtoDAsync_v2", "to write the launch constants");
}

/// Zeroes the memory at once; in a graph also before every replay, so that records of an earlier
/// one never stay. Ahead of a programmatic launch nothing may stand in the graph but the kernel it
/// depends on.
Result<void> Builder::fill_memory() {
    const auto zero = [this](CUstream stream) {
        return require(
            driver_.memory_set(launch_.resources.memory, 0, launch_.plan.total_bytes, stream),
            "cuMemsetD8Async", "to zero the memory");
    };
    Result<void> done = zero(launch_.resources.stream);
    if (done.ok() && reads_variable()) done = write_constants();
    if (!done.ok()) return done;
    done = require(driver_.stream_synchronize(launch_.resources.stream), "cuStreamSynchronize",
                   "to wait for the memory");
    if (!done.ok()) return done;
    if (!launch_.info.in_stream_capture || call_.programmatic) return {};
    return zero(call_.stream);
}

Result<void> Builder::allocate() {
    Result<void> made =
        require(driver_.stream_create(&launch_.resources.stream, CU_STREAM_NON_BLOCKING),
                "cuStreamCreate", "for the memory");
    if (!made.ok()) return made;
    made = require(driver_.event_create(&launch_.resources.launched, CU_EVENT_DISABLE_TIMING),
                   "cuEventCreate", "for the end");
    if (!made.ok()) return made;
    made = plan_memory();
    return made.ok() ? fill_memory() : made;
}

/// Variables that either build lacks need no copy: the code that is there does not use them.
Result<void> Builder::pair_variable(CUmodule original, const std::string& name) {
    VariablePair pair{name, 0, 0, 0};
    std::size_t traced_bytes = 0;
    if (name == record::kConstantsName ||
        driver_.module_get_variable(&pair.original, &pair.bytes, original, name.c_str()) !=
            CUDA_SUCCESS ||
        driver_.module_get_variable(&pair.traced, &traced_bytes, launch_.resources.module,
                                    name.c_str()) != CUDA_SUCCESS) {
        return {};
    }
    if (pair.bytes != traced_bytes) {
        return Error{ErrorKind::kCapture,
                     "variable " + name + of_kernel() + " has " + std::to_string(traced_bytes) +
                         " bytes, the original's " + std::to_string(pair.bytes)};
    }
    launch_.variables.push_back(pair);
    return require(driver_.copy_on_device(pair.traced, pair.original, pair.bytes, call_.stream),
                   "cuMemcpyDtoDAsync_v2", "to copy variable " + name);
}

Result<void> Builder::copy_variables_in() {
    if (prepared_.module_variables.empty()) return {};
    CUmodule original = nullptr;
    Result<void> found = require(driver_.function_get_module(&original, original_),
                                 "cuFuncGetModule", "to find the variables");
    for (const std::string& name : prepared_.module_variables) {
        if (!found.ok()) return found;
        found = pair_variable(original, name);
    }
    return found;
}

}  // namespace

void ActiveLaunch::put_into(const LaunchCall& call, LaunchParameters& passed) const {
    *call.function = function;
    if (parameter) passed.put_into(call, *parameter, plan.at(resources.memory));
}

bool expects_every_warp(Driver& driver, const LaunchInfo& info, const Options& options) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (driver.memory_get_info(&free_bytes, &total_bytes) != CUDA_SUCCESS) return false;
    record::PlanRequest request = request_of(info, options, free_bytes / 2, true);
    request.buffer_bytes /= 2;
    // Whether the grid counts clusters is known only when the kernel was prepared.
    for (std::size_t i = 0; i < request.grid.size(); ++i) request.grid[i] *= info.cluster[i];
    const Result<record::Plan> plan = record::plan_memory(request);
    return plan.ok() && plan->every_warp;
}

Result<std::shared_ptr<ActiveLaunch>> build_launch(Driver& driver, Clock& clock,
                                                   const LaunchCall& call, const LaunchInfo& info,
                                                   const PreparedKernel& prepared,
                                                   const Options& options) {
    auto launch = std::make_shared<ActiveLaunch>(driver, info);
    launch->token = prepared.token;
    launch->parameter = prepared.parameter;
    if (prepared.grid_counts_clusters) {
        for (std::size_t i = 0; i < 3; ++i) launch->info.grid[i] *= info.cluster[i];
    }
    Builder builder(driver, call, prepared, options, *launch);
    const std::array<std::pair<const char*, Result<void> (Builder::*)()>, 3> stages{
        {{"load", &Builder::load},
         {"allocate", &Builder::allocate},
         {"copy variables", &Builder::copy_variables_in}}};
    for (const auto& [stage, step] : stages) {
        const Stopwatch watch(clock, launch->stage_seconds, stage);
        if (Result<void> done = (builder.*step)(); !done.ok()) return done.error();
    }
    return launch;
}

}  // namespace gwatch::capture
