#include <pybind11/stl.h>

#include "instrument/iket.h"
#include "python/bindings.h"
#include "python/with_module.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

struct PtxFacts {
    std::string version;
    std::vector<std::string> targets;
    std::vector<std::string> entries;
};

PtxFacts ptx_facts(const Text& ptx, const std::string& name) {
    return with_module(ptx, name, [&](const ptx::Module& module) -> Result<PtxFacts> {
        PtxFacts facts{std::string(module.version()), {}, {}};
        for (const auto target : module.targets()) facts.targets.emplace_back(target);
        for (const ptx::Function& function : module.functions()) {
            if (function.is_entry && function.body_scope != ptx::kNone)
                facts.entries.emplace_back(function.name);
        }
        return facts;
    });
}

py::bytes iket_to_markers(const Text& ptx, const std::string& name) {
    return py::bytes(with_module(ptx, name, instrument::iket_to_markers));
}

}  // namespace

void bind_ptx(py::module_& module) {
    py::class_<PtxFacts>(module, "PtxFacts", "What a PTX module says of itself.")
        .def_readonly("version", &PtxFacts::version)
        .def_readonly("targets", &PtxFacts::targets)
        .def_readonly("entries", &PtxFacts::entries, "Names of the kernels it defines.");
    module.def("iket_to_markers", &iket_to_markers, py::arg("ptx"), py::arg("name") = "<ptx>",
               "The text with markers in the place of the events of IKET, the CuTe DSL's own "
               "annotations; unchanged without any.");
    module.def("ptx_facts", &ptx_facts, py::arg("ptx"), py::arg("name") = "<ptx>");
}

}  // namespace gwatch::python
