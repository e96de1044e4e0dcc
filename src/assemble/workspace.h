#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gwatch::assemble {

/// A fresh folder for the files of one call. It goes with the object, unless kept.
class Workspace {
  public:
    /// Under `base`, which is made when missing; under the system's temporary folder when empty.
    /// kIo.
    static Result<Workspace> create(const std::string& base);

    Workspace(Workspace&& other) noexcept;
    Workspace& operator=(Workspace&& other) = delete;
    ~Workspace();

    std::string folder() const { return folder_.string(); }
    std::string path(std::string_view name) const { return (folder_ / name).string(); }
    /// Leaves the folder in place.
    void keep() { kept_ = true; }

    /// kIo when the disk does not take it.
    Result<void> write(std::string_view name, std::string_view bytes) const;
    /// The file's bytes; empty when it is not there.
    std::string read(std::string_view name) const;

  private:
    explicit Workspace(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path folder_;
    bool kept_ = false;
};

}  // namespace gwatch::assemble
