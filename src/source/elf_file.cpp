#include "source/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace gwatch::source {

namespace {

/// The bytes of a range, or none where it leaves the file.
std::string_view range(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return {};
    return bytes.substr(offset, size);
}

template <class T>
bool read(std::string_view bytes, std::uint64_t offset, T* value) {
    const std::string_view piece = range(bytes, offset, sizeof *value);
    if (piece.empty()) return false;
    std::memcpy(value, piece.data(), sizeof *value);
    return true;
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
    if (offset >= table.size()) return {};
    const std::string_view rest = table.substr(offset);
    return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::optional<ElfFile> ElfFile::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    struct stat facts{};
    void* memory = MAP_FAILED;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        memory = mmap(nullptr, facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (memory == MAP_FAILED) return std::nullopt;
    ElfFile elf({static_cast<const char*>(memory), static_cast<std::size_t>(facts.st_size)});
    if (!elf.read_sections()) return std::nullopt;
    return elf;
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), sections_(std::move(other.sections_)) {}

ElfFile::~ElfFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

bool ElfFile::read_sections() {
    Elf64_Ehdr header{};
    if (!read(bytes_, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64) {
        return false;
    }
    Elf64_Shdr names{};
    const auto place_of = [&](std::uint64_t index) {
        return header.e_shoff + index * header.e_shentsize;
    };
    if (!read(bytes_, place_of(header.e_shstrndx), &names)) return false;
    const std::string_view name_table = range(bytes_, names.sh_offset, names.sh_size);
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section{};
        if (!read(bytes_, place_of(i), &section)) return false;
        if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS) continue;
        sections_.push_back({text_at(name_table, section.sh_name),
                             range(bytes_, section.sh_offset, section.sh_size)});
    }
    return true;
}

}  // namespace gwatch::source
