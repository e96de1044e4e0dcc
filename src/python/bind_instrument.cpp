#include <pybind11/stl.h>

#include "instrument/instrument.h"
#include "instrument/sites_json.h"
#include "python/bindings.h"
#include "python/with_module.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

using instrument::Instrumented;
using instrument::Placement;
using instrument::SiteTable;
using instrument::Verb;

/// A marker with the names of its scopes.
struct NamedMarker {
    instrument::Marker marker;
    std::string scope;
    std::string next_scope;
};

const char* verb_name(Verb verb) {
    switch (verb) {
        case Verb::kStart:
            return "start";
        case Verb::kEnd:
            return "end";
        case Verb::kSwitch:
            return "switch";
        case Verb::kMark:
            return "mark";
    }
    return "";
}

const char* placement_name(Placement placement) {
    switch (placement) {
        case Placement::kProven:
            return "proven";
        case Placement::kUnknown:
            return "unknown";
        case Placement::kFunction:
            return "function";
        case Placement::kParted:
            return "parted";
    }
    return "";
}

std::vector<NamedMarker> name_markers(const std::vector<instrument::Marker>& markers,
                                      const SiteTable& table) {
    std::vector<NamedMarker> named;
    for (const instrument::Marker& marker : markers) {
        const bool has_next = marker.next_scope != ptx::kNone;
        named.push_back({marker, table.scopes[marker.scope].name,
                         has_next ? table.scopes[marker.next_scope].name : std::string()});
    }
    return named;
}

/// Threads of the launch's blocks in x, y and z; 0 where unknown.
using Block = std::array<std::uint32_t, 3>;

Instrumented instrument_entry(const Text& ptx, const std::string& entry, const std::string& name,
                              const Block& block, bool prove, bool series, bool every_warp) {
    return with_module(ptx, name, [&](const ptx::Module& module) {
        return instrument::instrument(module, entry, {{block}, prove, series, every_warp});
    });
}

Instrumented instrument_matching(const Text& ptx, const std::string& pattern,
                                 const std::string& name, const Block& block) {
    return with_module(ptx, name, [&](const ptx::Module& module) {
        return instrument::instrument_matching(module, pattern, {{block}});
    });
}

std::vector<NamedMarker> list_markers(const Text& ptx, const std::string& pattern,
                                      const std::string& name, const Block& block) {
    SiteTable table;
    const auto markers = with_module(ptx, name, [&](const ptx::Module& module) {
        return instrument::list_markers(module, pattern, &table, {{block}});
    });
    return name_markers(markers, table);
}

void bind_marker(py::module_& module) {
    py::class_<NamedMarker>(module, "Marker", "A marker as it stands in PTX text.")
        .def_property_readonly("verb",
                               [](const NamedMarker& self) { return verb_name(self.marker.verb); })
        .def_readonly("scope", &NamedMarker::scope,
                      "The scope's name or digits; for a switch, the one that ends.")
        .def_readonly("next_scope", &NamedMarker::next_scope,
                      "For a switch, the scope that starts; else empty.")
        .def_property_readonly("function",
                               [](const NamedMarker& self) { return self.marker.function; })
        .def_property_readonly("in_entry",
                               [](const NamedMarker& self) { return self.marker.in_entry; })
        .def_property_readonly("ptx_line",
                               [](const NamedMarker& self) { return self.marker.ptx_line; })
        .def_property_readonly(
            "file",
            [](const NamedMarker& self) {
                return py::str(
                    py::bytes(self.marker.source.file).attr("decode")("utf-8", "replace"));
            })
        .def_property_readonly(
            "line", [](const NamedMarker& self) { return self.marker.source.line; },
            "Source line; 0 when unknown.")
        .def_property_readonly(
            "placement",
            [](const NamedMarker& self) { return placement_name(self.marker.placement); })
        .def_property_readonly("placement_reason",
                               [](const NamedMarker& self) { return self.marker.placement_reason; })
        .def_property_readonly(
            "payload",
            [](const NamedMarker& self) { return record::payload_name(self.marker.payload); },
            "Kind of the value that it records: s32, u32, f32, s64, u64, f64 or bits; else empty.")
        .def_property_readonly(
            "site", [](const NamedMarker& self) { return self.marker.site; },
            "Fused markers share one.");
}

void bind_site_table(py::module_& module) {
    py::class_<SiteTable>(module, "SiteTable", "What the site number of each record means.")
        .def("to_json", &instrument::to_json, "The table as JSON text.")
        .def_static(
            "from_json",
            [](const std::string& text) { return take(instrument::sites_from_json(text)); },
            py::arg("text"), "The table that to_json wrote.");
}

void bind_instrumented(py::module_& module) {
    py::class_<Instrumented>(module, "Instrumented", "An instrumented module.")
        .def_property_readonly("ptx", [](const Instrumented& self) { return py::bytes(self.ptx); })
        .def_property_readonly(
            "markers",
            [](const Instrumented& self) { return name_markers(self.markers, self.sites); },
            "Those of the entries and of the functions they may reach, in text order.")
        .def_readonly("sites", &Instrumented::sites)
        .def_readonly("grid_counts_clusters", &Instrumented::grid_counts_clusters,
                      "A kernel has .blocksareclusters.")
        .def_readonly("uses_lane_cursors", &Instrumented::uses_lane_cursors,
                      "Whether a device function has a record.")
        .def_readonly("variables", &Instrumented::variables,
                      "The module's .global and .const variables that the kernel names.")
        .def_property_readonly(
            "parameter",
            [](const Instrumented& self) -> std::optional<std::pair<int, int>> {
                if (!self.parameter) return std::nullopt;
                return std::pair<int, int>(self.parameter->index, self.parameter->offset);
            },
            "Index, and offset in bytes (0 behind others: only the driver knows), of the parameter "
            "by which the kernel gets the launch constants; None: it reads the variable "
            "gwatch_launch.");
}

}  // namespace

void bind_instrument(py::module_& module) {
    bind_marker(module);
    bind_site_table(module);
    bind_instrumented(module);
    constexpr Block kUnknown{};
    module.def(
        "instrument", &instrument_entry, py::arg("ptx"), py::arg("entry"),
        py::arg("name") = "<ptx>", py::arg("block") = kUnknown, py::arg("prove") = true,
        py::arg("series") = true, py::arg("every_warp") = false,
        "Puts the code that records every marker of one kernel into a PTX text; name stands "
        "in errors; block is the launch's; prove=False places no marker as proven; series=False "
        "makes a record of each, which holds no registers from one to the next.");
    module.def("instrument_matching", &instrument_matching, py::arg("ptx"), py::arg("pattern"),
               py::arg("name") = "<ptx>", py::arg("block") = kUnknown,
               "The same for every kernel whose name a regular expression matches.");
    module.def(
        "list_markers", &list_markers, py::arg("ptx"), py::arg("pattern") = "",
        py::arg("name") = "<ptx>", py::arg("block") = kUnknown,
        "The markers of the kernels that a regular expression matches and of what they call.");
}

}  // namespace gwatch::python
