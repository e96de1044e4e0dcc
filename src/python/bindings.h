#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

#include <string>

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

/// PTX as Python has it: compilers give str, files give bytes.
using Text = pybind11::typing::Union<pybind11::str, pybind11::bytes>;

/// The bytes of a text, a str as UTF-8. Throws TypeError for anything else.
inline std::string bytes_of(const Text& text) {
    if (!pybind11::isinstance<pybind11::str>(text) &&
        !pybind11::isinstance<pybind11::bytes>(text)) {
        throw pybind11::type_error("PTX must be str or bytes");
    }
    return text.cast<std::string>();
}

// One a topic, each in a file of its own.
void bind_ptx(pybind11::module_& module);
void bind_instrument(pybind11::module_& module);
void bind_auto_scopes(pybind11::module_& module);
void bind_assemble(pybind11::module_& module);
void bind_fidelity(pybind11::module_& module);
void bind_source(pybind11::module_& module);
void bind_trace(pybind11::module_& module);
void bind_capture(pybind11::module_& module);
void bind_remote(pybind11::module_& module);
void bind_report(pybind11::module_& module);
void bind_export(pybind11::module_& module);
void bind_views(pybind11::module_& module);
void bind_views_compare(pybind11::module_& module);
void bind_payloads(pybind11::module_& module);

}  // namespace gwatch::python
