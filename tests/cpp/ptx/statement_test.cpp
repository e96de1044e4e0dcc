// What ptxas 13.5 accepts, and how it is cut into statements.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "snippets.h"

namespace gwatch::ptx {
namespace {

using Texts = std::vector<std::string>;
using Kind = StatementKind;

TEST(Header, StandsOnOneLineOrTouches) {
    for (const char* text : {".version 8.0 .target sm_90a, debug .address_size 64",
                             ".version 8.0.target sm_90a/**/,\ndebug .address_size /**/ 64"}) {
        const Module module = must_parse(text);
        EXPECT_EQ(module.version(), "8.0");
        EXPECT_EQ(module.targets(), (std::vector<std::string_view>{"sm_90a", "debug"}));
        EXPECT_EQ(module.last_header_statement(), 2U);
        EXPECT_EQ(module.statements().size(), 3U);
    }
}

TEST(Header, MayLackTheAddressSize) {
    const Module module = must_parse(with_header(".global .b32 x;"));
    EXPECT_EQ(module.last_header_statement(), 1U);
    EXPECT_EQ(module.text_of(module.statements()[1]), ".target sm_90a");
}

TEST(Directives, EndWithTheirSemicolonUnlessTheyHaveNone) {
    const Module module =
        must_parse(with_header(".file 1 \"a.cu\", 12, 34 .pragma \"a\", \"b\"; .visible .global "
                               ".align 8 .u64 t[2] = {{k}, {generic(t)+8}};"
                               " .weak .func g(); .alias g, f; .unheard_of (a, b);"));
    EXPECT_EQ(texts_of(module, Kind::kDirective),
              (Texts{".version 8.0", ".target sm_90a", ".file 1 \"a.cu\", 12, 34",
                     ".pragma \"a\", \"b\";",
                     ".visible .global .align 8 .u64 t[2] = {{k}, {generic(t)+8}};", ".alias g, f;",
                     ".unheard_of (a, b);"}));
}

TEST(Directives, LocationsEndWithTheirNumbers) {
    const Module module = must_parse(with_body(
        ".loc 1 2 3mov.u32 %r1, 0; .loc 1\n4\n5 , function_name L+4, inlined_at 1 2 3 add: ret;"));
    EXPECT_EQ(texts_of(module, Kind::kDirective).size(), 4U);
    EXPECT_EQ(texts_of(module, Kind::kDirective)[2], ".loc 1 2 3");
    EXPECT_EQ(texts_of(module, Kind::kDirective)[3],
              ".loc 1\n4\n5 , function_name L+4, inlined_at 1 2 3");
    EXPECT_EQ(texts_of(module, Kind::kInstruction), (Texts{"mov.u32 %r1, 0;", "ret;"}));
    EXPECT_EQ(texts_of(module, Kind::kLabel), Texts{"add:"});
}

TEST(Directives, SectionsHoldLabelsAndNestedComments) {
    const std::string section =
        ".section /*x*/ .debug_str /*y*/\n{ L: .b8 1,2 // }\n.b32 L+4 M: /* } */ .b64 M-L }";
    const Module module =
        must_parse(with_header(section + " .section .debug_loc { } .global .b32 x;"));
    EXPECT_EQ(texts_of(module, Kind::kDirective)[2], section);
    EXPECT_EQ(texts_of(module, Kind::kDirective)[3], ".section .debug_loc { }");
    EXPECT_EQ(texts_of(module, Kind::kDirective)[4], ".global .b32 x;");
    EXPECT_TRUE(texts_of(module, Kind::kLabel).empty());
    EXPECT_EQ(module.scopes().size(), 1U);
}

TEST(Directives, BelongToTheirLabel) {
    const Module module = must_parse(with_body(
        "ts: .branchtargets L, M;\nP : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "Q/**/:.calltargets f, g;\nL: M: {N:}"));
    EXPECT_EQ(texts_of(module, Kind::kLabel), (Texts{"ts:", "P :", "Q/**/:", "L:", "M:", "N:"}));
    EXPECT_EQ(texts_of(module, Kind::kDirective)[3],
              ".callprototype (.param .b32 _) _ (.param .b32 _);");
}

TEST(Statements, KnowTheirFirstWord) {
    const Module module = must_parse(with_body(".reg .b32 %r<3>; LOOP : bra LOOP;"));
    EXPECT_EQ(module.head(module.statements()[4]), ".reg");
    EXPECT_EQ(module.head(module.statements()[5]), "LOOP");
}

TEST(Statements, HoldEveryTokenThatIsNoTrivia) {
    const Module module =
        must_parse(with_body("{ @%p1 bra L; }\nL: // end\nret;") + ".func f();\n");
    std::uint32_t end = 0;
    for (const Statement& statement : module.statements()) {
        for (; end < statement.first_token; ++end) EXPECT_TRUE(module.tokens()[end].is_trivia());
        EXPECT_FALSE(module.tokens()[statement.first_token].is_trivia());
        EXPECT_FALSE(module.tokens()[statement.end_token - 1].is_trivia());
        EXPECT_LT(statement.first_token, statement.end_token);
        end = statement.end_token;
    }
    for (; end < module.tokens().size(); ++end) EXPECT_TRUE(module.tokens()[end].is_trivia());
}

TEST(Functions, HeadersTakeEveryDirectiveInFrontOfTheBody) {
    const std::string header =
        ".visible .entry k ( .param .align 64 .b8 p[128] ) // {\n.maxntid 128, 1, 1\n.pragma "
        "\"nounroll\";\n"
        ".minnctapersm 1 .unheard_of (4)";
    const Module module = must_parse(with_header(header + " { ret; }"));
    EXPECT_EQ(texts_of(module, Kind::kFunction), Texts{header});
    ASSERT_EQ(module.functions().size(), 1U);
    EXPECT_EQ(module.functions()[0].name, "k");
    EXPECT_TRUE(module.functions()[0].is_entry);
    EXPECT_EQ(module.functions()[0].body_scope, 1U);
}

TEST(Functions, EndTheirNameAtADot) {
    const Module module = must_parse(with_header(".entry k.maxntid 128 { ret; }"));
    EXPECT_EQ(module.functions()[0].name, "k");
    EXPECT_NE(module.find_definition("k"), nullptr);
}

TEST(Functions, FindTheNameBehindAttributesAndResults) {
    const Module module = must_parse(with_header(
        ".func .attribute(.unified(1, 2)) (.param .b32 r) f (.param .b32 a) .noreturn { trap; }"
        ".func g { ret; } .weak .entry\nh\n{ ret; }"));
    ASSERT_EQ(module.functions().size(), 3U);
    EXPECT_EQ(module.functions()[0].name, "f");
    EXPECT_FALSE(module.functions()[0].is_entry);
    EXPECT_EQ(module.functions()[1].name, "g");
    EXPECT_EQ(module.functions()[2].name, "h");
    EXPECT_TRUE(module.functions()[2].is_entry);
}

TEST(Functions, PrototypesHaveNoBodyAndTakeTheirSemicolon) {
    const Module module =
        must_parse(with_header(".extern .func f(.param .b32 a);\n.func f() { ret; }"));
    EXPECT_EQ(texts_of(module, Kind::kFunction),
              (Texts{".extern .func f(.param .b32 a);", ".func f()"}));
    EXPECT_EQ(module.functions()[0].body_scope, kNone);
    EXPECT_EQ(module.find_definition("f"), &module.functions()[1]);
    EXPECT_EQ(module.find_definition("F"), nullptr);
}

TEST(Functions, MayBeDeclaredInABody) {
    const Module module = must_parse(with_body(".extern .func f(.param .b32 a);\ncall f, (1);"));
    EXPECT_EQ(module.functions().size(), 1U);
    EXPECT_EQ(texts_of(module, Kind::kDirective)[2], ".extern .func f(.param .b32 a);");
}

TEST(Functions, OwnTheirHeaderAndBody) {
    const Module module =
        must_parse(with_header(".func f() { nop; }\n.global .b32 x;\n.func g() { nop; }"));
    std::vector<std::uint32_t> owners;
    for (const Statement& statement : module.statements()) owners.push_back(statement.function);
    EXPECT_EQ(owners, (std::vector<std::uint32_t>{kNone, kNone, 0, 0, 0, 0, kNone, 1, 1, 1, 1}));
    for (std::uint32_t i = 0; i < 2; ++i) {
        const Function& function = module.functions()[i];
        EXPECT_EQ(module.statements()[function.header].function, i);
    }
}

TEST(Scopes, NestAndCountTheirBraces) {
    const Module module = must_parse(with_body("{ L: { } } { L: }"));
    ASSERT_EQ(module.scopes().size(), 5U);
    std::vector<std::uint32_t> parents;
    for (const Scope& scope : module.scopes()) parents.push_back(scope.parent);
    EXPECT_EQ(parents, (std::vector<std::uint32_t>{kNone, 0, 1, 2, 1}));
    for (std::uint32_t i = 1; i < module.scopes().size(); ++i) {
        const Scope& scope = module.scopes()[i];
        EXPECT_EQ(module.text_of(module.statements()[scope.open_statement]), "{");
        EXPECT_EQ(module.text_of(module.statements()[scope.close_statement]), "}");
        EXPECT_EQ(module.statements()[scope.open_statement].scope, i);
        EXPECT_EQ(module.statements()[scope.close_statement].scope, i);
    }
    EXPECT_EQ(module.scopes()[0].open_statement, kNone);
    EXPECT_EQ(module.scopes()[0].close_statement, kNone);
}

TEST(Positions, CountLinesOfEveryForm) {
    const std::string text = ".version 8.0\r.target sm_90a\r\n\n.global .b32 x;\n";
    const Module module = must_parse(text);
    const auto position_of = [&](std::string_view word) {
        const Position position = module.position(static_cast<std::uint32_t>(text.find(word)));
        return std::pair(position.line, position.column);
    };
    EXPECT_EQ(position_of(".version"), std::pair(1U, 1U));
    EXPECT_EQ(position_of("sm_90a"), std::pair(2U, 9U));
    EXPECT_EQ(position_of("x;"), std::pair(4U, 14U));
    EXPECT_EQ(module.position(static_cast<std::uint32_t>(text.size())).line, 5U);
}

TEST(Names, AreUsedAsWordsOnly) {
    const Module module = must_parse(
        with_body("// %comment\n.pragma \"string\";\n.reg .b32 %r<4>, %x5;\nmov.u32 %v.x, a$b;"));
    for (const char* used : {"k", "a$b", "%v", "%v.x", "%x5", "%r2"}) {
        EXPECT_TRUE(module.uses_name(used)) << used;
    }
    for (const char* unused :
         {"%comment", "string", "%x", "%x4", "a$", "mo", "reg", ".reg", "%q2"}) {
        EXPECT_FALSE(module.uses_name(unused)) << unused;
    }
}

TEST(Modules, KeepTheirViewsWhenMoved) {
    Module first = must_parse(with_body("ret;"));
    const std::string_view name = first.functions()[0].name;
    const Module second = std::move(first);
    EXPECT_EQ(name, "k");
    EXPECT_EQ(second.functions()[0].name.data(), name.data());
    EXPECT_GE(name.data(), second.text().data());
}

}  // namespace
}  // namespace gwatch::ptx
