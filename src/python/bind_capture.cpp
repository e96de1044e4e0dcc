#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture.h"
#include "python/bindings.h"
#include "python/python_preparer.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

/// The exception that `raise` would raise.
py::object exception_of(const Error& error) {
    try {
        raise(error);
    } catch (const py::error_already_set& raised) {
        return raised.value();
    }
}

void init_cupti_hooks(const std::optional<std::vector<std::string>>& cupti_paths) {
    if (capture::hooks_are_initialized()) return;
    const auto paths = cupti_paths ? *cupti_paths
                                   : py::module_::import("gwatch.libraries")
                                         .attr("cupti_paths")()
                                         .cast<std::vector<std::string>>();
    Result<void> started = [&] {
        const py::gil_scoped_release unlocked;
        return capture::init_hooks(paths);
    }();
    take(std::move(started));
}

/// First, stride and count of the blocks to record; a count of 0: all from the first on.
using Blocks = std::array<std::uint32_t, 3>;
constexpr Blocks kAllBlocks{0, 1, 0};

void begin_capture(const std::string& kernel_pattern, Prepare prepare, std::uint32_t max_launches,
                   std::uint64_t buffer_bytes, std::uint32_t warp_mask, const Blocks& blocks) {
    auto preparer = std::make_shared<PythonPreparer>(std::move(prepare));
    Result<void> begun = [&] {
        const py::gil_scoped_release unlocked;
        return capture::begin_capture({kernel_pattern,
                                       max_launches,
                                       buffer_bytes,
                                       warp_mask,
                                       {blocks[0], blocks[1], blocks[2]}},
                                      std::move(preparer));
    }();
    take(std::move(begun));
}

void begin_timing(const std::string& kernel_pattern, Prepare prepare, std::uint64_t buffer_bytes,
                  std::uint32_t warp_mask, const Blocks& blocks) {
    auto preparer = std::make_shared<PythonPreparer>(std::move(prepare));
    Result<void> begun = [&] {
        const py::gil_scoped_release unlocked;
        return capture::begin_timing(
            {kernel_pattern, 1, buffer_bytes, warp_mask, {blocks[0], blocks[1], blocks[2]}},
            std::move(preparer));
    }();
    take(std::move(begun));
}

/// A member with x, y and z, as a tuple.
template <auto member>
py::typing::Tuple<int, int, int> triple(const capture::LaunchInfo& self) {
    return py::tuple(py::cast(self.*member));
}

void bind_launch(py::module_& module) {
    using capture::LaunchInfo;
    py::class_<LaunchInfo>(module, "LaunchInfo", "A kernel launch as its launch call shows it.")
        .def_readonly("kernel", &LaunchInfo::kernel)
        .def_readonly("kernel_demangled", &LaunchInfo::kernel_demangled)
        .def_readonly("function", &LaunchInfo::function)
        .def_readonly("resolved_function", &LaunchInfo::resolved_function)
        .def_readonly("context", &LaunchInfo::context)
        .def_readonly("device", &LaunchInfo::device)
        .def_readonly("device_name", &LaunchInfo::device_name)
        .def_readonly("sm_count", &LaunchInfo::sm_count)
        .def_readonly("max_clock_khz", &LaunchInfo::max_clock_khz,
                      "Highest clock of the SMs; 0: the driver does not say.")
        .def_readonly("compute_capability", &LaunchInfo::compute_capability)
        .def_property_readonly("grid", &triple<&LaunchInfo::grid>)
        .def_property_readonly("block", &triple<&LaunchInfo::block>)
        .def_property_readonly("cluster", &triple<&LaunchInfo::cluster>)
        .def_readonly("dynamic_shared_bytes", &LaunchInfo::dynamic_shared_bytes)
        .def_readonly("stream", &LaunchInfo::stream)
        .def_readonly("in_stream_capture", &LaunchInfo::in_stream_capture)
        .def_readonly("every_warp", &LaunchInfo::every_warp)
        .def_property_readonly("image",
                               [](const LaunchInfo& self) { return py::bytes(self.image); });
    using capture::FunctionFacts;
    py::class_<FunctionFacts>(module, "FunctionFacts", "Resources of one build; -1 where unknown.")
        .def_readonly("registers", &FunctionFacts::registers)
        .def_readonly("local_bytes", &FunctionFacts::local_bytes)
        .def_readonly("static_shared_bytes", &FunctionFacts::static_shared_bytes)
        .def_readonly("blocks_per_sm", &FunctionFacts::blocks_per_sm,
                      "With the launch's block and dynamic shared memory.");
}

void bind_failure(py::module_& module) {
    using namespace capture;
    py::class_<FailedLaunch>(module, "FailedLaunch",
                             "A matching launch that was not traced, and why.")
        .def_readonly("kernel", &FailedLaunch::kernel)
        .def_property_readonly("error",
                               [](const FailedLaunch& self) { return exception_of(self.error); });
}

void bind_result(py::module_& module) {
    using namespace capture;
    py::class_<TracedLaunch>(module, "TracedLaunch", "A launch that was traced, and what it wrote.")
        .def_readonly("info", &TracedLaunch::info)
        .def_readonly("token", &TracedLaunch::token)
        .def_readonly("records", &TracedLaunch::records)
        .def_readonly("original", &TracedLaunch::original)
        .def_readonly("traced", &TracedLaunch::traced)
        .def_readonly("stage_seconds", &TracedLaunch::stage_seconds);
    py::class_<TimedLaunch>(module, "TimedLaunch", "A launch that was timed on the device.")
        .def_readonly("turn", &TimedLaunch::turn, "Which time_next() it followed, from 0.")
        .def_readonly("traced", &TimedLaunch::traced)
        .def_readonly("duration_ns", &TimedLaunch::duration_ns);
    py::class_<TimingResult>(module, "TimingResult", "What was timed.")
        .def_readonly("launches", &TimingResult::launches)
        .def_readonly("failures", &TimingResult::failures);
    py::class_<CaptureResult>(module, "CaptureResult", "What a capture saw and traced.")
        .def_readonly("launches", &CaptureResult::launches)
        .def_readonly("failures", &CaptureResult::failures)
        .def_readonly("seen_kernels", &CaptureResult::seen_kernels)
        .def_readonly("matching_launches", &CaptureResult::matching_launches)
        .def_readonly("skipped_launches", &CaptureResult::skipped_launches)
        .def_readonly("graph_launches", &CaptureResult::graph_launches,
                      "Kernels of a graph are seen when it is captured.");
}

}  // namespace

void bind_capture(py::module_& module) {
    bind_launch(module);
    bind_failure(module);
    bind_result(module);
    module.def("init_cupti_hooks", &init_cupti_hooks, py::arg("cupti_paths") = py::none(),
               "Subscribe to CUPTI, once a process. Further calls do nothing.");
    module.def("hooks_are_initialized", &capture::hooks_are_initialized,
               "Whether init_cupti_hooks has succeeded.");
    module.def(
        "begin_capture", &begin_capture, py::arg("kernel_pattern"), py::arg("prepare"),
        py::arg("max_launches") = 1, py::arg("buffer_bytes") = 0, py::arg("warp_mask") = 0,
        py::arg("blocks") = kAllBlocks,
        "Start to trace matching launches with the builds that prepare(LaunchInfo) returns.");
    module.def("end_capture", &capture::end_capture, py::call_guard<py::gil_scoped_release>(),
               "Stop, wait for the traced launches and read their records.");
    module.def("begin_timing", &begin_timing, py::arg("kernel_pattern"), py::arg("prepare"),
               py::arg("buffer_bytes") = 0, py::arg("warp_mask") = 0,
               py::arg("blocks") = kAllBlocks,
               "Start to time matching launches, one after each time_next().");
    module.def("time_next", &capture::time_next, py::arg("traced"),
               py::call_guard<py::gil_scoped_release>(),
               "Time the next matching launch, as its traced build or as it is.");
    module.def("end_timing", &capture::end_timing, py::call_guard<py::gil_scoped_release>(),
               "Stop, and wait for the timed launches.");
}

}  // namespace gwatch::python
