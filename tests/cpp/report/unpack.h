#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Reads a page's data the way the viewer does, but written on its own: what the tests compare the
// writer with.
namespace gwatch::report::testing {

/// The bytes behind base64; padding only at the end.
std::string from_base64(std::string_view text);

/// The bytes behind zlib's format; fails the test when the stream is damaged.
std::string inflate(std::string_view bytes, std::size_t size);

/// Text of the element with this id; fails the test when there is none.
std::string element_text(std::string_view page, const std::string& id);

/// Signed number behind a zig-zag one.
std::int64_t unzigzag(std::uint64_t value);

/// The columns of one run of a page, by name.
std::map<std::string, std::vector<std::uint64_t>> read_columns(std::string_view page,
                                                               std::size_t run);

}  // namespace gwatch::report::testing
