#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "instrument/auto_scopes.h"
#include "instrument/instrument.h"
#include "python/bindings.h"
#include "python/with_module.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

using instrument::AutoFind;
using instrument::AutoMarked;

AutoMarked mark_automatically(const Text& ptx, const std::vector<std::string>& entries,
                              const std::vector<std::string>& kinds, const std::string& name) {
    const auto known = take(instrument::auto_kinds(kinds));
    return with_module(ptx, name, [&](const ptx::Module& module) {
        return instrument::mark_automatically(module, entries, known);
    });
}

std::vector<std::string> matching_entries(const Text& ptx, const std::string& pattern,
                                          const std::string& name) {
    return with_module(ptx, name, [&](const ptx::Module& module) {
        return instrument::matching_entries(module, pattern);
    });
}

std::vector<std::pair<std::uint32_t, py::bytes>> inserted_of(const AutoMarked& self) {
    std::vector<std::pair<std::uint32_t, py::bytes>> inserted;
    for (const ptx::Insertion& insertion : self.inserted)
        inserted.emplace_back(insertion.offset, py::bytes(insertion.text));
    return inserted;
}

}  // namespace

void bind_auto_scopes(py::module_& module) {
    py::class_<AutoFind>(module, "AutoFind", "A place of a PTX text that was put in a scope.")
        .def_property_readonly(
            "kind",
            [](const AutoFind& self) { return std::string(instrument::name_of(self.kind)); })
        .def_readonly("scope", &AutoFind::scope)
        .def_readonly("function", &AutoFind::function)
        .def_readonly("ptx_line", &AutoFind::ptx_line, "Of its first instruction.")
        .def_readonly("end_ptx_line", &AutoFind::end_ptx_line, "Of its last instruction.")
        .def_property_readonly(
            "file",
            [](const AutoFind& self) {
                return py::str(py::bytes(self.source.file).attr("decode")("utf-8", "replace"));
            })
        .def_property_readonly(
            "line", [](const AutoFind& self) { return self.source.line; },
            "Source line; 0 when unknown.");
    py::class_<AutoMarked>(module, "AutoMarked", "A PTX text with markers around what was found.")
        .def_property_readonly("ptx", [](const AutoMarked& self) { return py::bytes(self.ptx); })
        .def_readonly("finds", &AutoMarked::finds)
        .def_property_readonly("inserted", &inserted_of,
                               "Offsets into the original text, and what stands there now.");
    module.def("matching_entries", &matching_entries, py::arg("ptx"), py::arg("pattern"),
               py::arg("name") = "<ptx>", "The kernels whose name a regular expression matches.");
    module.def("mark_automatically", &mark_automatically, py::arg("ptx"), py::arg("entries"),
               py::arg("kinds"), py::arg("name") = "<ptx>",
               "Puts scopes of some kinds around the waits and phases of some kernels.");
}

}  // namespace gwatch::python
