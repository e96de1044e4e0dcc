#include <pybind11/stl.h>

#include "python/bind_trace_model.h"
#include "trace/trace.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

using namespace trace;  // NOLINT: the model's own names, one by one below

void bind_launch(py::module_& module) {
    py::class_<LaunchFacts>(module, "LaunchFacts", "What was launched.")
        .def(py::init<>())
        .def_readwrite("kernel", &LaunchFacts::kernel, "Mangled name.")
        .def_readwrite("kernel_demangled", &LaunchFacts::kernel_demangled)
        .def_readwrite("dsl", &LaunchFacts::dsl)
        .def_readwrite("device", &LaunchFacts::device)
        .def_readwrite("device_index", &LaunchFacts::device_index)
        .def_readwrite("grid", &LaunchFacts::grid, "In blocks.")
        .def_readwrite("block", &LaunchFacts::block, "In threads.")
        .def_readwrite("cluster", &LaunchFacts::cluster, "In blocks.")
        .def_readwrite("dynamic_shared_bytes", &LaunchFacts::dynamic_shared_bytes)
        .def_readwrite("stream", &LaunchFacts::stream)
        .def_readwrite("in_graph", &LaunchFacts::in_graph)
        .def_readwrite("sm_count", &LaunchFacts::sm_count)
        .def_readwrite("max_clock_mhz", &LaunchFacts::max_clock_mhz,
                       "The device's highest SM clock; None when unknown.")
        .def_readwrite("rank", &LaunchFacts::rank,
                       "Of the process among those of a distributed job; None outside of one.")
        .def_readwrite("host", &LaunchFacts::host,
                       "Tells the machine from others; None when unknown.");
}

void bind_compile(py::module_& module) {
    py::class_<BuildFacts>(module, "BuildFacts", "One build of the kernel; -1 where unknown.")
        .def(py::init<>())
        .def_readwrite("registers", &BuildFacts::registers)
        .def_readwrite("local_bytes", &BuildFacts::local_bytes, "Per thread.")
        .def_readwrite("spill_store_bytes", &BuildFacts::spill_store_bytes)
        .def_readwrite("spill_load_bytes", &BuildFacts::spill_load_bytes)
        .def_readwrite("static_shared_bytes", &BuildFacts::static_shared_bytes);
    py::class_<CompileFacts>(module, "CompileFacts", "How the traced kernel was built.")
        .def(py::init<>())
        .def_readwrite("assembler", &CompileFacts::assembler, "Its path.")
        .def_readwrite("assembler_origin", &CompileFacts::assembler_origin)
        .def_readwrite("assembler_version", &CompileFacts::assembler_version)
        .def_readwrite("assembler_flags", &CompileFacts::assembler_flags)
        .def_readwrite("ptx_version", &CompileFacts::ptx_version)
        .def_readwrite("ptx_target", &CompileFacts::ptx_target)
        .def_readwrite("ptx_source", &CompileFacts::ptx_source,
                       "Where the PTX came from, in words.")
        .def_readwrite("lowered_from", &CompileFacts::lowered_from)
        .def_readwrite("remarks", &CompileFacts::remarks)
        .def_readwrite("original", &CompileFacts::original)
        .def_readwrite("traced", &CompileFacts::traced);
}

void bind_counts(py::module_& module) {
    py::class_<Counts>(module, "Counts", "How much was recorded, and what is missing.")
        .def(py::init<>())
        .def_readwrite("events", &Counts::events)
        .def_readwrite("records", &Counts::records)
        .def_readwrite("dropped_events", &Counts::dropped_events)
        .def_readwrite("dropped_records", &Counts::dropped_records)
        .def_readwrite("orphan_starts", &Counts::orphan_starts)
        .def_readwrite("orphan_ends", &Counts::orphan_ends)
        .def_readwrite("warps_in_grid", &Counts::warps_in_grid)
        .def_readwrite("warps_recorded", &Counts::warps_recorded)
        .def_readwrite("blocks_in_grid", &Counts::blocks_in_grid)
        .def_readwrite("blocks_selected", &Counts::blocks_selected)
        .def_readwrite("buffer_bytes", &Counts::buffer_bytes)
        .def_readwrite("buffer_bytes_needed", &Counts::buffer_bytes_needed,
                       "Would have dropped nothing; 0 when nothing was dropped.");
    py::class_<TimeFacts>(module, "TimeFacts", "How good the run's times are.")
        .def(py::init<>())
        .def_readwrite("clock_mhz", &TimeFacts::clock_mhz)
        .def_readwrite("resolution_ns", &TimeFacts::resolution_ns, "Of durations inside a warp.")
        .def_readwrite("alignment_ns", &TimeFacts::alignment_ns, "Between warps of different SMs.")
        .def_readwrite("timer_gap_ns", &TimeFacts::timer_gap_ns,
                       "The longest time between two readings of the device's timer on an SM.")
        .def_readwrite("span_ns", &TimeFacts::span_ns, "First entry to last exit or record.")
        .def_readwrite("start_globaltimer_ns", &TimeFacts::start_globaltimer_ns);
}

void bind_scopes(py::module_& module) {
    py::class_<Scope>(module, "Scope", "A marked region of the kernel.")
        .def(py::init<>())
        .def_readwrite("name", &Scope::name)
        .def_readwrite("id", &Scope::id, "-1 when it was marked by name.")
        .def_readwrite("file", &Scope::file, "Empty when unknown.")
        .def_readwrite("line", &Scope::line, "0 when unknown.")
        .def_property_readonly(
            "payload", [](const Scope& self) { return record::payload_name(self.payload); },
            "Kind of the values that its starts and marks record: s32, u32, f32, s64, u64, f64 or "
            "bits; empty when they record none.");
    py::class_<Site>(module, "Site", "One static place of the kernel that records.")
        .def(py::init<>())
        .def_readwrite("actions", &Site::actions)
        .def_readwrite("placement", &Site::placement)
        .def_readwrite("function", &Site::function)
        .def_readwrite("file", &Site::file)
        .def_readwrite("line", &Site::line)
        .def_readwrite("records", &Site::records);
}

}  // namespace

void bind_trace_facts(py::module_& module) {
    bind_launch(module);
    bind_compile(module);
    bind_counts(module);
    bind_scopes(module);
}

}  // namespace gwatch::python
