#include <pybind11/stl.h>

#include "python/bindings.h"
#include "views/bubbles.h"
#include "views/critical.h"
#include "views/outliers.h"
#include "views/select.h"
#include "views/time_shares.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

/// Runs heavy work without the GIL.
template <class Work>
auto unlocked(const Work& work) {
    const py::gil_scoped_release without_gil;
    return work();
}

void bind_shares(py::module_& module) {
    using views::TimeShares;
    using views::WarpGroup;
    py::class_<TimeShares>(module, "TimeShares", "How some warps spent their lives, in ns.")
        .def_readonly("lifetime_ns", &TimeShares::lifetime_ns)
        .def_readonly("gap_ns", &TimeShares::gap_ns, "In no scope.")
        .def_readonly("self_ns", &TimeShares::self_ns, "By scope, while it was the innermost.");
    py::class_<WarpGroup>(module, "WarpGroup", "Warps that ran the same set of scopes.")
        .def_readonly("scopes", &WarpGroup::scopes, "Indices into Run.scopes.")
        .def_readonly("warps", &WarpGroup::warps, "Their places in their blocks.")
        .def_readonly("count", &WarpGroup::count)
        .def_readonly("is_rest", &WarpGroup::is_rest, "Several smaller groups together.")
        .def_readonly("time", &WarpGroup::time);
    module.def(
        "warp_groups",
        [](const trace::Run& run, std::size_t limit) {
            return unlocked([&] { return views::warp_groups(run, limit); });
        },
        py::arg("run"), py::arg("limit") = 6, "Warps by the set of scopes that they ran.");
    module.def(
        "time_shares",
        [](const trace::Run& run) { return unlocked([&] { return views::time_shares(run); }); },
        py::arg("run"), "How all warps spent their lives.");
    module.def(
        "select_warps",
        [](const trace::Run& run, std::vector<std::uint64_t> blocks,
           std::vector<std::uint32_t> warps) {
            return unlocked(
                [&] { return views::select_warps(run, {std::move(blocks), std::move(warps)}); });
        },
        py::arg("run"), py::arg("blocks"), py::arg("warps"),
        "The run with only these blocks and warps of blocks; empty lists mean all.");
}

void bind_bubbles(py::module_& module) {
    using views::Bubble;
    using views::BubbleKind;
    using views::Bubbles;
    py::class_<Bubble>(module, "Bubble", "A stretch of a warp's life in no scope.")
        .def_readonly("lane", &Bubble::lane, "Index into Run.lanes.")
        .def_readonly("start_ns", &Bubble::start_ns)
        .def_readonly("duration_ns", &Bubble::duration_ns)
        .def_readonly("before", &Bubble::before, "Scope that ended there, or NO_SCOPE.")
        .def_readonly("after", &Bubble::after, "Scope that starts behind it, or NO_SCOPE.");
    py::class_<BubbleKind>(module, "BubbleKind", "All bubbles between the same two scopes.")
        .def_readonly("before", &BubbleKind::before)
        .def_readonly("after", &BubbleKind::after)
        .def_readonly("count", &BubbleKind::count)
        .def_readonly("total_ns", &BubbleKind::total_ns)
        .def_readonly("longest_ns", &BubbleKind::longest_ns);
    py::class_<Bubbles>(module, "Bubbles", "The bubbles of a run.")
        .def_readonly("longest", &Bubbles::longest, "Longest first.")
        .def_readonly("kinds", &Bubbles::kinds, "Most total first.")
        .def_readonly("count", &Bubbles::count)
        .def_readonly("total_ns", &Bubbles::total_ns)
        .def_readonly("lifetime_ns", &Bubbles::lifetime_ns, "Of all warps.");
    module.attr("NO_SCOPE") = views::kNoScope;
    module.def(
        "find_bubbles",
        [](const trace::Run& run, std::size_t limit, const std::vector<std::uint32_t>& scopes) {
            return unlocked([&] { return views::find_bubbles(run, limit, scopes); });
        },
        py::arg("run"), py::arg("limit"), py::arg("scopes") = std::vector<std::uint32_t>{},
        "Stretches in no scope; with scopes, only those beside one of them.");
}

void bind_outliers(py::module_& module) {
    using views::ScopeOutliers;
    using views::SlowSlice;
    py::class_<SlowSlice>(module, "SlowSlice", "An instance that took long.")
        .def_readonly("slice", &SlowSlice::slice, "Index into Run.slices.")
        .def_readonly("lane", &SlowSlice::lane, "Index into Run.lanes.")
        .def_readonly("start_ns", &SlowSlice::start_ns)
        .def_readonly("duration_ns", &SlowSlice::duration_ns);
    py::class_<ScopeOutliers>(module, "ScopeOutliers", "One scope against its own median.")
        .def_readonly("scope", &ScopeOutliers::scope)
        .def_readonly("count", &ScopeOutliers::count)
        .def_readonly("p50_ns", &ScopeOutliers::p50_ns)
        .def_readonly("p95_ns", &ScopeOutliers::p95_ns)
        .def_readonly("total_ns", &ScopeOutliers::total_ns)
        .def_readonly("slow_count", &ScopeOutliers::slow_count, "Above SLOW_FACTOR medians.")
        .def_readonly("excess_ns", &ScopeOutliers::excess_ns, "Of the slow ones, beyond medians.")
        .def_readonly("slowest", &ScopeOutliers::slowest, "Longest first.");
    module.attr("SLOW_FACTOR") = views::kSlowFactor;
    module.def(
        "find_outliers",
        [](const trace::Run& run, std::size_t limit) {
            return unlocked([&] { return views::find_outliers(run, limit); });
        },
        py::arg("run"), py::arg("limit"), "One entry a scope that has slices, most excess first.");
}

void bind_critical(py::module_& module) {
    using views::CriticalPaths;
    using views::CriticalWarp;
    py::class_<CriticalWarp>(module, "CriticalWarp", "The longest warp of a block.")
        .def_readonly("block", &CriticalWarp::block)
        .def_readonly("block_ns", &CriticalWarp::block_ns, "First entry to last exit.")
        .def_readonly("lane", &CriticalWarp::lane, "Index into Run.lanes.")
        .def_readonly("time", &CriticalWarp::time);
    py::class_<CriticalPaths>(module, "CriticalPaths", "The longest warps of all blocks.")
        .def_readonly("blocks", &CriticalPaths::blocks)
        .def_readonly("time", &CriticalPaths::time, "Summed over the longest warps.")
        .def_readonly("led_blocks", &CriticalPaths::led_blocks,
                      "By scope: blocks whose longest warp it held most.")
        .def_readonly("led_by_no_scope", &CriticalPaths::led_by_no_scope)
        .def_readonly("slowest", &CriticalPaths::slowest, "Blocks that took longest.");
    module.def(
        "critical_paths",
        [](const trace::Run& run, std::size_t limit) {
            return unlocked([&] { return views::critical_paths(run, limit); });
        },
        py::arg("run"), py::arg("limit"), "Where the longest warp of each block spent its life.");
}

}  // namespace

void bind_views(py::module_& module) {
    bind_shares(module);
    bind_bubbles(module);
    bind_outliers(module);
    bind_critical(module);
}

}  // namespace gwatch::python
