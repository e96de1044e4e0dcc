#include "assemble/workspace.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace gwatch::assemble {

namespace fs = std::filesystem;

Result<Workspace> Workspace::create(const std::string& base) {
    std::error_code failure;
    const fs::path parent = base.empty() ? fs::temp_directory_path(failure) : fs::path(base);
    if (!failure) fs::create_directories(parent, failure);
    if (failure) {
        return Error{ErrorKind::kIo,
                     "cannot use the folder " + parent.string() + ": " + failure.message(),
                     {},
                     "Set TMPDIR to a folder that can be written."};
    }
    std::string pattern = (parent / "gwatch-assemble-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
        return Error{ErrorKind::kIo,
                     "cannot make a folder in " + parent.string() + ": " + std::strerror(errno),
                     {},
                     "Set TMPDIR to a folder that can be written."};
    }
    return Workspace(fs::path(pattern));
}

Workspace::Workspace(Workspace&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), kept_(other.kept_) {}

Workspace::~Workspace() {
    if (kept_ || folder_.empty()) return;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

Result<void> Workspace::write(std::string_view name, std::string_view bytes) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file) return {};
    return Error{ErrorKind::kIo, "cannot write " + path(name), {}, "Is the disk full?"};
}

std::string Workspace::read(std::string_view name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace gwatch::assemble
