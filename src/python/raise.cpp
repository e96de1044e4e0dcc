#include "python/bindings.h"
#include "python/error_classes.h"

namespace gwatch::python {

namespace {

const char* class_name(ErrorKind kind) {
    for (const auto& [name, its_kind] : kErrorClasses) {
        if (its_kind == kind) return name;
    }
    return "GwatchError";
}

}  // namespace

void raise(const Error& error) {
    const pybind11::object type =
        pybind11::module_::import("gwatch.errors").attr(class_name(error.kind));
    const pybind11::object exception = type(error.message, error.detail, error.hint);
    PyErr_SetObject(type.ptr(), exception.ptr());
    throw pybind11::error_already_set();
}

}  // namespace gwatch::python
