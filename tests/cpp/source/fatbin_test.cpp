#include "source/fatbin.h"

#include <gtest/gtest.h>

#include "make_fatbin.h"

namespace gwatch::source {
namespace {

using namespace std::string_literals;

TEST(Fatbin, EntriesWithTheirTargetsAndFlags) {
    const std::string bytes =
        make_fatbin({{.content = "ptx text", .flags = "-lineinfo -maxrregcount=40 "},
                     {.kind = 2, .architecture = 80, .variant = 0, .content = "a cubin!"},
                     {.kind = 2, .architecture = 100, .variant = 'f', .content = "another!"}});

    const auto entries = read_fatbin(bytes).value();

    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].kind, ImageKind::kPtx);
    EXPECT_EQ(entries[0].target(), "sm_90a");
    EXPECT_EQ(entries[0].flags, "-lineinfo -maxrregcount=40 ");
    EXPECT_EQ(unpack(entries[0]).value(), "ptx text");
    EXPECT_EQ(entries[1].kind, ImageKind::kCubin);
    EXPECT_EQ(entries[1].target(), "sm_80");
    EXPECT_EQ(entries[1].flags, "");
    EXPECT_EQ(entries[1].stored, "a cubin!");
    EXPECT_EQ(entries[2].target(), "sm_100f");
    EXPECT_EQ(fatbin_bytes(bytes), bytes.size());
    EXPECT_EQ(fatbin_bytes("\x7f"
                           "ELF and more of it"),
              std::nullopt);
}

TEST(Fatbin, ZerosBehindATextAreNoText) {
    const std::string bytes = make_fatbin({{.content = "ptx"}, {.kind = 2, .content = "bin"}});

    const auto entries = read_fatbin(bytes).value();

    EXPECT_EQ(unpack(entries[0]).value(), "ptx");
    EXPECT_EQ(unpack(entries[1]).value(), "bin\0\0\0\0\0"s);
}

TEST(Fatbin, PackedText) {
    const std::string bytes = make_fatbin({{.content = "\x25"
                                                       "ab\x02\x00\x10!"s,
                                            .packing = 0x2000,
                                            .unpacked_bytes = 12}});

    EXPECT_EQ(unpack(read_fatbin(bytes).value()[0]).value(), "abababababa!");
}

TEST(Fatbin, OtherKindsAreLeftOut) {
    EXPECT_TRUE(read_fatbin(make_fatbin({{.kind = 8, .content = "an elf of another kind"}}))
                    .value()
                    .empty());
    EXPECT_TRUE(read_fatbin(make_fatbin({})).value().empty());
}

TEST(Fatbin, EveryCutIsFound) {
    const std::string bytes =
        make_fatbin({{.content = "ptx text", .flags = "-g"}, {.kind = 2, .content = "a cubin!"}});

    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
        EXPECT_FALSE(read_fatbin(std::string_view(bytes).substr(0, kept)).ok()) << kept;
    }
}

TEST(Fatbin, EveryWrongByteIsEitherFoundOrHarmless) {
    const std::string good = make_fatbin({{.content = "\x25"
                                                      "ab\x02\x00\x10!"s,
                                           .packing = 0x2000,
                                           .unpacked_bytes = 12,
                                           .flags = "-g"}});

    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const char wrong : {'\0', '\x7f', '\xff'}) {
            std::string bytes = good;
            bytes[at] = wrong;
            const auto entries = read_fatbin(bytes);
            if (!entries.ok()) continue;
            for (const FatbinEntry& entry : *entries) static_cast<void>(unpack(entry));
        }
    }
}

}  // namespace
}  // namespace gwatch::source
