#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gwatch::source {

/// A 64-bit ELF file, mapped to be read.
class ElfFile {
  public:
    struct Section {
        std::string_view name;
        std::string_view bytes;
    };

    /// nullopt when there is no such file, or it is no ELF file that can be read.
    static std::optional<ElfFile> open(const std::string& path);

    ElfFile(ElfFile&& other) noexcept;
    ElfFile& operator=(ElfFile&& other) = delete;
    ~ElfFile();

    /// Those with bytes in the file.
    const std::vector<Section>& sections() const { return sections_; }

  private:
    explicit ElfFile(std::string_view bytes) : bytes_(bytes) {}
    bool read_sections();

    std::string_view bytes_;
    std::vector<Section> sections_;
};

}  // namespace gwatch::source
