#include <gtest/gtest.h>

#include <set>

#include "corpus.h"
#include "ptx/module.h"

namespace gwatch::ptx {
namespace {

// What the parser itself refuses; the other reject-* modules are for the assembler to judge.
const std::set<std::string> kRefused = {"reject-double-semicolon", "reject-not-ptx",
                                        "reject-stray-brace"};

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, ParsesAndPrintsTheSameBytes) {
    const std::string text = read_corpus(GetParam());
    ASSERT_FALSE(text.empty());
    const auto module = parse(text, GetParam());
    if (kRefused.contains(GetParam())) {
        EXPECT_FALSE(module.ok());
        return;
    }
    ASSERT_TRUE(module.ok()) << module.error().to_string();
    EXPECT_EQ(print(*module), text);
    EXPECT_EQ(print(*module, {}), text);
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
    EXPECT_EQ(corpus_names().size(), 55U);
}

}  // namespace
}  // namespace gwatch::ptx
