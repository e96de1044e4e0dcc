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

/// A read-only view of a column that `owner` holds.
template <class T>
pybind11::memoryview memory_of(const pybind11::object& owner, const std::vector<T>& column) {
    const pybind11::object held = pybind11::cast(Column{owner, &describe<T>, &column});
    return pybind11::memoryview(held);
}

/// A getter for a column of Owner: a read-only memoryview.
template <class Owner, class T>
auto column_of(std::vector<T> Owner::* member) {
    return [member](const pybind11::object& self) {
        return memory_of(self, self.cast<const Owner&>().*member);
    };
}

}  // namespace gwatch::python
