#include "trace/number_array.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "trace/archive_sax.h"

namespace gwatch::trace {
namespace {

struct Taken {
    std::vector<std::int64_t> column;
    std::string left;
};

/// `text` is what follows the opening bracket.
Taken take(const std::string& text, bool is_unsigned = false) {
    Taken taken;
    const char* const end = text.data() + text.size();
    const char* const at = take_whole_numbers(text.data(), end, is_unsigned, &taken.column);
    taken.left.assign(at, end);
    return taken;
}

using Column = std::vector<std::int64_t>;

TEST(NumberArray, TakesAllWholeNumbers) {
    EXPECT_EQ(take("1,-2,0]x").column, (Column{1, -2, 0}));
    EXPECT_EQ(take("1,-2,0]x").left, "]x");
    EXPECT_EQ(take(" 12 ,\n\t3 ] ,").column, (Column{12, 3}));
    EXPECT_EQ(take("]").left, "]");
    EXPECT_EQ(take("9223372036854775807,-999999999999999999]").column,
              (Column{INT64_MAX, -999999999999999999}));
    EXPECT_EQ(take("18446744073709551615,9223372036854775808]", true).column,
              (Column{-1, INT64_MIN}));
}

TEST(NumberArray, LeavesWhatItDoesNotTakeWithItsElement) {
    EXPECT_EQ(take("1,2.5,3]").column, (Column{1}));
    EXPECT_EQ(take("1,2.5,3]").left, "2.5,3]");
    EXPECT_EQ(take("1,2e3]").left, "2e3]");
    EXPECT_EQ(take("1,2 3]").left, "2 3]");
    EXPECT_EQ(take("1,\"2\"]").left, "\"2\"]");
    EXPECT_EQ(take("1,[2]]").left, "[2]]");
    EXPECT_EQ(take("1,02]").left, "02]");
    EXPECT_EQ(take("1,-]").left, "-]");
    EXPECT_EQ(take("1,2,]").left, "2,]");
    EXPECT_EQ(take("1,2,").left, "2,");
    EXPECT_EQ(take("1,2").left, "2");
    EXPECT_EQ(take(",1]").left, ",1]");
    EXPECT_EQ(take("1,9223372036854775808]").left, "9223372036854775808]");
    EXPECT_EQ(take("1,18446744073709551616]", true).left, "18446744073709551616]");
    EXPECT_EQ(take("1,-1]", true).left, "-1]");
}

/// The first column of a run, as an archive with this text in it has it.
ParsedArchive archive_with(const std::string& array, const char* column) {
    return parse_archive(std::string("{\"runs\":[{\"slices\":{") + column + "[" + array);
}

/// What a parser of JSON alone says of the array.
struct Plain {
    bool is_json = false;
    bool is_whole = false;
    Column column;
};

Plain plainly(const std::string& array) {
    using Json = nlohmann::json;
    const std::string text = "[" + array;
    const std::string end = "}}]}";
    if (!text.ends_with(end)) return {};
    const Json parsed = Json::parse(text.substr(0, text.size() - end.size()), nullptr, false);
    Plain plain;
    plain.is_json = !parsed.is_discarded() && parsed.is_array();
    if (!plain.is_json) return plain;
    plain.is_whole = true;
    for (const Json& value : parsed) {
        const bool fits = value.is_number_integer() &&
                          (!value.is_number_unsigned() ||
                           value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
        if (!fits) {
            plain.is_whole = false;
        } else {
            plain.column.push_back(value.get<std::int64_t>());
        }
    }
    return plain;
}

TEST(NumberArray, AnyTextGivesWhatAParserAloneGives) {
    std::mt19937 random(1);
    const std::string characters = "0123456789-,] .e[\n\"x";
    int whole = 0, broken = 0;
    for (int round = 0; round < 50'000; ++round) {
        std::string array;
        const auto length = random() % 12;
        for (unsigned i = 0; i < length; ++i)
            array += random() % 3 ? std::to_string(random() % 100) + ","
                                  : std::string(1, characters[random() % characters.size()]);
        if (!array.empty() && array.back() == ',' && random() % 2) array.pop_back();
        array += "]}}]}";
        const Plain plain = plainly(array);
        const ParsedArchive archive = archive_with(array, "\"duration_ns\":");
        // A text that closes its array early may go on as something else than an array.
        if (array.find(']') != array.size() - 5) continue;
        ASSERT_EQ(archive.syntax_error.empty(), plain.is_json) << array;
        if (!plain.is_json) {
            ++broken;
            continue;
        }
        ASSERT_EQ(archive.column_error.empty(), plain.is_whole) << array;
        if (!plain.is_whole) continue;
        ++whole;
        ASSERT_EQ(archive.columns[0].at("slices.duration_ns"), plain.column) << array;
    }
    EXPECT_GT(whole, 1000);
    EXPECT_GT(broken, 1000);
}

TEST(NumberArray, ErrorsStandWhereTheyAreInTheText) {
    const std::string before = "{\"runs\":[{\"slices\":{\"scope\":[1,2,";
    const ParsedArchive archive = parse_archive(before + "x]}}]}");
    EXPECT_EQ(archive.syntax_error, "its JSON breaks at byte " + std::to_string(before.size() + 1));
    const ParsedArchive early = parse_archive(before + "3");
    EXPECT_EQ(early.syntax_error,
              "the text ends too early, after byte " + std::to_string(before.size() + 1));
}

}  // namespace
}  // namespace gwatch::trace
