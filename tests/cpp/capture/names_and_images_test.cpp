#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "capture/image_store.h"
#include "capture/kernel_filter.h"
#include "fake_driver.h"

namespace gwatch::capture {

namespace {

bool matches(const std::string& pattern, const std::string& name) {
    FakeDriver driver;
    Result<std::unique_ptr<KernelFilter>> filter = KernelFilter::make(pattern, driver);
    EXPECT_TRUE(filter.ok());
    return (*filter)->count(nullptr, name.c_str()).matches;
}

TEST(KernelFilterTest, SearchesAnywhereInTheName) {
    EXPECT_TRUE(matches("mat", "my_matmul_kernel"));
    EXPECT_TRUE(matches(".*matmul.*", "my_matmul_kernel"));
    EXPECT_TRUE(matches(".*?matmul", "my_matmul_kernel"));
    EXPECT_TRUE(matches("^my_.*kernel$", "my_matmul_kernel"));
    EXPECT_FALSE(matches("^matmul.*", "my_matmul_kernel"));
    EXPECT_TRUE(matches(".*", "x"));
    EXPECT_TRUE(matches("", "x"));
}

TEST(KernelFilterTest, AnEscapedDotBeforeAStarIsKept) {
    EXPECT_TRUE(matches("^a\\.*$", "a"));
    EXPECT_FALSE(matches("^a\\.*$", "ab"));
    EXPECT_TRUE(matches("a\\.*", "ba.."));
    EXPECT_FALSE(matches("a\\\\.*", "ab"));
}

TEST(KernelFilterTest, BackReferencesWork) {
    EXPECT_TRUE(matches("(ab)\\1", "xababx"));
    EXPECT_FALSE(matches("(ab)\\1", "xabx"));
}

TEST(KernelFilterTest, AnOrdinaryNameIsNotDemangled) {
    EXPECT_EQ(demangle("matmul"), "matmul");
    EXPECT_EQ(demangle("_Z3addi"), "add(int)");
}

TEST(KernelFilterTest, LongNamesNeedNoDeepStack) {
    EXPECT_TRUE(matches("a.*z", "a" + std::string(100'000, 'b') + "z"));
    EXPECT_TRUE(matches("^(a|b)*$", std::string(100'000, 'b')));
}

std::string elf(std::size_t bytes) {
    std::string image(bytes, 'x');
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ehsize = sizeof header;
    header.e_shoff = sizeof header;
    header.e_shnum = 2;
    header.e_shentsize = sizeof(Elf64_Shdr);
    Elf64_Shdr section{};
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = 200;
    section.sh_size = bytes - 200;
    Elf64_Shdr nothing{};
    nothing.sh_type = SHT_NOBITS;
    nothing.sh_offset = 1 << 20;
    nothing.sh_size = 1 << 20;
    std::memcpy(image.data(), &header, sizeof header);
    std::memcpy(image.data() + header.e_shoff, &section, sizeof section);
    std::memcpy(image.data() + header.e_shoff + sizeof section, &nothing, sizeof nothing);
    return image;
}

TEST(ImageStoreTest, TheSizeOfACubinComesFromItsSections) {
    const std::string image = elf(1000);
    EXPECT_EQ(image_size(image.data()), 1000u);
    EXPECT_EQ(image_size("\xed"
                         "CNV"),
              std::nullopt);
}

TEST(ImageStoreTest, APtxTextEndsAtItsZero) {
    EXPECT_EQ(image_size(".version 8.0"), 12u);
    EXPECT_EQ(image_size("\n//\n"), 4u);
    EXPECT_EQ(image_size("/"), 1u);

    ImageStore store(1 << 20);
    store.add(&store, "// text");
    EXPECT_EQ(store.find(&store), "// text");
}

TEST(ImageStoreTest, AFileIsKeptWhole) {
    const std::string path = testing::TempDir() + "gwatch_image_" + std::to_string(getpid());
    std::ofstream(path) << ".version 8.0";
    ImageStore store(100);
    store.add_file(&path, path.c_str());
    EXPECT_EQ(store.find(&path), ".version 8.0");
    EXPECT_EQ(store.total_bytes(), 12u);

    std::ofstream(path) << std::string(26, 'x');  // more than a quarter of the store
    store.add_file(&path, path.c_str());
    EXPECT_EQ(store.find(&path), "");
    store.add_file(&path, "/no/such/file");
    EXPECT_EQ(store.find(&path), "");
    EXPECT_EQ(store.total_bytes(), 0u);
}

TEST(ImageStoreTest, AWrappedFatbinIsUnwrapped) {
    struct {
        std::uint32_t magic = 0xba55ed50;
        std::uint16_t version = 1;
        std::uint16_t header_bytes = 16;
        std::uint64_t content_bytes = 8;
        std::uint64_t content = 0x1122334455667788;
    } fatbin;
    struct {
        std::uint32_t magic = 0x466243b1;
        std::uint32_t version = 1;
        const void* data;
        const void* other = nullptr;
    } wrapper{.data = &fatbin};
    ImageStore store(1000);
    store.add(&store, &wrapper);
    EXPECT_EQ(store.find(&store), std::string(reinterpret_cast<const char*>(&fatbin), 24));
}

TEST(ImageStoreTest, TheOldestGoFirst) {
    const std::string image = elf(400);
    ImageStore store(1700);
    int handles[5];
    for (int i = 0; i < 4; ++i) store.add(&handles[i], image.data());
    EXPECT_EQ(store.find(&handles[0]), image) << "and so it is the newest";
    store.add(&handles[4], image.data());
    EXPECT_EQ(store.find(&handles[1]), "");
    EXPECT_EQ(store.find(&handles[0]), image);
    EXPECT_EQ(store.total_bytes(), 1600u);
    store.add(&handles[0], image.data());
    EXPECT_EQ(store.total_bytes(), 1600u);
    store.remove(&handles[0]);
    EXPECT_EQ(store.find(&handles[0]), "");
    EXPECT_EQ(store.total_bytes(), 1200u);
}

TEST(ImageStoreTest, HugeImagesAreLeftOut) {
    const std::string image = elf(1000);
    ImageStore store(1000);
    store.add(&store, image.data());
    EXPECT_EQ(store.total_bytes(), 0u);
}

}  // namespace

}  // namespace gwatch::capture
