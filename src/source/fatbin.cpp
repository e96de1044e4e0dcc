#include "source/fatbin.h"

#include <cstring>

#include "source/unpack.h"

namespace gwatch::source {

namespace {

constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint16_t kPtxKind = 1;
constexpr std::uint16_t kCubinKind = 2;
constexpr std::uint64_t kLz4Flag = 0x2000;
constexpr std::uint64_t kZstdFlag = 0x8000;
constexpr std::uint64_t kArchitectureVariantFlag = 0x100000;
constexpr std::uint64_t kFamilyVariantFlag = 0x200000;
/// No text packs better than this; a larger size is a lie.
constexpr std::uint64_t kBestRatio = 100000;

/// Start of a fat binary. What follows it are entries, each behind a header of its own.
struct FatbinHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t content_bytes;
};

struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t stored_bytes;  ///< padding included
    std::uint32_t packed_bytes;  ///< 0 when it is not packed
    std::uint32_t flags_place;   ///< from the header's start: offset and length of the flags, or 0
    std::uint16_t minor;
    std::uint16_t major;
    std::uint32_t architecture;
    std::uint32_t name_offset;
    std::uint32_t name_bytes;
    std::uint64_t properties;
    std::uint64_t reserved;
    std::uint64_t unpacked_bytes;  ///< 0 when it is not packed
};
static_assert(sizeof(FatbinHeader) == 16 && sizeof(EntryHeader) == 64);

template <class T>
bool read(std::string_view bytes, std::uint64_t offset, T* value) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof *value) return false;
    std::memcpy(value, bytes.data() + offset, sizeof *value);
    return true;
}

Error cut_off() {
    return {
        ErrorKind::kSource, "a fat binary is cut off or damaged", {}, "Build the program again."};
}

std::string flags_of(std::string_view header, std::uint32_t place) {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    if (place == 0 || !read(header, place, &offset) || !read(header, place + 4ull, &length)) {
        return {};
    }
    if (offset > header.size() || length > header.size() - offset) return {};
    const std::string_view text = header.substr(offset, length);
    return std::string(text.substr(0, text.find('\0')));
}

char variant_of(std::uint64_t properties) {
    if (properties & kArchitectureVariantFlag) return 'a';
    return properties & kFamilyVariantFlag ? 'f' : '\0';
}

Packing packing_of(std::uint64_t properties) {
    if (properties & kZstdFlag) return Packing::kZstd;
    return properties & kLz4Flag ? Packing::kLz4 : Packing::kNone;
}

/// False when sizes are not plausible.
bool make_entry(const EntryHeader& header, std::string_view header_text, std::string_view content,
                FatbinEntry* entry) {
    const Packing packing = packing_of(header.properties);
    const bool is_packed = packing != Packing::kNone;
    if (is_packed && header.packed_bytes > content.size()) return false;
    if (is_packed && header.unpacked_bytes / kBestRatio > header.packed_bytes) return false;
    *entry = {header.kind == kPtxKind ? ImageKind::kPtx : ImageKind::kCubin,
              static_cast<int>(header.architecture),
              variant_of(header.properties),
              packing,
              is_packed ? content.substr(0, header.packed_bytes) : content,
              is_packed ? header.unpacked_bytes : content.size(),
              flags_of(header_text, header.flags_place)};
    return true;
}

}  // namespace

std::string FatbinEntry::target() const {
    std::string name = "sm_" + std::to_string(architecture);
    if (variant) name += variant;
    return name;
}

std::optional<std::uint64_t> fatbin_bytes(std::string_view bytes) {
    FatbinHeader header{};
    if (!read(bytes, 0, &header) || header.magic != kFatbinMagic) return std::nullopt;
    return header.header_bytes + header.content_bytes;
}

Result<std::vector<FatbinEntry>> read_fatbin(std::string_view bytes) {
    FatbinHeader fatbin{};
    if (!read(bytes, 0, &fatbin) || fatbin.magic != kFatbinMagic) return cut_off();
    if (fatbin.header_bytes > bytes.size()) return cut_off();
    std::string_view rest = bytes.substr(fatbin.header_bytes);
    if (fatbin.content_bytes > rest.size()) return cut_off();
    rest = rest.substr(0, fatbin.content_bytes);
    std::vector<FatbinEntry> entries;
    while (!rest.empty()) {
        EntryHeader header{};
        if (!read(rest, 0, &header) || header.header_bytes < sizeof header) return cut_off();
        if (header.header_bytes > rest.size()) return cut_off();
        const std::string_view header_text = rest.substr(0, header.header_bytes);
        rest.remove_prefix(header.header_bytes);
        if (header.stored_bytes > rest.size()) return cut_off();
        FatbinEntry entry{};
        if (header.kind == kPtxKind || header.kind == kCubinKind) {
            const std::string_view content = rest.substr(0, header.stored_bytes);
            if (!make_entry(header, header_text, content, &entry)) return cut_off();
            entries.push_back(std::move(entry));
        }
        rest.remove_prefix(header.stored_bytes);
    }
    return entries;
}

Result<std::string> unpack(const FatbinEntry& entry) {
    Result<std::string> image = [&]() -> Result<std::string> {
        switch (entry.packing) {
            case Packing::kLz4:
                return unpack_lz4(entry.stored, entry.unpacked_bytes);
            case Packing::kZstd:
                return unpack_zstd(entry.stored, entry.unpacked_bytes);
            case Packing::kNone:
                break;
        }
        return std::string(entry.stored);
    }();
    if (image.ok() && entry.kind == ImageKind::kPtx) {
        image->erase(image->find_last_not_of('\0') + 1);
    }
    return image;
}

}  // namespace gwatch::source
