#include "instrument/sites_json.h"

#include <gtest/gtest.h>

namespace gwatch::instrument {
namespace {

SiteTable example() {
    SiteTable table;
    table.scopes = {{"load \"kv\"", -1, {"k.py", 7}}, {"100", 100, {}}};
    table.sites = {
        {{{ActionKind::kEnd, 0}, {ActionKind::kStart, 1}}, 2, Placement::kProven, {"k.py", 8}, "k"},
        {{{ActionKind::kMark, 1}}, 1, Placement::kFunction, {}, "f"},
        {{{ActionKind::kExit, ptx::kNone}}, 0, Placement::kUnknown, {}, "k"}};
    return table;
}

TEST(SitesJson, RoundTrip) {
    const std::string text = to_json(example());
    const auto table = sites_from_json(text);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(to_json(*table), text);
    EXPECT_EQ(table->scopes[0].name, "load \"kv\"");
    EXPECT_EQ(table->scopes[0].source.line, 7u);
    EXPECT_EQ(table->scopes[1].id, 100);
    EXPECT_EQ(table->sites[0].actions[1].kind, ActionKind::kStart);
    EXPECT_EQ(table->sites[0].placement, Placement::kProven);
    EXPECT_EQ(table->sites[1].function, "f");
    EXPECT_EQ(table->sites[2].actions[0].scope, ptx::kNone);
}

TEST(SitesJson, BytesThatAreNoUtf8) {
    SiteTable table = example();
    table.scopes[0].source.file = "caf\xe9.py";
    EXPECT_NE(to_json(table).find("caf\xef\xbf\xbd.py"), std::string::npos);
}

TEST(SitesJson, BrokenText) {
    const std::string good = to_json(example());
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"\"scopes\"", "\"scope\""},
                                                          {"\"exit\"", "\"leave\""},
                                                          {"\"proven\"", "\"sure\""},
                                                          {"\"markers\": 2", "\"markers\": \"2\""},
                                                          {"\"id\": 100", "\"id\": null"},
                                                          {"\"end\",\n     0", "\"end\",\n     2"},
                                                          {"{", "["}}) {
        std::string bad = good;
        const std::size_t at = bad.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        bad.replace(at, from.size(), to);
        const auto table = sites_from_json(bad);
        ASSERT_FALSE(table.ok()) << from;
        EXPECT_EQ(table.error().kind, ErrorKind::kArchive);
    }
    EXPECT_FALSE(sites_from_json("").ok());
    EXPECT_FALSE(sites_from_json("[]").ok());
}

}  // namespace
}  // namespace gwatch::instrument
