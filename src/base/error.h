#pragma once

#include <string>

namespace gwatch {

/// What a failure is about. The binding maps each kind to one class of the Python error tree.
enum class ErrorKind {
    kUsage,       ///< a wrong argument: unknown dsl, bad regex, bad range
    kPtx,         ///< the PTX text is not what the parser can take
    kInstrument,  ///< the module parsed, but cannot be instrumented
    kNoMarkers,   ///< the kernel has no marker
    kAssembler,   ///< no assembler, or it refused or crashed
    kSource,      ///< no PTX was found for a kernel
    kCapture,     ///< CUPTI is missing or taken, or no launch matched
    kDriver,      ///< a CUDA driver call failed
    kArchive,     ///< a trace file is broken, or of an unknown version
    kIo           ///< a file cannot be read or written
};

/// A failure as data. `message` says what failed and where; `detail` holds longer evidence (a
/// source line with a caret, an assembler's log); `hint` says what the user can do. The last two
/// may be empty.
struct Error {
    ErrorKind kind;
    std::string message;
    std::string detail = {};
    std::string hint = {};

    /// All parts, a paragraph each.
    std::string to_string() const;
};

}  // namespace gwatch
