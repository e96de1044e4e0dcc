#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/plan.h"

namespace gwatch::capture {

class Cupti;
class Driver;
class Clock;

/// A launch that is about to happen, as seen at the enter callback.
struct LaunchInfo {
    std::string kernel;  ///< mangled name
    std::string kernel_demangled;
    std::uint64_t function = 0;  ///< the handle in the launch call: a CUfunction or a CUkernel
    std::uint64_t resolved_function = 0;  ///< the CUfunction behind it
    std::uint64_t context = 0;
    int device = 0;  ///< ordinal
    std::string device_name;
    int sm_count = 0;
    int compute_capability = 0;           ///< major * 10 + minor
    int max_clock_khz = 0;                ///< of the SMs; 0: the driver does not say
    std::array<std::uint32_t, 3> grid{};  ///< in blocks
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> cluster{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint64_t stream = 0;
    bool in_stream_capture = false;
    bool every_warp = false;  ///< there will be memory for each warp's records
    std::string
        image;  ///< cubin or fat binary it was loaded from, when its load was seen, else empty
};

/// Function attributes of one build; -1 where the driver did not say.
struct FunctionFacts {
    int registers = -1;
    int local_bytes = -1;
    int static_shared_bytes = -1;
    int blocks_per_sm = -1;  ///< with the launch's block and dynamic shared memory
};

/// A traced build of a kernel, ready to be loaded.
struct PreparedKernel {
    std::string
        image;  ///< a cubin, or PTX text (zero-terminated by the loader) for the driver's JIT
    bool uses_lane_cursors = false;
    std::uint64_t token = 0;  ///< the preparer's own, given back in TracedLaunch
    /// .global and .const variables of the module that the kernel names. The traced module has its
    /// own; the launch gets the values of the original's, in stream order, and gives them back
    /// after it. A variable that the kernel knows by an address alone is the original's anyhow.
    std::vector<std::string> module_variables = {};
    bool grid_counts_clusters = false;  ///< the kernel is .blocksareclusters
    /// Where the kernel has the launch constants; nullopt: it reads the .const variable.
    std::optional<record::ParameterPlace> parameter = {};
};

/// Makes the traced build of a kernel. Called at the enter callback of a matching launch, on the
/// launching thread: once a function handle and block shape, unless two threads launch it at the
/// same time. No lock is held meanwhile, and launches made inside it are not seen.
class Preparer {
  public:
    virtual ~Preparer() = default;
    virtual Result<PreparedKernel> prepare(const LaunchInfo& launch) = 0;
};

struct Options {
    std::string kernel_pattern;  ///< ECMAScript regex, searched in both names
    std::uint32_t max_launches = 1;
    std::uint64_t buffer_bytes = 0;  ///< a launch; 0: record::plan_memory's default
    std::uint32_t warp_mask = 0;     ///< 0: all warps
    record::BlockSelection blocks = {};
};

/// A launch whose handle was swapped, and what it wrote.
struct TracedLaunch {
    LaunchInfo info;
    std::uint64_t token = 0;
    record::RawRecords records;
    FunctionFacts original;
    FunctionFacts traced;
    std::map<std::string, double>
        stage_seconds;  ///< "prepare", "load", "allocate", "read back", ...
};

/// A matching launch that ran its own kernel, and why.
struct FailedLaunch {
    std::string kernel;
    Error error;
};

struct CaptureResult {
    std::vector<TracedLaunch> launches;
    std::vector<FailedLaunch> failures;
    std::map<std::string, std::uint64_t>
        seen_kernels;                     ///< every launched kernel's mangled name -> launches
    std::uint64_t matching_launches = 0;  ///< traced or not
    std::uint64_t skipped_launches = 0;   ///< matched, but past max_launches
    std::uint64_t graph_launches = 0;     ///< their kernels were seen when the graphs were captured
};

/// A launch that was timed on the device.
struct TimedLaunch {
    std::uint32_t turn = 0;  ///< which call of time_next() it followed, from 0
    bool traced = false;
    double duration_ns = 0;  ///< between events right before and behind it in its stream
};

struct TimingResult {
    std::vector<TimedLaunch> launches;  ///< in order
    std::vector<FailedLaunch> failures;
};

/// Opens CUPTI and subscribes, once a process. kCapture when CUPTI is missing, too old, or held by
/// another profiler (the message says which). `cupti_paths` are tried after a libcupti that the
/// process already has.
Result<void> init_hooks(const std::vector<std::string>& cupti_paths);
bool hooks_are_initialized();

/// Starts to trace matching launches. kUsage for a bad pattern or when a capture is under way;
/// kCapture before init_hooks().
Result<void> begin_capture(Options options, std::shared_ptr<Preparer> preparer);

/// Stops, waits for the traced launches, reads their records, and frees all that was loaded. Never
/// leaves a swapped handle behind. A launch whose records cannot be read (the kernel trapped, the
/// context is lost) is a failure in the result. A launch that went into a graph
/// (LaunchInfo::in_stream_capture) stays traced in that graph: its records are those of the last
/// replay, and its module and memory are kept until the process ends.
CaptureResult end_capture();

/// Starts to time launches; as begin_capture(), and not while that is under way.
Result<void> begin_timing(Options options, std::shared_ptr<Preparer> preparer);
/// The next matching launch is timed, as its traced build or as it is. Ahead of it the stream is
/// emptied and the device rests for a moment.
void time_next(bool traced);
/// Stops, waits for the timed launches and frees all that was loaded.
TimingResult end_timing();

}  // namespace gwatch::capture
