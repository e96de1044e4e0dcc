#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "trace/archive.h"

namespace gwatch::trace {

namespace {

constexpr std::size_t kPiece = 1 << 20;

Error io_error(const std::string& what, const std::string& path, const std::string& why) {
    return Error{ErrorKind::kIo,
                 "cannot " + what + " " + path + ": " + why,
                 {},
                 "Check that the path exists and that you may use it."};
}

struct GzClose {
    void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<std::remove_pointer_t<gzFile>, GzClose>;

std::string gz_message(gzFile file) {
    int code = Z_OK;
    const char* message = gzerror(file, &code);
    return code == Z_ERRNO ? std::strerror(errno) : message;
}

Result<void> write_all(const std::string& text, const std::string& path, const char* mode) {
    errno = 0;
    gzFile file = gzopen(path.c_str(), mode);
    if (file == nullptr) return io_error("write", path, std::strerror(errno));
    gzbuffer(file, kPiece);
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
        const auto length = static_cast<unsigned>(std::min(kPiece, text.size() - at));
        if (gzwrite(file, text.data() + at, length) == 0) {
            const Error error = io_error("write", path, gz_message(file));
            gzclose(file);
            return error;
        }
    }
    errno = 0;
    if (gzclose(file) != Z_OK) return io_error("write", path, std::strerror(errno));
    return {};
}

bool ends_in_gz(const std::string& path) {
    return path.size() >= 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
}

}  // namespace

Result<void> write_archive(const Trace& trace, std::string_view producer, const std::string& path) {
    // T: plain text, no gzip around it.
    return write_all(to_json(trace, producer), path, ends_in_gz(path) ? "wb6" : "wbT");
}

Result<Trace> read_archive(const std::string& path) {
    errno = 0;
    const GzHandle file(gzopen(path.c_str(), "rb"));  // reads plain text too
    if (!file) return io_error("read", path, std::strerror(errno));
    gzbuffer(file.get(), kPiece);
    std::string text;
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
