#include <pybind11/stl.h>

#include "python/bindings.h"
#include "views/concurrency.h"
#include "views/diff.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

void bind_concurrency(py::module_& module) {
    using views::Concurrency;
    using views::ScopeOverlap;
    using views::WarpsOverTime;
    py::class_<WarpsOverTime>(module, "WarpsOverTime", "How many warps something held.")
        .def_readonly("cells", &WarpsOverTime::cells, "Mean over each cell of time.")
        .def_readonly("mean", &WarpsOverTime::mean)
        .def_readonly("time_ns", &WarpsOverTime::time_ns, "Summed over warps.");
    py::class_<ScopeOverlap>(module, "ScopeOverlap",
                             "Two scopes in different warps of a block, ns summed over blocks.")
        .def_readonly("first", &ScopeOverlap::first)
        .def_readonly("second", &ScopeOverlap::second)
        .def_readonly("first_ns", &ScopeOverlap::first_ns)
        .def_readonly("second_ns", &ScopeOverlap::second_ns)
        .def_readonly("both_ns", &ScopeOverlap::both_ns);
    py::class_<Concurrency>(module, "Concurrency", "Warps in each scope over time.")
        .def_readonly("begin_ns", &Concurrency::begin_ns)
        .def_readonly("end_ns", &Concurrency::end_ns)
        .def_readonly("cell_ns", &Concurrency::cell_ns)
        .def_readonly("scopes", &Concurrency::scopes, "By innermost scope.")
        .def_readonly("in_no_scope", &Concurrency::in_no_scope)
        .def_readonly("alive", &Concurrency::alive)
        .def_readonly("pairs", &Concurrency::pairs, "Most time together first.");
    module.def(
        "concurrency",
        [](const trace::Run& run, std::size_t cells, std::optional<std::int64_t> begin_ns,
           std::optional<std::int64_t> end_ns) {
            const py::gil_scoped_release without_gil;
            return views::concurrency(run, {cells, begin_ns, end_ns});
        },
        py::arg("run"), py::arg("cells") = 60, py::arg("begin_ns") = py::none(),
        py::arg("end_ns") = py::none(), "Warps in each scope over time, and scopes that met.");
}

void bind_diff(py::module_& module) {
    using views::Change;
    using views::Interval;
    using views::RunDiff;
    using views::ScopeChange;
    py::class_<Interval>(module, "Interval", "Holds the true difference in 95 of 100 cases.")
        .def_readonly("low", &Interval::low)
        .def_readonly("high", &Interval::high)
        .def_property_readonly("excludes_zero", &Interval::excludes_zero);
    py::class_<Change>(module, "Change", "A figure before and after.")
        .def_readonly("before", &Change::before)
        .def_readonly("after", &Change::after)
        .def_readonly("difference", &Change::difference, "Of after - before; None: not known.");
    py::class_<ScopeChange>(module, "ScopeChange", "One scope in two runs.")
        .def_readonly("name", &ScopeChange::name)
        .def_readonly("before", &ScopeChange::before, "Its index there, or None.")
        .def_readonly("after", &ScopeChange::after, "Its index there, or None.")
        .def_readonly("count_before", &ScopeChange::count_before)
        .def_readonly("count_after", &ScopeChange::count_after)
        .def_readonly("p50_ns", &ScopeChange::p50_ns)
        .def_readonly("p95_ns", &ScopeChange::p95_ns)
        .def_readonly("total_ns", &ScopeChange::total_ns)
        .def_readonly("share", &ScopeChange::share, "Of the warps' summed lifetimes.");
    py::class_<RunDiff>(module, "RunDiff", "Two runs compared.")
        .def_readonly("scopes", &RunDiff::scopes)
        .def_readonly("lifetime_ns", &RunDiff::lifetime_ns, "Mean of a warp.")
        .def_readonly("gap_share", &RunDiff::gap_share)
        .def_readonly("is_paired", &RunDiff::is_paired, "The same ones of both were drawn.")
        .def_property_readonly(
            "resampled", [](const RunDiff& self) { return views::name_of(self.unit); },
            "What was drawn again for the intervals: blocks, warps or stretches; empty: nothing.");
    module.def(
        "diff_runs",
        [](const trace::Run& before, const trace::Run& after, std::size_t resamples,
           std::uint64_t seed) {
            const py::gil_scoped_release without_gil;
            return views::diff_runs(before, after, {resamples, seed});
        },
        py::arg("before"), py::arg("after"), py::arg("resamples") = 500, py::arg("seed") = 1,
        "Compare two runs, with bootstrap intervals.");
}

}  // namespace

void bind_views_compare(py::module_& module) {
    bind_concurrency(module);
    bind_diff(module);
}

}  // namespace gwatch::python
