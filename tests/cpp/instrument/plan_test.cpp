#include "instrument/plan.h"

#include <gtest/gtest.h>

#include "traced_kernel.h"

namespace gwatch::instrument {
namespace {

using testing::kernel_text;
using testing::marker;

Plan plan_of(const std::string& body, const std::string& before = "") {
    const auto module = ptx::parse(kernel_text(body, before));
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    const auto entry =
        static_cast<std::uint32_t>(module->find_definition("k") - module->functions().data());
    auto plan = make_plan(*module, {entry});
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().to_string());
    return plan.ok() ? *plan : Plan{};
}

/// Sites as text: "start a, end b | exit".
std::string sites_of(const Plan& plan) {
    static const char* const kKinds[] = {"start", "end", "mark", "exit"};
    std::string text;
    for (const Site& site : plan.table.sites) {
        if (!text.empty()) text += " | ";
        for (std::size_t i = 0; i < site.actions.size(); ++i) {
            if (i != 0) text += ", ";
            text += kKinds[static_cast<int>(site.actions[i].kind)];
            const std::uint32_t scope = site.actions[i].scope;
            if (scope != ptx::kNone) text.append(" ").append(plan.table.scopes[scope].name);
        }
    }
    return text;
}

std::string sites_of(const std::string& body, const std::string& before = "") {
    return sites_of(plan_of(body, before));
}

TEST(Fusion, NothingButCarriersBetween) {
    EXPECT_EQ(sites_of(marker("end a") + marker("start b") + marker("mark c") + "ret;"),
              "end a, start b, mark c | exit");
    EXPECT_EQ(sites_of(marker("end a") + "// end inline asm\n.loc 1 2 3\n/* x */" +
                       marker("start b") + "ret;"),
              "end a, start b | exit");
    EXPECT_EQ(sites_of(std::string("{") + marker("end a") + "}\n{ .reg .b32 t;" +
                       marker("start b") + "} ret;"),
              "end a, start b | exit");
    EXPECT_EQ(sites_of(marker("switch a b") + marker("mark c") + "ret;"),
              "end a, start b, mark c | exit");
}

TEST(Fusion, SomethingBetween) {
    EXPECT_EQ(sites_of(marker("end a") + "add.u32 %r2, %r1, 1;" + marker("start b") + "ret;"),
              "end a | start b | exit");
    EXPECT_EQ(sites_of(marker("end a") + "L:\n" + marker("start b") + "ret;"),
              "end a | start b | exit");
    EXPECT_EQ(sites_of(marker("end a") + ".pragma \"nounroll\";" + marker("start b") + "ret;"),
              "end a | start b | exit");
    EXPECT_EQ(sites_of(marker("end a") + "@%p1 ret;" + marker("start b") + "ret;"),
              "end a | exit | start b | exit");
    EXPECT_EQ(sites_of("// gwatch:end a\n@%p1 mov.u32 %r7, 0;\n" + marker("start b") + "ret;"),
              "end a | start b | exit");
}

/// The exits of a body behind a marker, as text: "exit | exit".
std::string exits_of(const std::string& body) {
    const std::string sites = sites_of(marker("mark m") + "add.u32 %r2, %r1, 1;\n" + body);
    const std::string first = "mark m";
    EXPECT_TRUE(sites.starts_with(first)) << sites;
    return sites.size() == first.size() ? "" : sites.substr(first.size() + 3);
}

TEST(Exits, AllForms) {
    EXPECT_EQ(exits_of("ret;"), "exit");
    EXPECT_EQ(exits_of("@%p1 ret.uni; @!%p1 exit; exit;"), "exit | exit | exit");
    EXPECT_EQ(exits_of("trap;"), "");
    EXPECT_EQ(exits_of("L: bra L;"), "");
    EXPECT_EQ(exits_of("@%p1 bra L; ret; L: trap;"), "exit");
}

TEST(Exits, TheEndOfTheBody) {
    EXPECT_EQ(exits_of("add.u32 %r2, %r1, 1;"), "exit");
    EXPECT_EQ(exits_of("@%p1 exit;"), "exit | exit");
    EXPECT_EQ(exits_of("@%p1 bra L; ret; L:"), "exit | exit");
    EXPECT_EQ(exits_of("ret; $L__func_end0:"), "exit");
    EXPECT_EQ(exits_of("{ ret; }"), "exit");
    EXPECT_EQ(exits_of("{ bra D; D: }"), "exit");
    EXPECT_EQ(exits_of("exit: bra exit;"), "");
}

TEST(Plan, SitesOfReachedFunctionsComeInTextOrder) {
    const std::string before = ".func f()\n{ .reg .b32 %r<8>;\n" + marker("mark inner") +
                               "@%p1 exit; ret; }\n.func unused()\n{ .reg .b32 %r<8>;\n" +
                               marker("mark no") + "ret; }\n";
    const Plan plan = plan_of("call f;" + marker("mark outer") + "ret;", before);
    EXPECT_EQ(sites_of(plan), "mark inner | exit | mark outer | exit");
    EXPECT_EQ(plan.table.sites[0].placement, Placement::kFunction);
    EXPECT_EQ(plan.table.sites[0].function, "f");
    EXPECT_EQ(plan.table.sites[2].placement, Placement::kUnknown);
    EXPECT_EQ(plan.markers[0].function, "f");
    EXPECT_FALSE(plan.markers[0].in_entry);
    EXPECT_NE(plan.markers[0].placement_reason, plan.markers[1].placement_reason);
    EXPECT_TRUE(plan.markers[1].in_entry);
    EXPECT_EQ(plan.markers[1].site, 3);
}

TEST(Plan, ScopesAreNumberedOnceAndTakeTheLineOfTheirFirstStart) {
    const std::string lines = ".file 1 \"k.py\"\n";
    const Plan plan =
        plan_of(".loc 1 10 0\n" + marker("end 5") + ".loc 1 11 0\n" + marker("start 5") +
                    ".loc 1 12 0\n" + marker("start 5") + marker("switch x 5") + "ret;",
                lines);
    ASSERT_EQ(plan.table.scopes.size(), 2u);
    EXPECT_EQ(plan.table.scopes[0].name, "5");
    EXPECT_EQ(plan.table.scopes[0].id, 5);
    EXPECT_EQ(plan.table.scopes[0].source.file, "k.py");
    EXPECT_EQ(plan.table.scopes[0].source.line, 11u);
    EXPECT_EQ(plan.table.scopes[1].id, -1);
    EXPECT_EQ(plan.table.scopes[1].source.line, 0u);
    EXPECT_EQ(plan.table.sites[0].source.line, 10u);
    EXPECT_EQ(plan.table.sites[0].markers, 4u);
}

TEST(Plan, AMarkerHasTheLineInFrontOfItsComment) {
    const Plan plan = plan_of(
        ".loc 1 32 9  // k.py:32:9\n// gwatch:mark a\n.loc 1 33 9  // k.py:33:9\nmov.u32 %r7, "
        "0;\nret;",
        ".file 1 \"k.py\"\n");
    EXPECT_EQ(plan.markers[0].source.line, 32u);
    EXPECT_EQ(plan.markers[0].ptx_line, 12u);
}

TEST(Plan, TooManySites) {
    std::string body;
    for (int i = 0; i < 65534; ++i)
        body += "// gwatch:mark 1\nmov.u32 %r7, 0;\nadd.u32 %r2, %r2, 1;\n";
    const auto at_limit = ptx::parse(kernel_text(body + "trap;"));
    ASSERT_TRUE(make_plan(*at_limit, {0}).ok());
    const auto over = ptx::parse(kernel_text(body + "ret;"));
    const auto plan = make_plan(*over, {0});
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().kind, ErrorKind::kInstrument);
    EXPECT_EQ(plan.error().message, "65535 marked places; a record can tell 65534 apart");
}

}  // namespace
}  // namespace gwatch::instrument
