#include <pybind11/stl.h>

#include <array>

#include "python/bindings.h"
#include "python/python_preparer.h"
#include "remote/messages.h"

namespace gwatch::python {

namespace py = pybind11;

namespace {

using Received = py::typing::Union<remote::Hello, capture::LaunchInfo, capture::CaptureResult>;

Received read_message(const py::bytes& bytes) {
    remote::Message message = take(remote::message_from(std::string_view(bytes)));
    if (const Error* const error = std::get_if<Error>(&message)) raise(*error);
    if (auto* const hello = std::get_if<remote::Hello>(&message)) return py::cast(*hello);
    if (auto* const launch = std::get_if<capture::LaunchInfo>(&message)) return py::cast(*launch);
    return py::cast(std::get<capture::CaptureResult>(std::move(message)));
}

py::bytes orders_message(const std::string& pattern, std::uint32_t max_launches,
                         std::uint64_t buffer_bytes, std::uint32_t warp_mask,
                         const std::array<std::uint32_t, 3>& blocks,
                         std::vector<std::string> cupti_paths) {
    return remote::to_bytes(remote::Orders{
        {pattern, max_launches, buffer_bytes, warp_mask, {blocks[0], blocks[1], blocks[2]}},
        std::move(cupti_paths)});
}

py::bytes answer_message(Prepare prepare, const capture::LaunchInfo& launch) {
    PythonPreparer preparer(std::move(prepare));
    Result<capture::PreparedKernel> prepared = preparer.prepare(launch);
    if (!prepared.ok()) return remote::to_bytes(remote::Answer(prepared.error()));
    return remote::to_bytes(remote::Answer(std::move(prepared).value()));
}

}  // namespace

void bind_remote(py::module_& module) {
    py::class_<remote::Hello>(module, "Hello", "What a program under `gwatch run` says first.")
        .def_readonly("process_id", &remote::Hello::process_id)
        .def_readonly("program", &remote::Hello::program, "Its path.");
    module.def("read_message", &read_message, py::arg("message"),
               "What a program under `gwatch run` sent; raises the error that it met.");
    module.def("orders_message", &orders_message, py::arg("kernel_pattern"),
               py::arg("max_launches"), py::arg("buffer_bytes"), py::arg("warp_mask"),
               py::arg("blocks"), py::arg("cupti_paths"), "The answer to Hello: what to trace.");
    module.def("answer_message", &answer_message, py::arg("prepare"), py::arg("launch"),
               "The answer to LaunchInfo: what prepare(launch) returns, or the error it raises.");
}

}  // namespace gwatch::python
