#include "instrument/sites_json.h"

#include <gtest/gtest.h>

namespace gwatch::instrument {
namespace {

void add_site(std::vector<Action> actions, Placement placement, const std::string& function,
              SiteTable* table) {
    Site& site = table->sites.emplace_back();
    site.markers = has_scope(actions[0].kind) ? static_cast<std::uint32_t>(actions.size()) : 0;
    site.actions = std::move(actions);
    site.placement = placement;
    site.function = function;
}

SiteTable example() {
    SiteTable table;
    table.scopes = {{"load \"kv\"", -1, {"k.py", 7}}, {"100", 100, {}}};
    add_site({{ActionKind::kEnd, 0}, {ActionKind::kStart, 1}}, Placement::kProven, "k", &table);
    table.sites[0].source = {"k.py", 8};
    add_site({{ActionKind::kMark, 1, record::PayloadKind::kFloat64}}, Placement::kFunction, "f",
             &table);
    add_site({{ActionKind::kExit, ptx::kNone}}, Placement::kUnknown, "k", &table);
    add_site({{ActionKind::kTimer, ptx::kNone, record::PayloadKind::kUnsigned64}},
             Placement::kProven, "k", &table);
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
    EXPECT_EQ(table->sites[1].actions[0].payload, record::PayloadKind::kFloat64);
    EXPECT_EQ(table->sites[2].actions[0].scope, ptx::kNone);
    EXPECT_EQ(table->sites[3].actions[0].kind, ActionKind::kTimer);
    EXPECT_EQ(table->sites[3].actions[0].payload, record::PayloadKind::kUnsigned64);
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
                                                          {"\"f64\"", "\"f16\""},
                                                          {"\"f64\"", "64"},
                                                          {"\"mark\"", "\"end\""},
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
