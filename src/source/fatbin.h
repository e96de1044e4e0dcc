#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gwatch::source {

enum class ImageKind { kPtx, kCubin };
enum class Packing { kNone, kLz4, kZstd };

/// One image in a fat binary.
struct FatbinEntry {
    ImageKind kind;
    int architecture;  ///< 90 of compute_90a and sm_90a
    char variant;      ///< 'a' of sm_90a, 'f' of sm_100f, or 0
    Packing packing;
    std::string_view stored;  ///< in the bytes of the fat binary
    std::uint64_t unpacked_bytes;
    std::string flags;  ///< of a PTX text: what nvcc passes to ptxas, as one line

    /// "sm_90a".
    std::string target() const;
};

/// The length of the fat binary at the start of the bytes, which may be cut off; nullopt when there
/// is none.
std::optional<std::uint64_t> fatbin_bytes(std::string_view bytes);

/// The images of a fat binary, which stay where they are; kinds other than PTX and cubin are left
/// out. kSource when it is cut off or none.
Result<std::vector<FatbinEntry>> read_fatbin(std::string_view bytes);

/// The image as the compiler made it; of a PTX text without the zeros behind it. kSource when it
/// is damaged, or when libzstd.so.1 is needed and not there.
Result<std::string> unpack(const FatbinEntry& entry);

}  // namespace gwatch::source
