#pragma once

#include <pybind11/pybind11.h>

namespace gwatch::python {

/// The classes of trace/trace.h.
void bind_trace_model(pybind11::module_& module);

/// Those of them that hold one thing each: a scope, a launch, counts, ...
void bind_trace_facts(pybind11::module_& module);

}  // namespace gwatch::python
