#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace gwatch::capture {

/// Length of a cubin (ELF) or fat binary in memory, from its header, or of a PTX text, up to its
/// zero; nullopt for anything else.
std::optional<std::size_t> image_size(const void* image);

/// Remembers what modules and libraries were loaded from, the newest up to a total size.
/// Thread-safe.
class ImageStore {
  public:
    explicit ImageStore(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Copies the image of a module or library handle, unless it is of unknown or too great a size.
    void add(const void* handle, const void* image);
    /// The same for a file that the driver has loaded.
    void add_file(const void* handle, const char* path);
    void remove(const void* handle);
    /// Empty when the load was not seen, or is forgotten.
    std::string find(const void* handle);
    std::size_t total_bytes() const;

  private:
    struct Image {
        const void* handle;
        std::string bytes;
    };
    void keep(const void* handle, std::string bytes);
    void drop(std::list<Image>::iterator image);

    const std::size_t max_bytes_;
    mutable std::mutex mutex_;
    std::list<Image> images_;  ///< the one used last comes first
    std::unordered_map<const void*, std::list<Image>::iterator> by_handle_;
    std::size_t total_bytes_ = 0;
};

}  // namespace gwatch::capture
