#include "source/unpack.h"

#include <gtest/gtest.h>

#include <string>

namespace gwatch::source {
namespace {

using namespace std::string_literals;

TEST(Lz4, LiteralsAlone) {
    EXPECT_EQ(unpack_lz4("\x50hello"s, 5).value(), "hello");
}

TEST(Lz4, RepeatsWhatOverlaps) {
    // "ab", then 9 bytes from 2 back, then "!".
    EXPECT_EQ(unpack_lz4("\x25"
                         "ab\x02\x00\x10!"s,
                         12)
                  .value(),
              "abababababa!");
}

TEST(Lz4, LengthsThatGoOnInBytes) {
    const std::string literals(15 + 255 + 3, 'x');
    const std::string packed = "\xff\xff\x03"s + literals + "\x01\x00\xff\x00\x10!"s;
    EXPECT_EQ(unpack_lz4(packed, literals.size() + 4 + 15 + 255 + 1).value(),
              std::string(literals.size() + 4 + 15 + 255, 'x') + "!");
}

TEST(Lz4, RefusesWhatIsDamaged) {
    const std::string good =
        "\x25"
        "ab\x02\x00\x10!"s;
    for (std::size_t size : {0, 5, 11, 13}) EXPECT_FALSE(unpack_lz4(good, size).ok()) << size;
    for (std::size_t kept = 0; kept + 1 < good.size(); ++kept) {
        EXPECT_FALSE(unpack_lz4(good.substr(0, kept), 12).ok()) << kept;
    }
    EXPECT_FALSE(unpack_lz4("\x25"
                            "ab\x03\x00\x10!"s,
                            12)
                     .ok());  // repeats from before the start
    EXPECT_FALSE(unpack_lz4("\x25"
                            "ab\x00\x00\x10!"s,
                            12)
                     .ok());  // repeats from no distance
}

TEST(Zstd, RawBlock) {
    // A frame of one raw block: magic, descriptor with an 8-bit content size, block header, bytes.
    const std::string frame = "\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello"s;
    const Result<std::string> unpacked = unpack_zstd(frame, 5);
    if (!unpacked.ok() && unpacked.error().message.find("not there") != std::string::npos) {
        GTEST_SKIP() << "libzstd.so.1 is not installed";
    }
    EXPECT_EQ(unpacked.value(), "hello");
    EXPECT_FALSE(unpack_zstd(frame, 6).ok());
    EXPECT_FALSE(unpack_zstd(frame.substr(0, 10), 5).ok());
    EXPECT_FALSE(unpack_zstd("no frame", 5).ok());
}

}  // namespace
}  // namespace gwatch::source
