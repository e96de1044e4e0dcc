#pragma once

#include <array>
#include <utility>

#include "base/error.h"

namespace gwatch::python {

/// The class of gwatch.errors of each kind, a subclass before its base.
inline constexpr std::array<std::pair<const char*, ErrorKind>, 10> kErrorClasses{{
    {"UsageError", ErrorKind::kUsage},
    {"PtxError", ErrorKind::kPtx},
    {"NoMarkersError", ErrorKind::kNoMarkers},
    {"InstrumentError", ErrorKind::kInstrument},
    {"AssemblerError", ErrorKind::kAssembler},
    {"SourceError", ErrorKind::kSource},
    {"CaptureError", ErrorKind::kCapture},
    {"DriverError", ErrorKind::kDriver},
    {"ArchiveError", ErrorKind::kArchive},
    {"FileError", ErrorKind::kIo},
}};

}  // namespace gwatch::python
