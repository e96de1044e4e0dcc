#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "capture/capture.h"
#include "python/bindings.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

/// Classes of gwatch.errors, a subclass before its base.
constexpr std::array<std::pair<const char*, ErrorKind>, 10> kErrorClasses{{
    {"UsageError", ErrorKind::kUsage},
    {"PtxError", ErrorKind::kPtx},
    {"NoMarkersError", ErrorKind::kNoMarkers},
    {"InstrumentError", ErrorKind::kInstrument},
    {"AssemblerError", ErrorKind::kAssembler},
    {"SourceError", ErrorKind::kSource},
    {"CaptureError", ErrorKind::kCapture},
    {"DriverError", ErrorKind::kDriver},
    {"ArchiveError", ErrorKind::kArchive},
    {"FileError", ErrorKind::kIo},
}};

std::string text_of(const py::handle& exception, const char* attribute) {
    return py::str(exception.attr(attribute)).cast<std::string>();
}

/// What the user's Python raised, as data. Needs the GIL.
Error error_of(const py::error_already_set& raised) {
    const py::object errors = py::module_::import("gwatch.errors");
    const py::object exception = raised.value();
    if (py::isinstance(exception, errors.attr("GwatchError"))) {
        for (const auto& [name, kind] : kErrorClasses) {
            if (!py::isinstance(exception, errors.attr(name))) continue;
            return {kind, text_of(exception, "message"), text_of(exception, "detail"),
                    text_of(exception, "hint")};
        }
    }
    const std::string type = py::str(raised.type().attr("__name__")).cast<std::string>();
    const py::object lines =
        py::module_::import("traceback")
            .attr("format_exception")(raised.type(), exception, raised.trace());
    return {
        ErrorKind::kCapture,
        "preparing the traced build raised " + type + ": " + py::str(exception).cast<std::string>(),
        py::str("").attr("join")(lines).cast<std::string>()};
}

/// The exception that `raise` would raise.
py::object exception_of(const Error& error) {
    try {
        raise(error);
    } catch (const py::error_already_set& raised) {
        return raised.value();
    }
}

capture::PreparedKernel prepared_from(const py::object& answered) {
    const bool is_tuple = py::isinstance<py::tuple>(answered);
    const py::tuple answer = is_tuple ? answered.cast<py::tuple>() : py::tuple();
    if (answer.size() != 4 && answer.size() != 5) {
        throw py::value_error(
            "prepare must return (image, uses_lane_cursors, token, module_variables[, "
            "grid_counts_clusters])");
    }
    capture::PreparedKernel prepared;
    prepared.image = answer[0].cast<std::string>();
    prepared.uses_lane_cursors = answer[1].cast<bool>();
    prepared.token = answer[2].cast<std::uint64_t>();
    prepared.module_variables = answer[3].cast<std::vector<std::string>>();
    prepared.grid_counts_clusters = answer.size() == 5 && answer[4].cast<bool>();
    return prepared;
}

/// Asks a Python callable, on whatever thread launches.
class PythonPreparer : public capture::Preparer {
  public:
    explicit PythonPreparer(py::function prepare) : prepare_(std::move(prepare)) {}
    ~PythonPreparer() override {
        if (!Py_IsInitialized()) {
            prepare_.release();
            return;
        }
        const py::gil_scoped_acquire gil;
        prepare_ = py::function();
    }

    Result<capture::PreparedKernel> prepare(const capture::LaunchInfo& launch) override {
        const py::gil_scoped_acquire gil;
        try {
            return prepared_from(prepare_(launch));
        } catch (const py::error_already_set& raised) {
            return error_of(raised);
        } catch (const std::exception& exception) {
            return Error{ErrorKind::kCapture, "the answer of prepare cannot be used",
                         exception.what()};
        }
    }

  private:
    py::function prepare_;
};

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

void begin_capture(const std::string& kernel_pattern, py::function prepare,
                   std::uint32_t max_launches, std::uint64_t buffer_bytes,
                   std::uint32_t warp_mask) {
    auto preparer = std::make_shared<PythonPreparer>(std::move(prepare));
    Result<void> begun = [&] {
        const py::gil_scoped_release unlocked;
        return capture::begin_capture({kernel_pattern, max_launches, buffer_bytes, warp_mask},
                                      std::move(preparer));
    }();
    take(std::move(begun));
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
        .def_readonly("compute_capability", &LaunchInfo::compute_capability)
        .def_property_readonly(
            "grid", [](const LaunchInfo& self) { return py::tuple(py::cast(self.grid)); })
        .def_property_readonly(
            "block", [](const LaunchInfo& self) { return py::tuple(py::cast(self.block)); })
        .def_property_readonly(
            "cluster", [](const LaunchInfo& self) { return py::tuple(py::cast(self.cluster)); })
        .def_readonly("dynamic_shared_bytes", &LaunchInfo::dynamic_shared_bytes)
        .def_readonly("stream", &LaunchInfo::stream)
        .def_readonly("in_stream_capture", &LaunchInfo::in_stream_capture)
        .def_property_readonly("image",
                               [](const LaunchInfo& self) { return py::bytes(self.image); });
    using capture::FunctionFacts;
    py::class_<FunctionFacts>(module, "FunctionFacts", "Resources of one build; -1 where unknown.")
        .def_readonly("registers", &FunctionFacts::registers)
        .def_readonly("local_bytes", &FunctionFacts::local_bytes)
        .def_readonly("static_shared_bytes", &FunctionFacts::static_shared_bytes);
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
    py::class_<FailedLaunch>(module, "FailedLaunch",
                             "A matching launch that was not traced, and why.")
        .def_readonly("kernel", &FailedLaunch::kernel)
        .def_property_readonly("error",
                               [](const FailedLaunch& self) { return exception_of(self.error); });
    py::class_<CaptureResult>(module, "CaptureResult", "What a capture saw and traced.")
        .def_readonly("launches", &CaptureResult::launches)
        .def_readonly("failures", &CaptureResult::failures)
        .def_readonly("seen_kernels", &CaptureResult::seen_kernels)
        .def_readonly("matching_launches", &CaptureResult::matching_launches)
        .def_readonly("skipped_launches", &CaptureResult::skipped_launches);
}

}  // namespace

void bind_capture(py::module_& module) {
    bind_launch(module);
    bind_result(module);
    module.def("init_cupti_hooks", &init_cupti_hooks, py::arg("cupti_paths") = py::none(),
               "Subscribe to CUPTI, once a process. Further calls do nothing.");
    module.def("hooks_are_initialized", &capture::hooks_are_initialized,
               "Whether init_cupti_hooks has succeeded.");
    module.def(
        "begin_capture", &begin_capture, py::arg("kernel_pattern"), py::arg("prepare"),
        py::arg("max_launches") = 1, py::arg("buffer_bytes") = 0, py::arg("warp_mask") = 0,
        "Start to trace matching launches with the builds that prepare(LaunchInfo) returns.");
    module.def("end_capture", &capture::end_capture, py::call_guard<py::gil_scoped_release>(),
               "Stop, wait for the traced launches and read their records.");
}

}  // namespace gwatch::python
