#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "corpus.h"
#include "outline.h"
#include "snippets.h"

namespace gwatch::ptx {
namespace {

// What the parser itself refuses (error_test.cpp); the other reject-* modules are for the assembler
// to judge.
const std::set<std::string> kRefused = {"reject-double-semicolon", "reject-not-ptx",
                                        "reject-stray-brace"};

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, PrintsTheSameBytes) {
    const std::string text = read_corpus(GetParam());
    ASSERT_FALSE(text.empty());
    const auto module = parse(text, GetParam());
    ASSERT_EQ(module.ok(), !kRefused.contains(GetParam()));
    if (!module) return;
    EXPECT_EQ(print(*module), text);
    EXPECT_EQ(print(*module, {}), text);
}

// GWATCH_UPDATE_GOLDEN=1 writes the outlines anew.
TEST_P(Corpus, HasTheOutlineOnFile) {
    if (kRefused.contains(GetParam())) return;
    const std::string path = "outline/" + GetParam() + ".txt";
    const std::string outlined = outline(must_parse(read_corpus(GetParam())));
    if (std::getenv("GWATCH_UPDATE_GOLDEN") != nullptr) {
        const auto file = std::filesystem::path(GWATCH_TEST_DATA) / "ptx" / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << outlined;
    }
    EXPECT_EQ(outlined, read_data(path));
}

std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
    std::string name = parameter.param;
    for (char& character : name) {
        if (!std::isalnum(static_cast<unsigned char>(character))) character = '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(AllModules, Corpus, testing::ValuesIn(corpus_names()), test_name);

TEST(CorpusFolder, HoldsAllModules) {
    EXPECT_EQ(corpus_names().size(), 55U + 2U);
}

}  // namespace
}  // namespace gwatch::ptx
