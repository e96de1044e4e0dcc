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

}  // namespace
}  // namespace gwatch::trace
