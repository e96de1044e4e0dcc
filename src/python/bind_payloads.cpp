#include <pybind11/stl.h>

#include "python/bindings.h"
#include "python/column.h"
#include "report/payload.h"
#include "report/slice_rows.h"
#include "views/payloads.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

using PayloadObject = py::typing::Union<py::int_, py::float_, py::str>;

/// What report::payload_json gives, as Python has it.
PayloadObject object_of(trace::PayloadKind kind, std::uint64_t bits) {
    const nlohmann::ordered_json value = report::payload_json(kind, bits);
    if (value.is_string()) return py::str(value.get<std::string>());
    if (value.is_number_float()) return py::float_(value.get<double>());
    if (value.is_number_unsigned()) return py::int_(value.get<std::uint64_t>());
    return py::int_(value.get<std::int64_t>());
}

/// The payload of one row of a table, through `make(kind, bits)`.
template <class Table, class Make>
auto of_row(const trace::Run& run, const Table& table, std::uint64_t row, const Make& make)
    -> std::optional<decltype(make(trace::PayloadKind::kNone, row))> {
    if (row >= table.size()) throw py::index_error("no such row");
    const trace::PayloadKind kind = run.scopes[table.scope[row]].payload;
    const std::uint64_t* bits = report::PayloadCursor(table.payloads, row).of(row);
    if (!bits || kind == trace::PayloadKind::kNone) return std::nullopt;
    return make(kind, *bits);
}

void bind_summary(py::module_& module) {
    using views::PayloadSummary;
    using views::PayloadValue;
    using views::ScopePayloads;
    py::class_<PayloadValue>(module, "PayloadValue",
                             "All slices or marks of a scope that carried one value.")
        .def_readonly("bits", &PayloadValue::bits, "See ScopePayloads.value() and .text().")
        .def_readonly("count", &PayloadValue::count)
        .def_readonly("p50_ns", &PayloadValue::p50_ns, "Of durations; 0 for marks.")
        .def_readonly("p95_ns", &PayloadValue::p95_ns)
        .def_readonly("max_ns", &PayloadValue::max_ns)
        .def_readonly("total_ns", &PayloadValue::total_ns);
    py::class_<ScopePayloads>(module, "ScopePayloads",
                              "What the slices, or the marks, of a scope carried.")
        .def_readonly("scope", &ScopePayloads::scope, "Index into Run.scopes.")
        .def_property_readonly(
            "kind", [](const ScopePayloads& self) { return record::payload_name(self.kind); },
            "'s32', 'u64', 'f32', ...; 'bits' for what is no number.")
        .def_readonly("count", &ScopePayloads::count, "Rows that carried a payload.")
        .def_readonly("without", &ScopePayloads::without, "The other rows of the scope.")
        .def_readonly("distinct", &ScopePayloads::distinct, "Values.")
        .def_readonly("least", &ScopePayloads::least, "Bits.")
        .def_readonly("median", &ScopePayloads::median, "Bits of the (lower) middle value.")
        .def_readonly("most", &ScopePayloads::most, "Bits.")
        .def_readonly("total_ns", &ScopePayloads::total_ns)
        .def_readonly("values", &ScopePayloads::values,
                      "All in order of value, or those with most total when there are too many.")
        .def(
            "text",
            [](const ScopePayloads& self, std::uint64_t bits) {
                return report::payload_text(self.kind, bits);
            },
            py::arg("bits"), "The value behind bits, exactly.")
        .def(
            "value",
            [](const ScopePayloads& self, std::uint64_t bits) {
                return object_of(self.kind, bits);
            },
            py::arg("bits"), "The same as a number; text where JSON has no exact number for it.");
    py::class_<PayloadSummary>(module, "PayloadSummary", "The payloads of a run.")
        .def_readonly("slices", &PayloadSummary::slices, "One entry a scope that has any.")
        .def_readonly("marks", &PayloadSummary::marks);
    module.def(
        "summarise_payloads",
        [](const trace::Run& run, std::size_t limit) {
            const py::gil_scoped_release unlocked;
            return views::summarise_payloads(run, limit);
        },
        py::arg("run"), py::arg("limit"), "What scopes did for each value that markers carried.");
}

void bind_rows(py::module_& module) {
    using report::PayloadRows;
    const auto numbers = [](auto member) {
        return [member](const py::object& self) {
            const auto& column = self.cast<const PayloadRows&>().*member;
            return py::make_tuple(memory_of(self, column.values), memory_of(self, column.valid));
        };
    };
    py::class_<PayloadRows>(module, "PayloadRows",
                            "Payloads of slices as columns, each with a bit a row that tells "
                            "whether it has a value; empty when no slice has a payload.")
        .def(py::init([](const trace::Run& run, std::uint64_t first, std::uint64_t end) {
                 const py::gil_scoped_release unlocked;
                 return report::payload_rows(run, first, end);
             }),
             py::arg("run"), py::arg("first"), py::arg("end"))
        .def_static(
            "of_marks",
            [](const trace::Run& run) {
                const py::gil_scoped_release unlocked;
                return report::mark_payload_rows(run);
            },
            py::arg("run"), "Those of all marks.")
        .def_property_readonly("kind", numbers(&PayloadRows::kind), "Index into payload_kinds().")
        .def_property_readonly("as_signed", numbers(&PayloadRows::as_signed))
        .def_property_readonly("as_unsigned", numbers(&PayloadRows::as_unsigned), "Bits too.")
        .def_property_readonly("as_float", numbers(&PayloadRows::as_float));
    module.def(
        "payload_kinds",
        [] {
            return std::vector<std::string>(record::kPayloadNames.begin(),
                                            record::kPayloadNames.end());
        },
        "Names of the kinds; PayloadRows.kind counts them.");
}

}  // namespace

void bind_payloads(py::module_& module) {
    bind_summary(module);
    bind_rows(module);
    module.def(
        "slice_payload",
        [](const trace::Run& run, std::uint64_t row) {
            return of_row(run, run.slices, row, &object_of);
        },
        py::arg("run"), py::arg("slice"), "What the slice's start carried; None: nothing.");
    module.def(
        "mark_payload",
        [](const trace::Run& run, std::uint64_t row) {
            return of_row(run, run.marks, row, &object_of);
        },
        py::arg("run"), py::arg("mark"), "What the mark carried; None: nothing.");
}

}  // namespace gwatch::python
