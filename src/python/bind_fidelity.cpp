#include <pybind11/stl.h>

#include "fidelity/fidelity.h"
#include "python/bindings.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

using namespace fidelity;  // NOLINT: the stage's own names, one by one below

void bind_builds(py::module_& module) {
    py::class_<Occupancy>(module, "Occupancy", "Of an SM by one build; -1 where unknown.")
        .def(py::init<>())
        .def_readwrite("blocks_per_sm", &Occupancy::blocks_per_sm)
        .def_readwrite("warps_per_sm", &Occupancy::warps_per_sm)
        .def_readwrite("max_warps_per_sm", &Occupancy::max_warps_per_sm)
        .def_readwrite("limited_by", &Occupancy::limited_by, "Empty when unknown.");
    py::class_<MixRow>(module, "MixRow", "How often a family of machine instructions occurs.")
        .def(py::init<>())
        .def_readwrite("family", &MixRow::family)
        .def_readwrite("original", &MixRow::original)
        .def_readwrite("traced", &MixRow::traced)
        .def_readwrite("own", &MixRow::own, "Of the traced ones, gwatch's own code.");
    py::class_<Overhead>(module, "Overhead", "The kernel timed with and without its records.")
        .def(py::init<>())
        .def_readwrite("pairs", &Overhead::pairs)
        .def_readwrite("ratio", &Overhead::ratio, "Median of traced / original of each pair.")
        .def_readwrite("ratio_p10", &Overhead::ratio_p10)
        .def_readwrite("ratio_p90", &Overhead::ratio_p90)
        .def_readwrite("original_ns", &Overhead::original_ns, "Median.")
        .def_readwrite("traced_ns", &Overhead::traced_ns, "Median.");
}

void bind_scopes(py::module_& module) {
    py::class_<KindCount>(module, "KindCount", "The key instructions of one kind in one scope.")
        .def(py::init<>())
        .def_readwrite("kind", &KindCount::kind)
        .def_readwrite("waits", &KindCount::waits,
                       "The warp waits for it; else only its issue is timed.")
        .def_readwrite("ptx", &KindCount::ptx, "Between the markers in the PTX.")
        .def_readwrite("sass", &KindCount::sass, "Between the timer reads in the machine code.")
        .def_readwrite("moved_in", &KindCount::moved_in)
        .def_readwrite("moved_out", &KindCount::moved_out)
        .def_readwrite("is_compared", &KindCount::is_compared, "False: what moved is not known.")
        .def_readwrite("added", &KindCount::added, "Of sass: the assembler's own.")
        .def_readwrite("gone", &KindCount::gone, "Of ptx: in no machine code.");
    py::class_<Movement>(module, "Movement", "Machine instructions that changed sides.")
        .def(py::init<>())
        .def_readwrite("kind", &Movement::kind)
        .def_readwrite("opcode", &Movement::opcode)
        .def_readwrite("into", &Movement::into, "The scope; False: out of it.")
        .def_readwrite("count", &Movement::count)
        .def_readwrite("ptx_line", &Movement::ptx_line, "In the original text.")
        .def_readwrite("file", &Movement::file, "Empty when unknown.")
        .def_readwrite("line", &Movement::line, "0 when unknown.");
    py::class_<ScopeCheck>(module, "ScopeCheck", "A scope's machine code against its PTX.")
        .def(py::init<>())
        .def_readwrite("scope", &ScopeCheck::scope, "Index into Run.scopes.")
        .def_readwrite("unknown", &ScopeCheck::unknown, "Why it was not compared, or empty.")
        .def_readwrite("start_reads", &ScopeCheck::start_reads, "Timer reads that start it.")
        .def_readwrite("end_reads", &ScopeCheck::end_reads)
        .def_readwrite("counts", &ScopeCheck::counts, "A copy: assign the changed list.")
        .def_readwrite("movements", &ScopeCheck::movements, "A copy: assign the changed list.");
}

void bind_facts(py::module_& module) {
    py::class_<Facts>(module, "FidelityFacts", "What tracing did to a kernel.")
        .def(py::init<>())
        .def_readwrite("disassembler", &Facts::disassembler, "Its path; empty when there is none.")
        .def_readwrite("unknown", &Facts::unknown, "Why mix and scopes are missing, or empty.")
        .def_readwrite("original", &Facts::original)
        .def_readwrite("traced", &Facts::traced)
        .def_readwrite("new_remarks", &Facts::new_remarks,
                       "Of the assembler, on the traced text alone.")
        .def_readwrite("mix", &Facts::mix, "A copy: assign the changed list.")
        .def_readwrite("scopes", &Facts::scopes, "A copy: assign the changed list.")
        .def_readwrite("notes", &Facts::notes, "A copy: assign the changed list.")
        .def_readwrite("overhead", &Facts::overhead, "None when it was not measured.");
}

Facts compare_builds(const std::string& entry, const py::bytes& original_cubin,
                     const py::bytes& traced_cubin, const instrument::Instrumented& instrumented,
                     std::vector<std::string> disassemblers, const py::bytes& cubin_with_lines) {
    const Request request{entry,         original_cubin,   traced_cubin,
                          &instrumented, cubin_with_lines, std::move(disassemblers)};
    const py::gil_scoped_release unlocked;
    return compare(request);
}

}  // namespace

void bind_fidelity(py::module_& module) {
    bind_builds(module);
    bind_scopes(module);
    bind_facts(module);
    module.def("compare_builds", &compare_builds, py::arg("entry"), py::arg("original_cubin"),
               py::arg("traced_cubin"), py::arg("instrumented"), py::arg("disassemblers"),
               py::arg("cubin_with_lines") = py::bytes(),
               "Compares the machine code of a kernel's builds; never raises: the facts say what "
               "is unknown.");
    module.def("new_remarks", &new_remarks, py::arg("original"), py::arg("traced"),
               "The remarks of the traced text's assembler that the original's has not.");
    module.def(
        "occupancy",
        [](int compute_capability, int registers, int shared_bytes, std::uint32_t threads,
           int known_blocks) {
            return occupancy(compute_capability, {registers, shared_bytes, threads}, known_blocks);
        },
        py::arg("compute_capability"), py::arg("registers"), py::arg("shared_bytes"),
        py::arg("threads"), py::arg("known_blocks") = -1,
        "Blocks and warps that an SM holds, and what limits them; known_blocks is the driver's "
        "answer.");
}

}  // namespace gwatch::python
