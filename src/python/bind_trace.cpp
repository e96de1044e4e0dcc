#include <pybind11/stl.h>

#include "python/bind_trace_model.h"
#include "python/bindings.h"
#include "record/raw_file.h"
#include "trace/archive.h"
#include "trace/clock_warnings.h"
#include "trace/decode.h"
#include "trace/facts_json.h"
#include "trace/fidelity_warnings.h"
#include "trace/statistics.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

/// Runs heavy work without the GIL.
template <class Work>
auto unlocked(const Work& work) {
    const py::gil_scoped_release without_gil;
    return work();
}

void bind_statistics(py::module_& module) {
    using trace::LaneActivity;
    using trace::PipelineSummary;
    using trace::ScopeStatistics;
    py::class_<ScopeStatistics>(module, "ScopeStatistics",
                                "Durations of one scope's slices, in ns.")
        .def_readonly("scope", &ScopeStatistics::scope, "Index into Run.scopes.")
        .def_readonly("count", &ScopeStatistics::count)
        .def_readonly("min_ns", &ScopeStatistics::min_ns)
        .def_readonly("p50_ns", &ScopeStatistics::p50_ns)
        .def_readonly("mean_ns", &ScopeStatistics::mean_ns)
        .def_readonly("p95_ns", &ScopeStatistics::p95_ns)
        .def_readonly("max_ns", &ScopeStatistics::max_ns)
        .def_readonly("total_ns", &ScopeStatistics::total_ns)
        .def_readonly("warps", &ScopeStatistics::warps, "Warps that had at least one slice.");
    py::class_<LaneActivity>(module, "LaneActivity", "How a warp spent its life.")
        .def_readonly("lane", &LaneActivity::lane, "Index into Run.lanes.")
        .def_readonly("lifetime_ns", &LaneActivity::lifetime_ns)
        .def_readonly("active_ns", &LaneActivity::active_ns, "In at least one scope.")
        .def_readonly("gap_ns", &LaneActivity::gap_ns)
        .def_readonly("longest_gap_ns", &LaneActivity::longest_gap_ns)
        .def_readonly("longest_gap_start_ns", &LaneActivity::longest_gap_start_ns);
    py::class_<PipelineSummary>(module, "PipelineSummary", "How all warps spent their lives.")
        .def_readonly("warps", &PipelineSummary::warps)
        .def_readonly("lifetime_ns", &PipelineSummary::lifetime_ns)
        .def_readonly("active_ns", &PipelineSummary::active_ns)
        .def_readonly("gap_ns", &PipelineSummary::gap_ns)
        .def_readonly("active_ratio", &PipelineSummary::active_ratio)
        .def_readonly("most_gap", &PipelineSummary::most_gap,
                      "Warps with the most gap, most first.");
    module.def(
        "scope_statistics",
        [](const trace::Run& run) {
            return unlocked([&] { return trace::scope_statistics(run); });
        },
        py::arg("run"), "One entry a scope that has slices.");
    module.def(
        "lane_activity",
        [](const trace::Run& run) { return unlocked([&] { return trace::lane_activity(run); }); },
        py::arg("run"), "One entry a warp.");
    module.def(
        "pipeline_summary",
        [](const trace::Run& run, std::size_t most_gap_count) {
            return unlocked([&] { return trace::pipeline_summary(run, most_gap_count); });
        },
        py::arg("run"), py::arg("most_gap_count") = 5);
    module.def("clock_warnings", &trace::clock_warnings, py::arg("run"),
               "A warning when the SM clock was well below the highest of the device.");
    module.def("fidelity_warnings", &trace::fidelity_warnings, py::arg("run"),
               "What a reader must know of a run's fidelity, in plain words.");
}

void bind_records(py::module_& module) {
    using record::RawCapture;
    using record::RawRecords;
    py::class_<RawRecords>(module, "RawRecords", "What a traced launch left in its memory.")
        .def_readonly("grid", &RawRecords::grid)
        .def_readonly("block", &RawRecords::block)
        .def_property_readonly(
            "buffer_bytes", [](const RawRecords& self) { return self.plan.total_bytes; },
            "Size of that memory.");
    py::class_<RawCapture>(module, "RawCapture", "Records with all that is needed to decode them.")
        .def_readonly("records", &RawCapture::records)
        .def_readonly("sites", &RawCapture::sites)
        .def_readonly("facts", &RawCapture::facts, "For set_facts().");
    module.def(
        "write_raw_capture",
        [](const std::string& path, const RawRecords& records, const instrument::SiteTable& sites,
           const trace::Run& run) {
            take(unlocked([&] {
                return record::write_raw_file({records, sites, trace::facts_to_json(run)}, path);
            }));
        },
        py::arg("path"), py::arg("records"), py::arg("sites"), py::arg("run"),
        "Writes a launch's records with the launch and compile facts of its run to a file.");
    module.def(
        "read_raw_capture",
        [](const std::string& path) {
            return take(unlocked([&] { return record::read_raw_file(path); }));
        },
        py::arg("path"), "Reads what write_raw_capture() wrote.");
    module.def(
        "set_facts",
        [](trace::Run& run, const std::string& facts) { take(trace::set_facts(facts, &run)); },
        py::arg("run"), py::arg("facts"), "Gives a run the facts of a raw capture.");
    module.def(
        "decode",
        [](const RawRecords& records, const instrument::SiteTable& sites) {
            return take(unlocked([&] { return trace::decode(records, sites); }));
        },
        py::arg("records"), py::arg("sites"),
        "Turns records into a run; launch, compile and stage_seconds are left for the caller.");
}

void bind_archive(py::module_& module) {
    module.attr("FORMAT_VERSION") = trace::kFormatVersion;
    module.def(
        "to_json",
        [](const trace::Trace& trace, const std::string& producer) {
            return unlocked([&] { return trace::to_json(trace, producer); });
        },
        py::arg("trace"), py::arg("producer"), "The archive's text.");
    module.def(
        "from_json",
        [](const std::string& text, const std::string& name) {
            return take(unlocked([&] { return trace::from_json(text, name); }));
        },
        py::arg("text"), py::arg("name") = "<text>",
        "The trace of an archive's text; name stands in errors.");
    module.def(
        "write_archive",
        [](const trace::Trace& trace, const std::string& producer, const std::string& path) {
            take(unlocked([&] { return trace::write_archive(trace, producer, path); }));
        },
        py::arg("trace"), py::arg("producer"), py::arg("path"),
        "Writes trace.json, or through gzip when the path ends in .gz.");
    module.def(
        "read_archive",
        [](const std::string& path) {
            return take(unlocked([&] { return trace::read_archive(path); }));
        },
        py::arg("path"), "Reads a trace.json or trace.json.gz.");
}

}  // namespace

void bind_trace(py::module_& module) {
    bind_trace_model(module);
    bind_statistics(module);
    bind_records(module);
    bind_archive(module);
}

}  // namespace gwatch::python
