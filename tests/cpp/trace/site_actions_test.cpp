#include "trace/site_actions.h"

#include <gtest/gtest.h>

namespace gwatch::trace {
namespace {

using instrument::Action;
using instrument::ActionKind;

instrument::SiteTable table_of(std::vector<Action> actions) {
    instrument::SiteTable table;
    table.scopes.resize(2);
    table.sites.resize(2);
    table.sites[1].actions = std::move(actions);
    table.sites[1].markers = 2;
    return table;
}

TEST(SiteActions, NumbersSitesFromOne) {
    const auto sites =
        SiteActions::make(table_of({{ActionKind::kEnd, 0}, {ActionKind::kStart, 1}}));
    ASSERT_TRUE(sites.ok());
    EXPECT_FALSE(sites->has(0));
    EXPECT_TRUE(sites->has(2));
    EXPECT_FALSE(sites->has(3));
    ASSERT_EQ(sites->actions(2).size(), 2u);
    EXPECT_EQ(sites->actions(2)[1].scope, 1u);
    EXPECT_EQ(sites->markers(2), 2u);
    EXPECT_EQ(sites->starts(2), 1u);
    EXPECT_FALSE(sites->is_exit(2));
}

TEST(SiteActions, ExitNeedsNoScope) {
    const auto sites = SiteActions::make(table_of({{ActionKind::kExit, 0xffffffff}}));
    ASSERT_TRUE(sites.ok());
    EXPECT_TRUE(sites->is_exit(2));
}

TEST(SiteActions, RefusesAnUnknownScope) {
    const auto sites = SiteActions::make(table_of({{ActionKind::kMark, 2}}));
    ASSERT_FALSE(sites.ok());
    EXPECT_EQ(sites.error().message,
              "site 2 of the site table names scope 2, but the table has 2 scopes");
}

TEST(SiteActions, APayloadIsOneOfAStartOrMarkWithARecordOfItsOwn) {
    const auto f32 = record::PayloadKind::kFloat32;
    const auto u64 = record::PayloadKind::kUnsigned64;
    const auto sites = SiteActions::make(table_of({{ActionKind::kStart, 0, f32}}));
    ASSERT_TRUE(sites.ok());
    EXPECT_FALSE(sites->has_payload(1));
    EXPECT_EQ(sites->payload_bits(2), 32u);
    EXPECT_EQ(sites->most_units(), 1u);
    EXPECT_EQ(SiteActions::make(table_of({{ActionKind::kMark, 0, u64}}))->most_units(), 2u);
    const std::string message =
        "site 2 of the site table has a payload that no record has room for";
    const auto refused = [&](const instrument::SiteTable& table) {
        const auto made = SiteActions::make(table);
        return !made.ok() && made.error().message == message;
    };
    EXPECT_TRUE(refused(table_of({{ActionKind::kEnd, 0, f32}})));
    EXPECT_TRUE(refused(table_of({{ActionKind::kMark, 0, f32}, {ActionKind::kStart, 1, u64}})));
    auto table = table_of({{ActionKind::kMark, 0, f32}});
    table.sites[0].series = table.sites[1].series = 2;
    table.sites[1].place = 1;
    EXPECT_TRUE(refused(table));
}

}  // namespace
}  // namespace gwatch::trace
