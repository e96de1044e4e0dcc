#include "trace/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gwatch::trace {

namespace {

constexpr std::size_t kPiece = 1 << 20;

}  // namespace

Error io_error(const std::string& what, const std::string& path, const std::string& why) {
    return Error{ErrorKind::kIo,
                 "cannot " + what + " " + path + ": " + why,
                 {},
                 "Check that the path exists and that you may use it."};
}

std::string gz_message(gzFile file) {
    int code = Z_OK;
    const char* message = gzerror(file, &code);
    return code == Z_ERRNO ? std::strerror(errno) : message;
}

Result<OutputFile> OutputFile::create(const std::string& path, int gzip_level) {
    // T: plain text, no gzip around it.
    const std::string mode = path.ends_with(".gz") ? "wb" + std::to_string(gzip_level) : "wbT";
    errno = 0;
    gzFile file = gzopen(path.c_str(), mode.c_str());
    if (file == nullptr) return io_error("write", path, std::strerror(errno));
    gzbuffer(file, kPiece);
    return OutputFile(path, file);
}

void OutputFile::write(std::string_view bytes) {
    while (!bytes.empty() && failure_.empty()) {
        const std::size_t length = std::min(kPiece, bytes.size());
        errno = 0;
        if (gzwrite(file_.get(), bytes.data(), static_cast<unsigned>(length)) == 0) {
            failure_ = gz_message(file_.get());
        }
        bytes.remove_prefix(length);
    }
}

Result<void> OutputFile::close() {
    errno = 0;
    const int code = gzclose(file_.release());
    if (failure_.empty() && code != Z_OK) {
        failure_ = errno != 0 ? std::strerror(errno) : "the data could not be compressed";
    }
    if (!failure_.empty()) return io_error("write", path_, failure_);
    return {};
}

}  // namespace gwatch::trace
