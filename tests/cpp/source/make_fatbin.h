#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace gwatch::source {

/// An image for make_fatbin().
struct Part {
    std::uint16_t kind = 1;  ///< 1: PTX, 2: cubin
    std::uint32_t architecture = 90;
    char variant = 'a';
    std::string content;
    std::uint64_t packing = 0;  ///< its flag: 0x2000 LZ4, 0x8000 zstd
    std::uint64_t unpacked_bytes = 0;
    std::string flags = {};
};

template <class T>
void append(std::string* bytes, T value) {
    bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string padded(std::string bytes) {
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return bytes;
}

inline std::string make_entry(const Part& part) {
    constexpr std::uint32_t kFixedBytes = 64;
    const std::string flags = padded(part.flags);
    const std::string content = padded(part.content);
    const bool has_flags = !flags.empty();
    std::uint64_t properties = 0x11 | part.packing;
    if (part.variant == 'a') properties |= 0x100000;
    if (part.variant == 'f') properties |= 0x200000;
    std::string entry;
    append<std::uint16_t>(&entry, part.kind);
    append<std::uint16_t>(&entry, 0x101);
    append<std::uint32_t>(&entry, kFixedBytes + (has_flags ? 8 + flags.size() : 0));
    append<std::uint64_t>(&entry, content.size());
    append<std::uint32_t>(&entry, part.packing ? part.content.size() : 0);
    append<std::uint32_t>(&entry, has_flags ? kFixedBytes : 0);
    append<std::uint16_t>(&entry, 5);
    append<std::uint16_t>(&entry, 9);
    append<std::uint32_t>(&entry, part.architecture);
    append<std::uint64_t>(&entry, 0);
    append<std::uint64_t>(&entry, properties);
    append<std::uint64_t>(&entry, 0);
    append<std::uint64_t>(&entry, part.unpacked_bytes);
    if (has_flags) {
        append<std::uint32_t>(&entry, kFixedBytes + 8);
        append<std::uint32_t>(&entry, static_cast<std::uint32_t>(part.flags.size()));
    }
    return entry + flags + content;
}

/// A fat binary as nvcc lays it out.
inline std::string make_fatbin(const std::vector<Part>& parts) {
    std::string entries;
    for (const Part& part : parts) entries += make_entry(part);
    std::string fatbin;
    append<std::uint32_t>(&fatbin, 0xba55ed50);
    append<std::uint16_t>(&fatbin, 1);
    append<std::uint16_t>(&fatbin, 16);
    append<std::uint64_t>(&fatbin, entries.size());
    return fatbin + entries;
}

/// A PTX text with one kernel.
inline std::string ptx_of(const std::string& kernel, const std::string& comment = "") {
    return "//" + comment + "\n.version 9.0\n.target sm_90a\n.visible .entry " + kernel +
           "(\n)\n{ ret; }\n";
}

/// Bytes in which a kernel's code is found.
inline std::string cubin_of(const std::string& kernel) {
    std::string bytes = "\x7f";
    bytes.append("ELF").append(1, '\0').append(".text.").append(kernel).append(1, '\0');
    return bytes;
}

}  // namespace gwatch::source
