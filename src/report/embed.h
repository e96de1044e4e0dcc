#pragma once

#include <string>
#include <string_view>
#include <vector>

// Bytes as text that may stand in a page.
namespace gwatch::report {

/// Characters of one chunk at most. A browser drops a single text of more than half a gigabyte
/// without a word.
inline constexpr std::size_t kChunkCharacters = std::size_t{8} << 20;

/// zlib's format (RFC 1950): its checksum lets the browser notice a damaged file. `level` as
/// zlib's, 1 to 9.
std::string deflate(std::string_view bytes, int level);

/// Base64 of all bytes in chunks, each of which decodes on its own.
std::vector<std::string> base64_chunks(std::string_view bytes,
                                       std::size_t chunk_characters = kChunkCharacters);

/// Base64 of all bytes.
std::string base64(std::string_view bytes);

/// Text with `&`, `<`, `>` and quotes escaped for element content and attributes.
std::string escape_html(std::string_view text);

}  // namespace gwatch::report
