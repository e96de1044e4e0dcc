#pragma once

#include <pybind11/pybind11.h>

#include <vector>

namespace gwatch::python {

/// A column of numbers that Python reads in place through a memoryview. Keeps its owner alive.
struct Column {
    pybind11::object owner;
    pybind11::buffer_info (*describe)(const void* vector);
    const void* vector;
};

template <class T>
pybind11::buffer_info describe(const void* vector) {
    const auto& values = *static_cast<const std::vector<T>*>(vector);
    return pybind11::buffer_info(const_cast<T*>(values.data()), sizeof(T),
                                 pybind11::format_descriptor<T>::format(), 1, {values.size()},
                                 {sizeof(T)}, true);
}

/// A getter for a column of Owner: a read-only memoryview.
template <class Owner, class T>
auto column_of(std::vector<T> Owner::* member) {
    return [member](const pybind11::object& self) {
        const auto& owner = self.cast<const Owner&>();
        const pybind11::object column =
            pybind11::cast(Column{self, &describe<T>, &(owner.*member)});
        return pybind11::memoryview(column);
    };
}

}  // namespace gwatch::python
