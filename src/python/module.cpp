#include "python/bindings.h"

PYBIND11_MODULE(libpygwatch, module) {
    module.doc() = "The C++ core of gwatch. Most users want gwatch.cuda.trace.do_trace.";
    gwatch::python::bind_ptx(module);
    gwatch::python::bind_instrument(module);
    gwatch::python::bind_auto_scopes(module);
    gwatch::python::bind_assemble(module);
    gwatch::python::bind_fidelity(module);
    gwatch::python::bind_source(module);
    gwatch::python::bind_trace(module);
    gwatch::python::bind_capture(module);
    gwatch::python::bind_remote(module);
    gwatch::python::bind_report(module);
    gwatch::python::bind_export(module);
    gwatch::python::bind_views(module);
    gwatch::python::bind_views_compare(module);
    gwatch::python::bind_payloads(module);
}
