#include "capture/image_store.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

namespace gwatch::capture {

namespace {

constexpr std::uint32_t kFatbinWrapperMagic = 0x466243b1;
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;

/// What the code of a fat binary points to (fatbinary_section.h).
struct FatbinWrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* data;
    const void* file_or_list;
};

/// Start of a fat binary.
struct FatbinHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t content_bytes;
};

template <class T>
T read(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::size_t elf_size(const char* image) {
    const auto header = read<Elf64_Ehdr>(image);
    std::size_t end = std::max(sizeof header, static_cast<std::size_t>(header.e_ehsize));
    end = std::max<std::size_t>(end,
                                header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize);
    end = std::max<std::size_t>(end,
                                header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize);
    for (std::size_t i = 0; header.e_shoff && i < header.e_shnum; ++i) {
        const auto section = read<Elf64_Shdr>(image + header.e_shoff + i * header.e_shentsize);
        if (section.sh_type == SHT_NOBITS) continue;
        end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
    }
    return end;
}

/// The magic numbers of binary images begin with other bytes.
bool is_text(const char* image) {
    return std::strchr("./ \t\r\n", *image) && *image != '\0';
}

/// The fat binary behind its wrapper, else the image itself.
const void* unwrap(const void* image) {
    if (is_text(static_cast<const char*>(image)) ||
        read<std::uint32_t>(image) != kFatbinWrapperMagic) {
        return image;
    }
    return read<FatbinWrapper>(image).data;
}

}  // namespace

std::optional<std::size_t> image_size(const void* image) {
    const auto* bytes = static_cast<const char*>(image);
    if (is_text(bytes)) return std::strlen(bytes);
    if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        return bytes[EI_CLASS] == ELFCLASS64 ? std::optional(elf_size(bytes)) : std::nullopt;
    }
    if (read<std::uint32_t>(image) != kFatbinMagic) return std::nullopt;
    const auto header = read<FatbinHeader>(image);
    return header.header_bytes + header.content_bytes;
}

void ImageStore::add(const void* handle, const void* image) {
    const void* start = image ? unwrap(image) : nullptr;
    if (!handle || !start) return;
    const std::optional<std::size_t> size = image_size(start);
    const bool fits = size && *size <= max_bytes_ / 4;
    keep(handle, fits ? std::string(static_cast<const char*>(start), *size) : std::string());
}

void ImageStore::add_file(const void* handle, const char* path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
    std::string bytes;
    if (size > 0 && static_cast<std::size_t>(size) <= max_bytes_ / 4) {
        bytes.resize(static_cast<std::size_t>(size));
        file.seekg(0);
        if (!file.read(bytes.data(), size)) bytes.clear();
    }
    if (handle) keep(handle, std::move(bytes));
}

/// Nothing is kept of an image without bytes, but what was known of its handle is forgotten.
void ImageStore::keep(const void* handle, std::string bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto old = by_handle_.find(handle); old != by_handle_.end()) drop(old->second);
    if (bytes.empty()) return;
    while (total_bytes_ + bytes.size() > max_bytes_) drop(std::prev(images_.end()));
    total_bytes_ += bytes.size();
    images_.push_front({handle, std::move(bytes)});
    by_handle_[handle] = images_.begin();
}

void ImageStore::remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_handle_.find(handle); found != by_handle_.end()) drop(found->second);
}

std::string ImageStore::find(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end()) return {};
    images_.splice(images_.begin(), images_, found->second);
    return found->second->bytes;
}

std::size_t ImageStore::total_bytes() const {
    const std::lock_guard lock(mutex_);
    return total_bytes_;
}

void ImageStore::drop(std::list<Image>::iterator image) {
    total_bytes_ -= image->bytes.size();
    by_handle_.erase(image->handle);
    images_.erase(image);
}

}  // namespace gwatch::capture
