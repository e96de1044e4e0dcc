#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace gwatch::assemble {

/// A fresh folder for the files of one call. It goes with the object, unless kept.
///
/// Plain system calls, not std::filesystem: in a process with PyTorch its symbols may resolve to
/// those of another library's older copy, which crashes.
class Workspace {
  public:
    /// Under `base`, which is made when missing; under $TMPDIR or /tmp when empty. kIo.
    static Result<Workspace> create(const std::string& base);

    Workspace(Workspace&& other) noexcept;
    Workspace& operator=(Workspace&& other) = delete;
    ~Workspace();

    const std::string& folder() const { return folder_; }
    std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }
    /// Leaves the folder in place.
    void keep() { kept_ = true; }

    /// kIo when the disk does not take it.
    Result<void> write(std::string_view name, std::string_view bytes) const;
    /// The file's bytes; empty when it is not there.
    std::string read(std::string_view name) const;

  private:
    explicit Workspace(std::string folder) : folder_(std::move(folder)) {}

    std::string folder_;
    bool kept_ = false;
};

}  // namespace gwatch::assemble
