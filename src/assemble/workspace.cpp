#include "assemble/workspace.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace gwatch::assemble {

namespace {

std::string temporary_folder() {
    const char* named = std::getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

/// Makes a folder and those above it. Says whether it is there now; else errno says why not.
bool make_folders(const std::string& path) {
    for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
        mkdir(path.substr(0, end).c_str(), 0777);
    }
    return mkdir(path.c_str(), 0777) == 0 || errno == EEXIST;
}

/// The folder and the files in it: a workspace has no folders inside.
void remove_folder(const std::string& folder) {
    const auto close_listing = [](DIR* listing) { closedir(listing); };
    const std::unique_ptr<DIR, decltype(close_listing)> listing(opendir(folder.c_str()));
    while (const dirent* entry = listing ? readdir(listing.get()) : nullptr) {
        unlink((folder + "/" + entry->d_name).c_str());
    }
    rmdir(folder.c_str());
}

Error folder_error(const std::string& what, const std::string& folder) {
    return {ErrorKind::kIo,
            what + folder + ": " + std::strerror(errno),
            {},
            "Set TMPDIR to a folder that can be written."};
}

}  // namespace

Result<Workspace> Workspace::create(const std::string& base) {
    const std::string parent = base.empty() ? temporary_folder() : base;
    if (!make_folders(parent)) return folder_error("cannot use the folder ", parent);
    std::string pattern = parent + "/gwatch-assemble-XXXXXX";
    if (!mkdtemp(pattern.data())) return folder_error("cannot make a folder in ", parent);
    return Workspace(std::move(pattern));
}

Workspace::Workspace(Workspace&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), kept_(other.kept_) {}

Workspace::~Workspace() {
    if (!kept_ && !folder_.empty()) remove_folder(folder_);
}

Result<void> Workspace::write(std::string_view name, std::string_view bytes) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (file) return {};
    return Error{ErrorKind::kIo, "cannot write " + path(name), {}, "Is the disk full?"};
}

std::string Workspace::read(std::string_view name) const {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace gwatch::assemble
