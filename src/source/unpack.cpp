#include "source/unpack.h"

#include <dlfcn.h>

#include <cstring>

namespace gwatch::source {

namespace {

Error damaged(const char* packing) {
    return {ErrorKind::kSource,
            std::string("an image in a fat binary is damaged: its ") + packing +
                " data do not give as many bytes as they should",
            {},
            "Build the program again."};
}

/// Reads an LZ4 block from front to back.
class Lz4Reader {
  public:
    explicit Lz4Reader(std::string_view bytes) : rest_(bytes) {}

    bool is_empty() const { return rest_.empty(); }

    bool take(std::size_t count, std::string_view* piece) {
        if (count > rest_.size()) return false;
        *piece = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return true;
    }
    bool take_byte(std::uint8_t* byte) {
        std::string_view piece;
        if (!take(1, &piece)) return false;
        *byte = static_cast<std::uint8_t>(piece[0]);
        return true;
    }
    /// A length of 15 in a token goes on in bytes, up to the first that is not 255.
    bool take_length(std::size_t in_token, std::size_t* length) {
        *length = in_token;
        if (in_token != 15) return true;
        std::uint8_t byte = 255;
        while (byte == 255) {
            if (!take_byte(&byte)) return false;
            *length += byte;
        }
        return true;
    }

  private:
    std::string_view rest_;
};

/// Appends what was written `distance` bytes ago; the two may overlap.
bool repeat(std::size_t distance, std::size_t length, std::uint64_t size, std::string* output) {
    if (distance == 0 || distance > output->size() || length > size - output->size()) return false;
    for (std::size_t i = 0; i < length; ++i)
        output->push_back((*output)[output->size() - distance]);
    return true;
}

/// A token, its literal bytes, and, but for the last, what to repeat.
bool unpack_sequence(Lz4Reader& reader, std::uint64_t size, std::string* output) {
    constexpr std::size_t kLeastRepeated = 4;
    std::uint8_t token = 0;
    std::size_t length = 0;
    std::string_view piece;
    if (!reader.take_byte(&token) || !reader.take_length(token >> 4, &length)) return false;
    if (length > size - output->size() || !reader.take(length, &piece)) return false;
    output->append(piece);
    if (reader.is_empty()) return true;
    if (!reader.take(2, &piece)) return false;
    std::uint16_t distance = 0;
    std::memcpy(&distance, piece.data(), sizeof distance);
    if (!reader.take_length(token & 15, &length)) return false;
    return repeat(distance, length + kLeastRepeated, size, output);
}

/// The two calls of libzstd that are needed.
struct Zstd {
    std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = nullptr;
    unsigned (*is_error)(std::size_t) = nullptr;

    bool is_complete() const { return decompress && is_error; }
};

const Zstd& zstd() {
    static const Zstd opened = [] {
        Zstd calls;
        void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) return calls;
        calls.decompress =
            reinterpret_cast<decltype(calls.decompress)>(dlsym(library, "ZSTD_decompress"));
        calls.is_error = reinterpret_cast<decltype(calls.is_error)>(dlsym(library, "ZSTD_isError"));
        return calls;
    }();
    return opened;
}

}  // namespace

Result<std::string> unpack_lz4(std::string_view packed, std::uint64_t size) {
    Lz4Reader reader(packed);
    std::string output;
    output.reserve(size);
    while (!reader.is_empty()) {
        if (!unpack_sequence(reader, size, &output)) return damaged("LZ4");
    }
    if (output.size() != size) return damaged("LZ4");
    return output;
}

Result<std::string> unpack_zstd(std::string_view packed, std::uint64_t size) {
    if (!zstd().is_complete()) {
        return Error{ErrorKind::kSource,
                     "the fat binary is packed with zstd, and libzstd.so.1 is not there",
                     {},
                     "Install libzstd (Debian: libzstd1) or cuobjdump (pip install "
                     "nvidia-cuda-cuobjdump), or build with nvcc --compress-mode=none."};
    }
    std::string output(size, '\0');
    const std::size_t written =
        zstd().decompress(output.data(), output.size(), packed.data(), packed.size());
    if (zstd().is_error(written) || written != size) return damaged("zstd");
    return output;
}

}  // namespace gwatch::source
