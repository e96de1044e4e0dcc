#include <pybind11/stl.h>

#include "python/bindings.h"
#include "report/html.h"
#include "report/text_timeline.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

report::TextTimeline text_timeline(const trace::Run& run, std::size_t width, std::size_t max_rows,
                                   std::vector<std::uint64_t> blocks,
                                   std::vector<std::uint32_t> warps,
                                   std::optional<std::int64_t> begin_ns,
                                   std::optional<std::int64_t> end_ns) {
    const py::gil_scoped_release unlocked;
    return report::text_timeline(
        run, {width, max_rows, {std::move(blocks), std::move(warps)}, begin_ns, end_ns});
}

std::string to_html(const trace::Trace& trace, const std::string& viewer_script,
                    const std::string& viewer_style, const std::string& producer,
                    bool embed_source) {
    const py::gil_scoped_release unlocked;
    return report::to_html(trace, {viewer_script, viewer_style}, producer, {embed_source});
}

void write_html(const trace::Trace& trace, const std::string& path,
                const std::string& viewer_script, const std::string& viewer_style,
                const std::string& producer, bool embed_source) {
    take([&] {
        const py::gil_scoped_release unlocked;
        return report::write_html(trace, {viewer_script, viewer_style}, producer, path,
                                  {embed_source});
    }());
}

void bind_text_timeline(py::module_& module) {
    py::class_<report::TimelineRow>(module, "TimelineRow",
                                    "The cells of one warp: a scope's index, or a constant.")
        .def_readonly("warp", &report::TimelineRow::warp)
        .def_readonly("sm", &report::TimelineRow::sm)
        .def_readonly("cells", &report::TimelineRow::cells);
    py::class_<report::TimelineBlock>(module, "TimelineBlock",
                                      "The warps of one block, on an axis of their own.")
        .def_readonly("block", &report::TimelineBlock::block)
        .def_readonly("reason", &report::TimelineBlock::reason)
        .def_readonly("begin_ns", &report::TimelineBlock::begin_ns)
        .def_readonly("rows", &report::TimelineBlock::rows);
    py::class_<report::TextTimeline>(module, "TextTimeline", "A timeline as a grid of cells.")
        .def_readonly("lanes_in_run", &report::TextTimeline::lanes_in_run)
        .def_readonly("cell_ns", &report::TextTimeline::cell_ns)
        .def_readonly("blocks", &report::TextTimeline::blocks)
        .def_readonly("innermost_ns", &report::TextTimeline::innermost_ns)
        .def_readonly("gap_ns", &report::TextTimeline::gap_ns);
    module.attr("GAP_CELL") = report::kGapCell;
    module.attr("OUTSIDE_CELL") = report::kOutsideCell;
    module.def("text_timeline", &text_timeline, py::arg("run"), py::arg("width") = 80,
               py::arg("max_rows") = 16, py::arg("blocks") = std::vector<std::uint64_t>{},
               py::arg("warps") = std::vector<std::uint32_t>{}, py::arg("begin_ns") = py::none(),
               py::arg("end_ns") = py::none(),
               "The timeline of a run as a grid of cells; see report/text_timeline.h.");
}

}  // namespace

void bind_report(py::module_& module) {
    bind_text_timeline(module);
    module.def("to_html", &to_html, py::arg("trace"), py::arg("viewer_script"),
               py::arg("viewer_style"), py::arg("producer"), py::arg("embed_source") = true,
               "One self-contained page.");
    module.def("write_html", &write_html, py::arg("trace"), py::arg("path"),
               py::arg("viewer_script"), py::arg("viewer_style"), py::arg("producer"),
               py::arg("embed_source") = true,
               "Write one self-contained page; FileError when it cannot.");
}

}  // namespace gwatch::python
