#include "source/find_ptx.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "make_fatbin.h"

namespace gwatch::source {
namespace {

constexpr Query kQuery{"mm", 90};

TEST(DefinesEntry, OnlyTheWholeNameOfAnEntry) {
    EXPECT_TRUE(defines_entry(".visible .entry mm(", "mm"));
    EXPECT_TRUE(defines_entry(".entry\n\tmm\n{", "mm"));
    EXPECT_FALSE(defines_entry(".entry mm2(", "mm"));
    EXPECT_FALSE(defines_entry(".entry mm", "mm"));
    EXPECT_FALSE(defines_entry(".func mm(", "mm"));
    EXPECT_TRUE(defines_entry(".entry a() .entry mm()", "mm"));
}

TEST(RunsOn, AsTheDriverDecides) {
    EXPECT_TRUE(runs_on(80, 0, 90));
    EXPECT_FALSE(runs_on(100, 0, 90));
    EXPECT_TRUE(runs_on(90, 'a', 90));
    EXPECT_FALSE(runs_on(90, 'a', 100));
    EXPECT_TRUE(runs_on(100, 'f', 103));
    EXPECT_FALSE(runs_on(103, 'f', 100));
    EXPECT_FALSE(runs_on(100, 'f', 120));
}

TEST(FindInFatbin, TheNewestThatRuns) {
    const std::string bytes =
        make_fatbin({{.architecture = 80, .variant = 0, .content = ptx_of("mm", "80")},
                     {.architecture = 90, .variant = 0, .content = ptx_of("mm", "90")},
                     {.content = ptx_of("mm", "90a"), .flags = "-lineinfo"},
                     {.architecture = 100, .variant = 'f', .content = ptx_of("mm", "100f")},
                     {.kind = 2, .architecture = 90, .variant = 0, .content = cubin_of("mm")},
                     {.kind = 2, .content = cubin_of("mm") + "90a"}});
    const auto comment = [&](int compute_capability) {
        const KernelPtx found = find_in_fatbin(bytes, {"mm", compute_capability}).value();
        return found.ptx.substr(2, found.ptx.find('\n') - 2) + " " + found.target;
    };

    EXPECT_EQ(comment(90), "90a sm_90a");
    EXPECT_EQ(comment(89), "80 sm_80");
    EXPECT_EQ(comment(103), "100f sm_100f");
    EXPECT_EQ(comment(120), "90 sm_90");
    const KernelPtx found = find_in_fatbin(bytes, kQuery).value();
    EXPECT_EQ(found.flags, "-lineinfo");
    EXPECT_TRUE(found.cubin.starts_with(cubin_of("mm") + "90a"));
    EXPECT_EQ(found.ptx, ptx_of("mm", "90a"));
}

TEST(FindInFatbin, SaysHowToBuildWithPtx) {
    const std::string bytes = make_fatbin({{.kind = 2, .content = cubin_of("mm")}});

    const Error error = find_in_fatbin(bytes, kQuery).error();

    EXPECT_EQ(error.kind, ErrorKind::kSource);
    EXPECT_EQ(error.message,
              "the fat binary that was loaded has the kernel as machine code for sm_90a, and was "
              "built without PTX");
    EXPECT_EQ(error.hint,
              "Build it with PTX: nvcc -arch=sm_90a, or beside other targets -gencode "
              "arch=compute_90a,code=compute_90a.");
}

TEST(FindInFatbin, SaysWhatPtxThereIs) {
    const std::string bytes =
        make_fatbin({{.architecture = 100, .variant = 0, .content = ptx_of("mm")},
                     {.architecture = 120, .variant = 'a', .content = ptx_of("mm")},
                     {.kind = 2, .content = cubin_of("mm")}});

    const Error error = find_in_fatbin(bytes, kQuery).error();

    EXPECT_EQ(error.message,
              "the fat binary that was loaded has PTX of the kernel for sm_100, sm_120a alone, "
              "which does not run on sm_90");
}

TEST(FindInFatbin, SaysWhatIsDamaged) {
    const std::string bytes =
        make_fatbin({{.content = "???", .packing = 0x2000, .unpacked_bytes = 99}});

    EXPECT_NE(find_in_fatbin(bytes, kQuery).error().message.find("damaged"), std::string::npos);
}

/// A minimal ELF file with sections of these names and bytes.
class ElfWriter {
  public:
    void add(const std::string& name, const std::string& bytes) {
        names_ += name + '\0';
        sections_.push_back({names_.size() - name.size() - 1, bytes});
    }
    std::string path() {
        static int count = 0;
        const std::string path = testing::TempDir() + "gwatch_elf_" + std::to_string(getpid()) +
                                 "_" + std::to_string(count++);
        std::ofstream(path, std::ios::binary) << file();
        return path;
    }

  private:
    struct Section {
        std::uint64_t name;
        std::string bytes;
    };
    static std::string header(std::uint64_t name, std::uint64_t offset, std::uint64_t size) {
        std::string bytes;
        append<std::uint32_t>(&bytes, static_cast<std::uint32_t>(name));
        append<std::uint32_t>(&bytes, 1);  // SHT_PROGBITS
        append<std::uint64_t>(&bytes, 0);
        append<std::uint64_t>(&bytes, 0);
        append<std::uint64_t>(&bytes, offset);
        append<std::uint64_t>(&bytes, size);
        bytes.resize(64, '\0');
        return bytes;
    }
    std::string file() {
        constexpr std::uint64_t kHeaderBytes = 64;
        std::string body = padded(names_);
        std::string headers = header(0, kHeaderBytes, names_.size());
        for (const Section& section : sections_) {
            headers += header(section.name, kHeaderBytes + body.size(), section.bytes.size());
            body += padded(section.bytes);
        }
        std::string elf(
            "\x7f"
            "ELF\x02\x01\x01",
            7);
        elf.resize(40, '\0');
        append<std::uint64_t>(&elf, kHeaderBytes + body.size());
        elf.resize(58, '\0');
        append<std::uint16_t>(&elf, 64);
        append<std::uint16_t>(&elf, static_cast<std::uint16_t>(sections_.size() + 1));
        append<std::uint16_t>(&elf, 0);
        return elf + body + headers;
    }

    std::string names_;
    std::vector<Section> sections_;
};

std::string names(const std::string& kernel) {
    std::string bytes(1, '\0');
    return bytes.append("other").append(1, '\0').append(kernel).append(1, '\0');
}

TEST(FindInFiles, LooksThroughAllFatbinsOfAllFiles) {
    ElfWriter unrelated;
    unrelated.add(".nv_fatbin", make_fatbin({{.content = ptx_of("mm", "not registered")}}));
    ElfWriter library;
    library.add(".rodata.str1.1", names("mm"));
    library.add(".nv_fatbin", make_fatbin({{.content = ptx_of("other")}}) + std::string(8, '\0') +
                                  make_fatbin({{.content = ptx_of("mm")}}));
    const std::string path = library.path();

    const KernelPtx found =
        find_in_files({"/no/such/file", "/dev/null", unrelated.path(), path}, kQuery).value();

    EXPECT_EQ(found.ptx, ptx_of("mm"));
    EXPECT_EQ(found.where, "fat binary in " + path);
}

TEST(FindInFiles, NamesTheFileThatLacksPtx) {
    ElfWriter program;
    program.add(".rodata", names("mm"));
    program.add(".nv_fatbin", make_fatbin({{.kind = 2, .content = cubin_of("mm")}}));
    const std::string path = program.path();

    const Error error = find_in_files({path}, kQuery).error();

    EXPECT_EQ(error.message,
              path + " has the kernel as machine code for sm_90a, and was built without PTX");
}

std::string library_with(const std::string& fatbins) {
    ElfWriter library;
    library.add(".rodata", names("mm"));
    library.add(".nv_fatbin", fatbins);
    return library.path();
}

TEST(FindInFiles, TakesNoOtherKernelOfTheSameName) {
    const std::string with_ptx = library_with(make_fatbin({{.content = ptx_of("mm", "one")}}));
    const std::string same = library_with(make_fatbin({{.content = ptx_of("mm", "one")}}));
    const std::string other = library_with(make_fatbin({{.content = ptx_of("mm", "other")}}));
    const std::string code = library_with(make_fatbin({{.kind = 2, .content = cubin_of("mm")}}));
    const auto message = [](const std::vector<std::string>& paths) {
        return find_in_files(paths, kQuery).error().message;
    };

    EXPECT_EQ(find_in_files({with_ptx, same}, kQuery).value().where, "fat binary in " + with_ptx);
    EXPECT_TRUE(message({with_ptx, other}).ends_with("not known: " + with_ptx + ", " + other));
    EXPECT_TRUE(message({code, with_ptx}).ends_with("not known: " + code + ", " + with_ptx));
    EXPECT_TRUE(message({with_ptx, code}).starts_with("several loaded files"));
}

TEST(FindInFiles, LooksOnlyIntoFilesWithTheImage) {
    const std::string image = make_fatbin({{.kind = 2, .content = cubin_of("mm")}});
    const std::string relocatable = make_fatbin({{.content = ptx_of("mm", "relocatable")}});
    const std::string other = library_with(make_fatbin({{.content = ptx_of("mm", "other")}}));
    const std::string alone = library_with(image);
    const std::string linked = library_with(image + relocatable);
    const Query query{"mm", 90, image};

    EXPECT_EQ(find_in_files({other, alone}, query).error().message,
              alone + " has the kernel as machine code for sm_90a, and was built without PTX");
    EXPECT_EQ(find_in_files({other, linked}, query).value().where, "fat binary in " + linked);
    EXPECT_TRUE(find_in_files({other}, query).error().message.starts_with("neither"));
}

TEST(FindInFiles, NothingThere) {
    EXPECT_NE(find_in_files({"/dev/null"}, kQuery).error().message.find("neither the program"),
              std::string::npos);
}

}  // namespace
}  // namespace gwatch::source
