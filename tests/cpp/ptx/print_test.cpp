#include <gtest/gtest.h>

#include "snippets.h"

namespace gwatch::ptx {
namespace {

std::uint32_t offset_of(const Module& module, std::string_view word) {
    return static_cast<std::uint32_t>(module.text().find(word));
}

TEST(Print, PutsInsertionsIn) {
    const Module module = must_parse(".version 8.0\n.target sm_90a\n");
    EXPECT_EQ(print(module, {{offset_of(module, ".target"), "// a\n"}}),
              ".version 8.0\n// a\n.target sm_90a\n");
}

TEST(Print, KeepsTheOrderOfInsertionsAtOnePlace) {
    const Module module = must_parse(".version 8.0\n");
    EXPECT_EQ(print(module, {{12, " /*a*/"}, {12, " /*b*/"}, {12, ""}}),
              ".version 8.0 /*a*/ /*b*/\n");
}

TEST(Print, InsertsAtBothEnds) {
    const Module module = must_parse(".version 8.0");
    EXPECT_EQ(print(module, {{0, "// first\n"}, {12, "\n// last\n"}}),
              "// first\n.version 8.0\n// last\n");
}

TEST(Print, InsertsAroundAStatement) {
    const Module module = must_parse(with_body("mov.u32 %r1, 0 ; // kept\nret;"));
    const Statement& statement = module.statements()[find_statement(module, "mov.u32")];
    EXPECT_EQ(print(module, {{module.begin_of(statement), "<"}, {module.end_of(statement), ">"}}),
              with_body("<mov.u32 %r1, 0 ;> // kept\nret;"));
}

}  // namespace
}  // namespace gwatch::ptx
