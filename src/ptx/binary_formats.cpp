#include "ptx/binary_formats.h"

#include <algorithm>

namespace gwatch::ptx {
namespace {

constexpr BinaryFormat kFormats[] = {
#define GWATCH_BINARY_FORMAT(magic, name, hint) \
    {std::string_view(magic, sizeof(magic) - 1), name, hint},
#include "ptx/binary_formats.def"
#undef GWATCH_BINARY_FORMAT
};

constexpr BinaryFormat kCubin = {
    "\x7F"
    "ELF",
    "a cubin", "Pass the kernel's PTX text; cuobjdump -ptx prints it if the cubin holds any."};

// e_machine of an ELF header, little-endian at bytes 18 and 19; 190 is EM_CUDA.
bool is_cuda_elf(std::string_view bytes) {
    constexpr std::size_t kMachineOffset = 18;
    return bytes.size() > kMachineOffset + 1 && bytes[kMachineOffset] == '\xBE' &&
           bytes[kMachineOffset + 1] == 0;
}

}  // namespace

const BinaryFormat* recognise_binary(std::string_view bytes) {
    if (bytes.starts_with(kCubin.magic) && is_cuda_elf(bytes)) return &kCubin;
    for (const BinaryFormat& format : kFormats) {
        if (bytes.starts_with(format.magic)) return &format;
    }
    return nullptr;
}

std::size_t size_of_leading_comments(std::string_view text) {
    std::size_t size = 0;
    while (text.substr(size).starts_with("//")) {
        size = std::min(text.find('\n', size), text.size() - 1) + 1;
    }
    return size;
}

}  // namespace gwatch::ptx
