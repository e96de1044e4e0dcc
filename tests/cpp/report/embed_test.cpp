#include "report/embed.h"

#include <gtest/gtest.h>

#include "report/columns.h"
#include "report/sha256.h"
#include "unpack.h"

namespace gwatch::report {

using testing::from_base64;

namespace {

std::string hexadecimal(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        for (const int shift : {4, 0})
            text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> shift & 15];
    }
    return text;
}

std::string noise(std::size_t size) {
    std::string bytes;
    std::uint32_t random = 7;
    while (bytes.size() < size) {
        random = random * 1664525 + 1013904223;
        bytes += static_cast<char>(random >> 24);
    }
    return bytes;
}

}  // namespace

TEST(Embed, Base64OfEachPadding) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("\xff\xfe\xfd\x00"), "//79");
    EXPECT_EQ(base64(std::string("\x00\x00", 2)), "AAA=");
}

TEST(Embed, ChunksDecodeOnTheirOwnAndJoinToTheWhole) {
    const std::string bytes = noise(1000);
    const auto chunks = base64_chunks(bytes, 64);
    EXPECT_EQ(chunks.size(), 21u);
    std::string joined;
    for (const std::string& chunk : chunks) {
        EXPECT_LE(chunk.size(), 64u);
        joined += from_base64(chunk);
    }
    EXPECT_EQ(joined, bytes);
    EXPECT_TRUE(base64_chunks("").empty());
}

TEST(Embed, DeflateComesBack) {
    for (const std::string& bytes : {std::string(), std::string(300'000, 'a'), noise(200'000)}) {
        for (const int level : {1, 6})
            EXPECT_EQ(testing::inflate(deflate(bytes, level), bytes.size()), bytes);
    }
}

TEST(Embed, EscapesWhatHtmlReads) {
    EXPECT_EQ(escape_html("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(Sha256, AgreesWithTheStandardsExamples) {
    EXPECT_EQ(hexadecimal(sha256("")),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hexadecimal(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hexadecimal(sha256(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Columns, PlanesAreAsManyAsTheLargestValueNeeds) {
    ColumnPacker packer;
    packer.add("zeros", {0, 0});
    packer.add("small", {1, 255});
    packer.add("wide", {0x1122334455667788, 1});
    ASSERT_EQ(packer.facts().size(), 3u);
    EXPECT_EQ(packer.facts()[0].planes, 0u);
    EXPECT_EQ(packer.facts()[1].planes, 1u);
    EXPECT_EQ(packer.facts()[2].planes, 8u);
    EXPECT_EQ(packer.bytes(),
              std::string(
                  "\x01\xff\x88\x01\x77\x00\x66\x00\x55\x00\x44\x00\x33\x00\x22\x00\x11\x00", 18));
}

TEST(Columns, ZigzagKeepsSmallNumbersSmall) {
    EXPECT_EQ(zigzag(0), 0u);
    EXPECT_EQ(zigzag(-1), 1u);
    EXPECT_EQ(zigzag(1), 2u);
    EXPECT_EQ(zigzag(-2), 3u);
    for (const std::int64_t value : {INT64_MIN, INT64_MAX, std::int64_t{-1'000'000'007}})
        EXPECT_EQ(testing::unzigzag(zigzag(value)), value);
}

}  // namespace gwatch::report
