#include <pybind11/stl.h>

#include "python/bindings.h"
#include "source/find_ptx.h"
#include "source/restore_markers.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

source::KernelPtx find_in_fatbin(const py::bytes& fatbin, const std::string& kernel,
                                 int compute_capability) {
    const std::string_view bytes = fatbin;
    Result<source::KernelPtx> found = [&] {
        const py::gil_scoped_release without_gil;
        return source::find_in_fatbin(bytes, {kernel, compute_capability});
    }();
    return take(std::move(found));
}

source::KernelPtx find_in_files(const std::vector<std::string>& paths, const std::string& kernel,
                                int compute_capability, const py::bytes& image) {
    const std::string_view bytes = image;
    Result<source::KernelPtx> found = [&] {
        const py::gil_scoped_release without_gil;
        return source::find_in_files(paths, {kernel, compute_capability, bytes});
    }();
    return take(std::move(found));
}

}  // namespace

void bind_source(py::module_& module) {
    using source::KernelPtx;
    py::class_<KernelPtx>(module, "KernelPtx", "A kernel's PTX out of a fat binary.")
        .def(
            py::init([](const py::bytes& ptx, std::string target, std::string flags,
                        const py::bytes& cubin, std::string where) {
                return KernelPtx{ptx, std::move(target), std::move(flags), cubin, std::move(where)};
            }),
            py::arg("ptx"), py::arg("target"), py::arg("flags"), py::arg("cubin"), py::arg("where"))
        .def_property_readonly("ptx", [](const KernelPtx& self) { return py::bytes(self.ptx); })
        .def_readonly("target", &KernelPtx::target, "That it was compiled for: \"sm_90a\".")
        .def_readonly("flags", &KernelPtx::flags, "What nvcc passes to ptxas, as one line.")
        .def_property_readonly(
            "cubin", [](const KernelPtx& self) { return py::bytes(self.cubin); },
            "The untraced build for the same target; empty when there is none.")
        .def_readonly("where", &KernelPtx::where);
    module.def("find_in_fatbin", &find_in_fatbin, py::arg("fatbin"), py::arg("kernel"),
               py::arg("compute_capability"),
               "The PTX of a kernel that suits a device best; raises SourceError.");
    module.def("find_in_files", &find_in_files, py::arg("paths"), py::arg("kernel"),
               py::arg("compute_capability"), py::arg("image") = py::bytes(),
               "The same for the fat binaries in ELF files, a program and its libraries; of those "
               "that hold the fat binary `image`, if one is given.");
    module.def(
        "restore_markers",
        [](const Text& ptx) { return py::bytes(source::restore_markers(bytes_of(ptx))); },
        py::arg("ptx"), "Puts back the marker comments that nvcc drops from PTX in a program.");
    module.def(
        "defines_entry",
        [](const Text& ptx, const std::string& kernel) {
            return source::defines_entry(bytes_of(ptx), kernel);
        },
        py::arg("ptx"), py::arg("kernel"), "Whether a PTX text defines a kernel.");
    module.def(
        "runs_on",
        [](int architecture, const std::string& variant, int compute_capability) {
            const char letter = variant.empty() ? '\0' : variant[0];
            return source::runs_on(architecture, letter, compute_capability);
        },
        py::arg("architecture"), py::arg("variant"), py::arg("compute_capability"),
        "Whether PTX for sm_90a (90, \"a\") runs on a device.");
}

}  // namespace gwatch::python
