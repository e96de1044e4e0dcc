#pragma once

#include <pybind11/pybind11.h>

#include "base/result.h"

namespace gwatch::python {

/// Throws the Python exception of an error's kind: a class of gwatch.errors with .message, .detail
/// and .hint.
[[noreturn]] void raise(const Error& error);

template <class T>
T take(Result<T> result) {
    if (!result.ok()) raise(result.error());
    return std::move(result).value();
}
inline void take(Result<void> result) {
    if (!result.ok()) raise(result.error());
}

// One a topic, each in a file of its own.
void bind_instrument(pybind11::module_& module);
void bind_assemble(pybind11::module_& module);
void bind_trace(pybind11::module_& module);
void bind_capture(pybind11::module_& module);
void bind_report(pybind11::module_& module);

}  // namespace gwatch::python
