#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fidelity/facts.h"
#include "record/payload.h"

// The model in the middle: what a traced launch showed. The decoder makes it, the archive stores
// it, every report reads it. Times are ns from the start of the run: the first entry of a recorded
// warp.
namespace gwatch::trace {

inline constexpr std::int64_t kUnknownTime = -1;

using record::PayloadKind;

struct Scope {
    std::string name;        ///< what reports show: scope_name_map's, else the marker's
    std::int32_t id = -1;    ///< -1: marked by name
    std::string file;        ///< empty when unknown
    std::uint32_t line = 0;  ///< 0 when unknown
    PayloadKind payload = PayloadKind::kNone;
};

/// The payloads of some rows of a table, as columns of equal length; rows ascend.
struct Payloads {
    std::vector<std::uint64_t> row;
    std::vector<std::uint64_t> bits;  ///< by the kind of the row's scope; 32-bit ones zero-extended
    std::size_t size() const { return row.size(); }
};

/// One warp of one block.
struct Lane {
    std::uint64_t block;  ///< linear block id
    std::uint32_t warp;   ///< linear thread id / 32
    std::uint32_t sm;
    std::uint32_t cluster_rank;
    std::int64_t enter_ns;
    std::int64_t exit_ns;       ///< of the last lane; kUnknownTime when no exit was recorded
    std::uint32_t events;       ///< markers recorded
    std::uint64_t first_slice;  ///< its slices: [first_slice, end_slice) of Run::slices
    std::uint64_t end_slice;
};

/// Slices of all lanes as columns of equal length; within a lane in order of start, an outer slice
/// before an inner one.
struct Slices {
    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> duration_ns;
    std::vector<std::uint32_t> scope;
    std::vector<std::uint16_t>
        depth;  ///< slices of the same lane and of shared threads that were open at the start
    std::vector<std::uint32_t> mask;  ///< bit t: thread t of the warp was in it
    Payloads payloads = {};           ///< of their starts
    std::size_t size() const { return start_ns.size(); }
};

/// Single instants as columns of equal length: marks, and starts or ends without their other half.
struct Instants {
    std::vector<std::uint32_t> lane;
    std::vector<std::int64_t> time_ns;
    std::vector<std::uint32_t> scope;
    std::vector<std::uint32_t> mask;
    Payloads payloads = {};
    std::size_t size() const { return lane.size(); }
};

struct LaunchFacts {
    std::string kernel;            ///< mangled
    std::string kernel_demangled;  ///< equal to kernel when it is not mangled
    std::string dsl;
    std::string device;  ///< "NVIDIA H200"
    std::uint32_t device_index = 0;
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> cluster{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint64_t stream = 0;
    bool in_graph = false;
    std::uint32_t sm_count = 0;
    std::optional<std::uint32_t> max_clock_mhz;  ///< the device's highest SM clock
    std::optional<std::uint32_t> rank;  ///< of the process among those of a distributed job
    std::optional<std::string> host;    ///< digits that tell the machine from others
};

/// Registers, spills and shared memory of one build of the kernel; -1 where unknown.
struct BuildFacts {
    int registers = -1;
    int local_bytes = -1;  ///< per thread: spills and local arrays
    int spill_store_bytes = -1;
    int spill_load_bytes = -1;
    int static_shared_bytes = -1;
};

struct CompileFacts {
    std::string assembler;         ///< path
    std::string assembler_origin;  ///< "triton", "PyPI nvidia-cuda-nvcc", ...
    std::string assembler_version;
    std::vector<std::string> assembler_flags;
    std::string ptx_version;
    std::string ptx_target;
    std::string ptx_source;            ///< where the PTX came from, in words
    std::string lowered_from;          ///< a .version that had to be lowered, else empty
    std::vector<std::string> remarks;  ///< C7xxx lines of the assembler
    BuildFacts original;
    BuildFacts traced;
};

struct Counts {
    std::uint64_t events = 0;   ///< markers recorded; fused ones count each
    std::uint64_t records = 0;  ///< records written, exits included
    std::uint64_t dropped_events = 0;
    std::uint64_t dropped_records = 0;
    std::uint64_t orphan_starts = 0;
    std::uint64_t orphan_ends = 0;
    std::uint64_t warps_in_grid = 0;
    std::uint64_t warps_recorded = 0;  ///< warps that entered and were selected
    std::uint64_t blocks_in_grid = 0;
    std::uint64_t blocks_selected = 0;
    std::uint64_t buffer_bytes = 0;
    std::uint64_t buffer_bytes_needed =
        0;  ///< that would have dropped nothing; 0 when nothing was dropped
};

struct TimeFacts {
    double clock_mhz = 0;      ///< SM clock, fitted
    double resolution_ns = 0;  ///< of durations inside a warp: one cycle
    double alignment_ns =
        0;  ///< between warps of different SMs: one tick of the global timer, or what the fit left
    std::optional<std::int64_t> timer_gap_ns;  ///< the longest between two readings of an SM
    std::int64_t span_ns = 0;                  ///< first entry to last exit or record
    std::uint64_t start_globaltimer_ns = 0;    ///< what 0 of this run is on the device's own timer
};

/// One static marker place of the traced kernel.
struct Site {
    std::vector<std::string> actions;  ///< "start load", "end load", "mark x", "exit", "timer"
    std::string placement;             ///< "proven", "unknown", "function"
    std::string function;
    std::string file;
    std::uint32_t line = 0;
    std::uint64_t records = 0;
};

struct Run {
    LaunchFacts launch;
    CompileFacts compile;
    std::vector<Scope> scopes;
    std::vector<Site> sites;
    std::vector<Lane> lanes;  ///< in order of block, then warp
    Slices slices;
    Instants marks;
    Instants orphan_starts;
    Instants orphan_ends;
    Counts counts;
    TimeFacts time;
    std::map<std::string, double>
        stage_seconds;  ///< of do_trace: "source", "instrument", "assemble", ...
    std::vector<std::string> warnings;
    std::optional<fidelity::Facts> fidelity;  ///< what tracing did to the kernel, when compared
};

struct Trace {
    std::string title;
    std::string created;  ///< ISO 8601, UTC
    std::vector<Run> runs;
};

}  // namespace gwatch::trace
