#include "ptx/lexer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gwatch::ptx {
namespace {

using Kind = TokenKind;
using Tokens = std::vector<std::pair<Kind, std::string>>;

Tokens tokens_of(std::string_view text) {
    const auto lexed = lex({"test", text});
    if (!lexed) return {{Kind::kPunctuation, lexed.error().to_string()}};
    Tokens tokens;
    std::size_t end = 0;
    for (const Token& token : *lexed) {
        EXPECT_EQ(token.offset, end);
        EXPECT_GE(token.length, 1U);
        end = token.offset + token.length;
        tokens.emplace_back(token.kind, text.substr(token.offset, token.length));
    }
    EXPECT_EQ(end, text.size());
    return tokens;
}

Tokens without_blanks(std::string_view text) {
    Tokens tokens = tokens_of(text);
    std::erase_if(tokens, [](const auto& token) { return token.first == Kind::kWhitespace; });
    return tokens;
}

TEST(Lexer, TakesAnOpcodeWithItsSuffixesAsOneWord) {
    const std::string opcode =
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    EXPECT_EQ(tokens_of(opcode), (Tokens{{Kind::kWord, opcode}}));
}

TEST(Lexer, TakesNamesWithDollarsPercentsAndUnderscores) {
    for (const char* name :
         {"a$b", "%k2", "$k3", "_z", "%$y", "_", "$L__BB0_1", "%tid.x", "%v.x"}) {
        EXPECT_EQ(tokens_of(name), (Tokens{{Kind::kWord, name}}));
    }
}

TEST(Lexer, EndsANameWhereARegisterBegins) {
    EXPECT_EQ(tokens_of("mov.u32%r1,0;"), (Tokens{{Kind::kWord, "mov.u32"},
                                                  {Kind::kWord, "%r1"},
                                                  {Kind::kPunctuation, ","},
                                                  {Kind::kNumber, "0"},
                                                  {Kind::kPunctuation, ";"}}));
}

TEST(Lexer, KeepsTheColonOfALabelApart) {
    EXPECT_EQ(tokens_of("add:add.u32"),
              (Tokens{{Kind::kWord, "add"}, {Kind::kPunctuation, ":"}, {Kind::kWord, "add.u32"}}));
}

TEST(Lexer, SplitsDirectivesThatTouch) {
    EXPECT_EQ(without_blanks(".visible.entry k .shared::cta"),
              (Tokens{{Kind::kDirective, ".visible"},
                      {Kind::kDirective, ".entry"},
                      {Kind::kWord, "k"},
                      {Kind::kDirective, ".shared::cta"}}));
}

TEST(Lexer, TakesNumbersOfAllForms) {
    for (const char* number :
         {"0", "12", "12U", "0x1F", "0X1fU", "0B1", "0D3FF0000000000000", "0F3F800000", "0b101",
          "017", "0f3F800000", "0d3FF0000000000000", "9.0", "1.", ".5", "1e5", "1.5e-3", "2E+7"}) {
        EXPECT_EQ(tokens_of(number), (Tokens{{Kind::kNumber, number}}));
    }
}

TEST(Lexer, TellsAFractionFromASuffix) {
    EXPECT_EQ(tokens_of(".2d"), (Tokens{{Kind::kDirective, ".2d"}}));
    EXPECT_EQ(tokens_of("8.0.target"),
              (Tokens{{Kind::kNumber, "8.0"}, {Kind::kDirective, ".target"}}));
    EXPECT_EQ(tokens_of("4+0x1E-5").size(), 5U);
}

TEST(Lexer, EndsANumberWhereAWordBegins) {
    EXPECT_EQ(tokens_of("3mov"), (Tokens{{Kind::kNumber, "3"}, {Kind::kWord, "mov"}}));
    EXPECT_EQ(tokens_of("0xg"), (Tokens{{Kind::kNumber, "0"}, {Kind::kWord, "xg"}}));
    EXPECT_EQ(tokens_of("0f3F800000e"),
              (Tokens{{Kind::kNumber, "0f3F800000"}, {Kind::kWord, "e"}}));
}

TEST(Lexer, GivesTargetsNoSuffix) {
    EXPECT_EQ(without_blanks(".target sm_90a.address_size 64 a.b"),
              (Tokens{{Kind::kDirective, ".target"},
                      {Kind::kWord, "sm_90a"},
                      {Kind::kDirective, ".address_size"},
                      {Kind::kNumber, "64"},
                      {Kind::kWord, "a.b"}}));
}

TEST(Lexer, TakesBackslashesAsWhitespace) {
    EXPECT_EQ(tokens_of("a;\\\nb"), (Tokens{{Kind::kWord, "a"},
                                            {Kind::kPunctuation, ";"},
                                            {Kind::kWhitespace, "\\\n"},
                                            {Kind::kWord, "b"}}));
}

TEST(Lexer, EndsALineCommentAtALineFeed) {
    for (const std::string line_end : {"\n", "\r\n"}) {
        EXPECT_EQ(tokens_of("//a" + line_end + "b"), (Tokens{{Kind::kLineComment, "//a"},
                                                             {Kind::kWhitespace, line_end},
                                                             {Kind::kWord, "b"}}));
    }
    EXPECT_EQ(tokens_of("//a"), (Tokens{{Kind::kLineComment, "//a"}}));
    EXPECT_EQ(tokens_of("//\r\n").size(), 2U);
}

TEST(Lexer, ReadsALineCommentOnOverACarriageReturnAlone) {
    EXPECT_EQ(
        tokens_of("//a\rret;\nb"),
        (Tokens{{Kind::kLineComment, "//a\rret;"}, {Kind::kWhitespace, "\n"}, {Kind::kWord, "b"}}));
    EXPECT_EQ(tokens_of("# 1 \"a\"\rret;"), (Tokens{{Kind::kLineMarker, "# 1 \"a\"\rret;"}}));
    EXPECT_EQ(tokens_of("a\rb").size(), 3U);
}

TEST(Lexer, DoesNotNestBlockComments) {
    EXPECT_EQ(tokens_of("/*/*a\r*/b"),
              (Tokens{{Kind::kBlockComment, "/*/*a\r*/"}, {Kind::kWord, "b"}}));
    EXPECT_EQ(tokens_of("/**/"), (Tokens{{Kind::kBlockComment, "/**/"}}));
}

TEST(Lexer, KnowsNoEscapesInStrings) {
    EXPECT_EQ(tokens_of("\"C:\\\"a"), (Tokens{{Kind::kString, "\"C:\\\""}, {Kind::kWord, "a"}}));
    EXPECT_EQ(tokens_of("\"a\n//b\""), (Tokens{{Kind::kString, "\"a\n//b\""}}));
}

TEST(Lexer, TakesALineMarkerAnywhere) {
    EXPECT_EQ(without_blanks("mov # 1 \"k.cu\" 2\n;"),
              (Tokens{{Kind::kWord, "mov"},
                      {Kind::kLineMarker, "# 1 \"k.cu\" 2"},
                      {Kind::kPunctuation, ";"}}));
    EXPECT_EQ(tokens_of("# 1 \"a\nb\"\nc").front().second, "# 1 \"a\nb\"");
}

TEST(Lexer, TakesFinalNulsAsWhitespace) {
    using namespace std::string_literals;
    EXPECT_EQ(tokens_of("//a\0\0"s),
              (Tokens{{Kind::kLineComment, "//a"}, {Kind::kWhitespace, "\0\0"s}}));
    EXPECT_EQ(tokens_of("\0a"s), (Tokens{{Kind::kPunctuation, "\0"s}, {Kind::kWord, "a"}}));
}

TEST(Lexer, KeepsBytesItDoesNotKnow) {
    EXPECT_EQ(tokens_of("\xE9?%"), (Tokens{{Kind::kPunctuation, "\xE9"},
                                           {Kind::kPunctuation, "?"},
                                           {Kind::kPunctuation, "%"}}));
}

TEST(Lexer, GivesNoTokensForNoText) {
    EXPECT_EQ(tokens_of(""), Tokens{});
}

}  // namespace
}  // namespace gwatch::ptx
