#pragma once

#include <string>
#include <utility>

#include "ptx/module.h"
#include "python/bindings.h"

namespace gwatch::python {

/// Parses a text and does work on its module without the GIL; raises the error of either.
template <class Work>
auto with_module(const Text& ptx, const std::string& name, const Work& work) {
    std::string text = bytes_of(ptx);
    using Output = decltype(work(std::declval<const ptx::Module&>()));
    return take([&]() -> Output {
        const pybind11::gil_scoped_release without_gil;
        auto module = ptx::parse(std::move(text), name);
        if (!module) return module.error();
        return work(*module);
    }());
}

}  // namespace gwatch::python
