#include "python/bindings.h"

namespace gwatch::python {

namespace {

const char* class_name(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::kUsage:
            return "UsageError";
        case ErrorKind::kPtx:
            return "PtxError";
        case ErrorKind::kInstrument:
            return "InstrumentError";
        case ErrorKind::kNoMarkers:
            return "NoMarkersError";
        case ErrorKind::kAssembler:
            return "AssemblerError";
        case ErrorKind::kSource:
            return "SourceError";
        case ErrorKind::kCapture:
            return "CaptureError";
        case ErrorKind::kDriver:
            return "DriverError";
        case ErrorKind::kArchive:
            return "ArchiveError";
        case ErrorKind::kIo:
            return "FileError";
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
