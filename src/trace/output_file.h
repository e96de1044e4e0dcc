#pragma once

#include <zlib.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gwatch::trace {

/// A file that is written piece by piece, through gzip when its name ends in .gz.
class OutputFile {
  public:
    /// kIo when it cannot be made. `gzip_level` goes from 1, fast, to 9, small.
    static Result<OutputFile> create(const std::string& path, int gzip_level = 3);

    /// After a failure the rest is dropped, and close() tells it.
    void write(std::string_view bytes);
    /// Writes what is left. kIo when not all could be written.
    Result<void> close();

  private:
    struct Close {
        void operator()(gzFile file) const { gzclose(file); }
    };
    using Handle = std::unique_ptr<std::remove_pointer_t<gzFile>, Close>;

    OutputFile(std::string path, gzFile file) : path_(std::move(path)), file_(file) {}

    std::string path_;
    Handle file_;
    std::string failure_;
};

/// An error of a file, with what the system said about it.
Error io_error(const std::string& what, const std::string& path, const std::string& why);

/// The reason why the last call on a file failed.
std::string gz_message(gzFile file);

}  // namespace gwatch::trace
