#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture.h"
#include "python/error_classes.h"

namespace gwatch::python {

namespace py = pybind11;

inline std::string text_of(const py::handle& exception, const char* attribute) {
    return py::str(exception.attr(attribute)).cast<std::string>();
}

/// What the user's Python raised, as data. Needs the GIL.
inline Error error_of(const py::error_already_set& raised) {
    const py::object errors = py::module_::import("gwatch.errors");
    const py::object exception = raised.value();
    if (py::isinstance(exception, errors.attr("GwatchError"))) {
        for (const auto& [name, kind] : kErrorClasses) {
            if (!py::isinstance(exception, errors.attr(name))) continue;
            return {kind, text_of(exception, "message"), text_of(exception, "detail"),
                    text_of(exception, "hint")};
        }
    }
    const std::string type = py::str(raised.type().attr("__name__")).cast<std::string>();
    const py::object lines =
        py::module_::import("traceback")
            .attr("format_exception")(raised.type(), exception, raised.trace());
    return {
        ErrorKind::kCapture,
        "preparing the traced build raised " + type + ": " + py::str(exception).cast<std::string>(),
        py::str("").attr("join")(lines).cast<std::string>()};
}

/// (image, uses_lane_cursors, token, module_variables, grid_counts_clusters, parameter); the
/// parameter by index and offset in bytes.
using Prepared = py::typing::Tuple<py::bytes, bool, int, py::typing::List<py::str>, bool,
                                   py::typing::Optional<py::typing::Tuple<int, int>>>;
using Prepare = py::typing::Callable<Prepared(const capture::LaunchInfo&)>;

/// Throws what pybind11 throws when the answer has another shape.
inline capture::PreparedKernel prepared_from(const py::object& answered) {
    const bool is_tuple = py::isinstance<py::tuple>(answered);
    const py::tuple answer = is_tuple ? answered.cast<py::tuple>() : py::tuple();
    if (answer.size() < 4 || answer.size() > 6) {
        throw py::value_error(
            "prepare must return (image, uses_lane_cursors, token, module_variables[, "
            "grid_counts_clusters[, parameter]])");
    }
    capture::PreparedKernel prepared;
    prepared.image = answer[0].cast<std::string>();
    prepared.uses_lane_cursors = answer[1].cast<bool>();
    prepared.token = answer[2].cast<std::uint64_t>();
    prepared.module_variables = answer[3].cast<std::vector<std::string>>();
    prepared.grid_counts_clusters = answer.size() > 4 && answer[4].cast<bool>();
    if (answer.size() == 6 && !answer[5].is_none()) {
        const auto [index, offset] = answer[5].cast<std::pair<std::uint32_t, std::uint32_t>>();
        prepared.parameter = {index, offset};
    }
    return prepared;
}

/// Asks a Python callable, on whatever thread launches.
class PythonPreparer : public capture::Preparer {
  public:
    explicit PythonPreparer(py::function prepare) : prepare_(std::move(prepare)) {}
    ~PythonPreparer() override {
        if (!Py_IsInitialized()) {
            prepare_.release();
            return;
        }
        const py::gil_scoped_acquire gil;
        prepare_ = py::function();
    }

    Result<capture::PreparedKernel> prepare(const capture::LaunchInfo& launch) override {
        const py::gil_scoped_acquire gil;
        try {
            return prepared_from(prepare_(launch));
        } catch (const py::error_already_set& raised) {
            return error_of(raised);
        } catch (const std::exception& exception) {
            return Error{ErrorKind::kCapture, "the answer of prepare cannot be used",
                         exception.what()};
        }
    }

  private:
    py::function prepare_;
};

}  // namespace gwatch::python
