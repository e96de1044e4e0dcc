#include "python/bind_trace_model.h"

#include <pybind11/stl.h>

#include "python/column.h"
#include "trace/trace.h"

// Run.lanes is a view, not a list made anew at each use.
PYBIND11_MAKE_OPAQUE(std::vector<gwatch::trace::Lane>)

namespace gwatch::python {

namespace py = pybind11;

namespace {

using namespace trace;  // NOLINT: the model's own names, one by one below
using Lanes = std::vector<Lane>;

std::size_t index_in(std::size_t size, py::ssize_t index) {
    const auto count = static_cast<py::ssize_t>(size);
    if (index < -count || index >= count) throw py::index_error("no such lane");
    return static_cast<std::size_t>(index < 0 ? index + count : index);
}

void bind_lanes(py::module_& module) {
    py::class_<Lane>(module, "Lane", "One warp of one block.")
        .def_readonly("block", &Lane::block, "Linear block id.")
        .def_readonly("warp", &Lane::warp, "Linear thread id / 32.")
        .def_readonly("sm", &Lane::sm)
        .def_readonly("cluster_rank", &Lane::cluster_rank)
        .def_readonly("enter_ns", &Lane::enter_ns)
        .def_readonly("exit_ns", &Lane::exit_ns, "-1 when no exit was recorded.")
        .def_readonly("events", &Lane::events, "Markers recorded.")
        .def_readonly("first_slice", &Lane::first_slice)
        .def_readonly("end_slice", &Lane::end_slice, "One past its last slice.");
    py::class_<Lanes>(module, "Lanes", "The warps of a run, in order of block, then warp.")
        .def("__len__", [](const Lanes& self) { return self.size(); })
        .def(
            "__getitem__",
            [](const Lanes& self, py::ssize_t index) -> const Lane& {
                return self[index_in(self.size(), index)];
            },
            py::arg("index"), py::return_value_policy::reference_internal)
        .def(
            "__iter__",
            [](const Lanes& self) { return py::make_iterator(self.begin(), self.end()); },
            py::keep_alive<0, 1>());
}

void bind_columns(py::module_& module) {
    py::class_<Column>(module, "Column", "A column behind a memoryview.", py::buffer_protocol())
        .def_buffer([](const Column& self) { return self.describe(self.vector); });
    py::class_<Payloads>(module, "Payloads",
                         "The values that starts or marks recorded, as columns of equal length.")
        .def("__len__", &Payloads::size)
        .def_property_readonly("row", column_of(&Payloads::row), "Rows of the table; they ascend.")
        .def_property_readonly("bits", column_of(&Payloads::bits),
                               "To be read by the kind of the row's scope; 32-bit ones "
                               "zero-extended.");
    py::class_<Slices>(module, "Slices", "Slices of all lanes as columns of equal length.")
        .def("__len__", &Slices::size)
        .def_property_readonly("start_ns", column_of(&Slices::start_ns))
        .def_property_readonly("duration_ns", column_of(&Slices::duration_ns))
        .def_property_readonly("scope", column_of(&Slices::scope), "Indices into Run.scopes.")
        .def_property_readonly("depth", column_of(&Slices::depth))
        .def_property_readonly("mask", column_of(&Slices::mask), "Bit t: thread t was in it.")
        .def_readonly("payloads", &Slices::payloads, "Of their starts.");
    py::class_<Instants>(module, "Instants", "Single instants as columns of equal length.")
        .def("__len__", &Instants::size)
        .def_property_readonly("lane", column_of(&Instants::lane), "Indices into Run.lanes.")
        .def_property_readonly("time_ns", column_of(&Instants::time_ns))
        .def_property_readonly("scope", column_of(&Instants::scope))
        .def_property_readonly("mask", column_of(&Instants::mask))
        .def_readonly("payloads", &Instants::payloads);
}

void bind_run(py::module_& module) {
    py::class_<Run>(module, "Run",
                    "What one traced launch showed. Times are ns from its first entry.")
        .def(py::init<>())
        .def_readwrite("launch", &Run::launch)
        .def_readwrite("compile", &Run::compile)
        .def_readwrite("scopes", &Run::scopes, "A copy: assign the changed list.")
        .def_readwrite("sites", &Run::sites, "A copy: assign the changed list.")
        .def_readonly("lanes", &Run::lanes)
        .def_readonly("slices", &Run::slices)
        .def_readonly("marks", &Run::marks)
        .def_readonly("orphan_starts", &Run::orphan_starts)
        .def_readonly("orphan_ends", &Run::orphan_ends)
        .def_readwrite("counts", &Run::counts)
        .def_readwrite("time", &Run::time)
        .def_readwrite("stage_seconds", &Run::stage_seconds,
                       "A copy: assign the changed dictionary.")
        .def_readwrite("warnings", &Run::warnings, "A copy: assign the changed list.")
        .def_readwrite("fidelity", &Run::fidelity,
                       "What tracing did to the kernel; None when it was not compared.");
}

/// The runs as references that keep the trace alive.
py::typing::List<Run> runs_of(const py::object& self) {
    py::typing::List<Run> runs;
    for (Run& run : self.cast<Trace&>().runs) {
        runs.append(py::cast(&run, py::return_value_policy::reference_internal, self));
    }
    return runs;
}

/// A method that hands the trace to a function of gwatch.common.arrow, which needs pyarrow.
auto arrow_method(const char* name) {
    return [name](const py::object& self) -> py::object {
        return py::module_::import("gwatch.common.arrow").attr(name)(self);
    };
}

/// Runs that Python may still hold live on behind the trace.
void set_runs(const py::object& self, std::vector<Run> runs) {
    auto& trace = self.cast<Trace&>();
    auto* before = new std::vector<Run>(std::move(trace.runs));
    const py::capsule keeper(before,
                             [](void* held) { delete static_cast<std::vector<Run>*>(held); });
    py::detail::keep_alive_impl(self, keeper);
    trace.runs = std::move(runs);
}

void bind_trace_class(py::module_& module) {
    py::class_<Trace>(module, "Trace", "Runs with a title: what an archive or a report holds.")
        .def(py::init<>())
        .def_readwrite("title", &Trace::title)
        .def_readwrite("created", &Trace::created, "ISO 8601, UTC.")
        .def_property("runs", &runs_of, &set_runs, "Assigning copies the runs.")
        .def("to_arrow", arrow_method("to_arrow"), "A pyarrow table with a row a slice.")
        .def("to_pandas", arrow_method("to_pandas"), "The same as a pandas DataFrame.")
        .def("to_polars", arrow_method("to_polars"), "The same as a Polars DataFrame.");
}

}  // namespace

void bind_trace_model(py::module_& module) {
    bind_trace_facts(module);
    bind_lanes(module);
    bind_columns(module);
    bind_run(module);
    bind_trace_class(module);
}

}  // namespace gwatch::python
