#include <pybind11/stl.h>

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "python/bindings.h"
#include "python/column.h"
#include "report/chrome.h"
#include "report/perfetto.h"
#include "report/slice_rows.h"
#include "trace/merge.h"
#include "trace/strip_paths.h"
#include "trace/time_axis.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

report::GroupBy group_by(const std::string& by) {
    return by == "sm" ? report::GroupBy::kSm : report::GroupBy::kBlock;
}

void write_perfetto(const trace::Trace& trace, const std::string& path, const std::string& producer,
                    const std::string& by) {
    take([&] {
        const py::gil_scoped_release unlocked;
        return report::write_perfetto(trace, producer, path, group_by(by));
    }());
}

void write_chrome(const trace::Trace& trace, const std::string& path, const std::string& producer,
                  const std::string& by) {
    take([&] {
        const py::gil_scoped_release unlocked;
        return report::write_chrome(trace, producer, path, group_by(by));
    }());
}

void bind_slice_rows(py::module_& module) {
    using report::SliceRows;
    py::class_<SliceRows>(module, "SliceRows",
                          "What slices take from their warps, as columns: a row a slice.")
        .def(py::init([](const trace::Run& run, std::uint64_t first, std::uint64_t end) {
                 const py::gil_scoped_release unlocked;
                 return report::slice_rows(run, first, end);
             }),
             py::arg("run"), py::arg("first"), py::arg("end"))
        .def_static(
            "of_marks",
            [](const trace::Run& run) {
                const py::gil_scoped_release unlocked;
                return report::mark_rows(run);
            },
            py::arg("run"), "What marks take from theirs; end_ns is their time.")
        .def_property_readonly("block", column_of(&SliceRows::block))
        .def_property_readonly("block_x", column_of(&SliceRows::block_x))
        .def_property_readonly("block_y", column_of(&SliceRows::block_y))
        .def_property_readonly("block_z", column_of(&SliceRows::block_z))
        .def_property_readonly("warp", column_of(&SliceRows::warp))
        .def_property_readonly("sm", column_of(&SliceRows::sm))
        .def_property_readonly("cluster_rank", column_of(&SliceRows::cluster_rank))
        .def_property_readonly("end_ns", column_of(&SliceRows::end_ns));
}

void bind_progress(py::module_& module) {
    module.def("progress", &progress::fraction,
               "How far the long work of another thread has come, from 0 to 1.");
    module.def("begin_progress", &progress::begin, py::arg("steps"), "Long work begins.");
    module.def("advance_progress", &progress::advance, py::arg("steps"), "Steps of it are done.");
    module.def("begin_part", &progress::begin_part, py::arg("part"), py::arg("parts"),
               "What begins next is one of several parts, from 0.");
}

}  // namespace

void bind_export(py::module_& module) {
    bind_progress(module);
    bind_slice_rows(module);
    module.def(
        "write_perfetto", &write_perfetto, py::arg("trace"), py::arg("path"), py::arg("producer"),
        py::arg("by") = "block",
        "Write a trace for Perfetto, with a process for each 'block' or 'sm'; FileError when "
        "it cannot.");
    module.def("write_chrome", &write_chrome, py::arg("trace"), py::arg("path"),
               py::arg("producer"), py::arg("by") = "block",
               "Write Chrome's trace event JSON; like write_perfetto().");
    module.def(
        "time_axis_notes", [](const trace::Trace& trace) { return trace::time_axes(trace).notes; },
        py::arg("trace"), "What a reader of runs on common time axes must know.");
    module.def(
        "run_offsets_ns",
        [](const trace::Trace& trace) {
            std::vector<std::int64_t> offsets;
            for (const trace::RunPlace& place : trace::time_axes(trace).runs)
                offsets.push_back(place.offset_ns);
            return offsets;
        },
        py::arg("trace"),
        "When each run began, from the first one of its host; 0 for one that does not tell.");
    module.def(
        "merge_archives",
        [](const std::vector<std::string>& paths) {
            return take([&] {
                const py::gil_scoped_release unlocked;
                return trace::merge_archives(paths);
            }());
        },
        py::arg("paths"), "The runs of several archives as one trace.");
    module.def("strip_paths", &trace::strip_paths, py::arg("trace"),
               "Leave only the last part of every path, and numbers in place of host names.");
}

}  // namespace gwatch::python
