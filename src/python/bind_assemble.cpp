#include <pybind11/stl.h>

#include "assemble/assemble.h"
#include "python/bindings.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

assemble::Assembled assemble_ptx(const Text& ptx, const std::string& entry,
                                 std::vector<assemble::Candidate> candidates,
                                 const std::string& target, const std::string& keep_folder) {
    const assemble::Request request{bytes_of(ptx), entry, target, std::move(candidates),
                                    keep_folder};
    Result<assemble::Assembled> result = [&] {
        const py::gil_scoped_release without_gil;
        return assemble::assemble(request);
    }();
    return take(std::move(result));
}

int newest_ptx_version(const std::string& path) {
    Result<int> version = [&] {
        const py::gil_scoped_release without_gil;
        return assemble::newest_ptx_version(path);
    }();
    return take(std::move(version));
}

void bind_candidate(py::module_& module) {
    using assemble::Candidate;
    py::class_<Candidate>(module, "Candidate", "One assembler that may be tried.")
        .def(py::init([](std::string path, std::string origin, std::vector<std::string> flags) {
                 return Candidate{std::move(path), std::move(origin), std::move(flags)};
             }),
             py::arg("path"), py::arg("origin"), py::arg("flags") = std::vector<std::string>())
        .def_readwrite("path", &Candidate::path, "Of a ptxas program.")
        .def_readwrite("origin", &Candidate::origin, "Where it comes from: \"triton\", \"PATH\".")
        .def_readwrite("flags", &Candidate::flags, "What is passed besides -v and --gpu-name.")
        .def("__eq__",
             [](const Candidate& left, const py::object& other) {
                 if (!py::isinstance<Candidate>(other)) return false;
                 const auto& right = other.cast<const Candidate&>();
                 return left.path == right.path && left.origin == right.origin &&
                        left.flags == right.flags;
             })
        .def("__hash__",
             [](const Candidate& self) { return py::hash(py::make_tuple(self.path, self.origin)); })
        .def("__repr__", [](const Candidate& candidate) {
            return py::str("Candidate({!r}, {!r}, {!r})")
                .format(candidate.path, candidate.origin, candidate.flags);
        });
}

void bind_resources(py::module_& module) {
    using assemble::Resources;
    py::class_<Resources>(module, "Resources", "What ptxas -v says of a kernel; -1 where nothing.")
        .def_readonly("registers", &Resources::registers)
        .def_readonly("spill_store_bytes", &Resources::spill_store_bytes)
        .def_readonly("spill_load_bytes", &Resources::spill_load_bytes)
        .def_readonly("stack_bytes", &Resources::stack_bytes)
        .def_readonly("shared_bytes", &Resources::shared_bytes);
}

void bind_assembled(py::module_& module) {
    using assemble::Assembled;
    py::class_<Assembled>(module, "Assembled", "A cubin and how it was made.")
        .def_property_readonly("cubin", [](const Assembled& self) { return py::bytes(self.cubin); })
        .def_readonly("path", &Assembled::path)
        .def_readonly("origin", &Assembled::origin)
        .def_readonly("version", &Assembled::version)
        .def_readonly("flags", &Assembled::flags)
        .def_readonly("lowered_from", &Assembled::lowered_from)
        .def_readonly("log", &Assembled::log)
        .def_readonly("remarks", &Assembled::remarks)
        .def_readonly("resources", &Assembled::resources)
        .def_readonly("earlier_failures", &Assembled::earlier_failures)
        .def_readonly("seconds", &Assembled::seconds);
}

}  // namespace

void bind_assemble(py::module_& module) {
    bind_candidate(module);
    bind_resources(module);
    bind_assembled(module);
    module.def("assemble", &assemble_ptx, py::arg("ptx"), py::arg("entry"), py::arg("candidates"),
               py::arg("target") = "", py::arg("keep_folder") = "",
               "Assembles with the first candidate that can; raises AssemblerError when none can.");
    module.def("newest_ptx_version", &newest_ptx_version, py::arg("path"),
               "The newest PTX version a ptxas takes, 95 for 9.5.");
}

}  // namespace gwatch::python
