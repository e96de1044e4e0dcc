#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/progress.h"
#include "trace/archive.h"
#include "trace/output_file.h"

namespace gwatch::trace {

namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kMostReserved = std::size_t{1} << 32;

/// 0 when it is not known. Not by std::filesystem: PyTorch exports an older copy of that.
std::size_t size_of_file(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

struct GzClose {
    void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<std::remove_pointer_t<gzFile>, GzClose>;

}  // namespace

Result<void> write_archive(const Trace& trace, std::string_view producer, const std::string& path) {
    const std::string text = to_json(trace, producer);
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    progress::begin(text.size());
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
        file->write(std::string_view(text).substr(at, kPiece));
        progress::advance(kPiece);
    }
    return file->close();
}

Result<Trace> read_archive(const std::string& path) {
    errno = 0;
    const GzHandle file(gzopen(path.c_str(), "rb"));  // reads plain text too
    if (!file) return io_error("read", path, std::strerror(errno));
    gzbuffer(file.get(), kPiece);
    std::string text;
    // Packed or not, so much it will be at least; and a piece more, to see that it is all.
    text.reserve(std::min(size_of_file(path), kMostReserved) + kPiece);
    for (;;) {
        const std::size_t size = text.size();
        text.resize(size + kPiece);
        const int got = gzread(file.get(), text.data() + size, kPiece);
        if (got < 0) return io_error("read", path, gz_message(file.get()));
        text.resize(size + static_cast<std::size_t>(got));
        if (got == 0) break;
    }
    int code = Z_OK;
    gzerror(file.get(), &code);
    if (code == Z_BUF_ERROR) return io_error("read", path, "the gzip data end too early");
    return from_json(text, path);
}

}  // namespace gwatch::trace
