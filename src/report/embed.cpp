#include "report/embed.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace gwatch::report {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0;
}

}  // namespace

std::string deflate(std::string_view bytes, int level) {
    z_stream stream{};
    // The only failures of deflate on memory of our own are a wrong level and no memory.
    if (deflateInit(&stream, level) != Z_OK) throw std::bad_alloc();
    std::string out;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    std::size_t left = bytes.size();
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        if (stream.avail_in == 0 && left > 0) {
            const std::size_t part = std::min<std::size_t>(left, std::numeric_limits<uInt>::max());
            stream.avail_in = static_cast<uInt>(part);
            left -= part;
        }
        char buffer[1 << 16];
        stream.next_out = reinterpret_cast<Bytef*>(buffer);
        stream.avail_out = sizeof(buffer);
        state = ::deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
        out.append(buffer, sizeof(buffer) - stream.avail_out);
    }
    deflateEnd(&stream);
    return out;
}

std::string base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t index = 0; index < bytes.size(); index += 3) {
        const std::uint32_t group = byte_at(bytes, index) << 16 | byte_at(bytes, index + 1) << 8 |
                                    byte_at(bytes, index + 2);
        for (int shift = 18; shift >= 0; shift -= 6) text += kAlphabet[group >> shift & 63];
    }
    const std::size_t padding = (3 - bytes.size() % 3) % 3;
    text.replace(text.size() - padding, padding, padding, '=');
    return text;
}

std::vector<std::string> base64_chunks(std::string_view bytes, std::size_t chunk_characters) {
    const std::size_t bytes_a_chunk = std::max<std::size_t>(chunk_characters / 4, 1) * 3;
    std::vector<std::string> chunks;
    for (std::size_t begin = 0; begin < bytes.size(); begin += bytes_a_chunk)
        chunks.push_back(base64(bytes.substr(begin, bytes_a_chunk)));
    return chunks;
}

std::string escape_html(std::string_view text) {
    std::string escaped;
    for (const char character : text) {
        switch (character) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += character;
        }
    }
    return escaped;
}

}  // namespace gwatch::report
