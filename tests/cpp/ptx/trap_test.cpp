// The traps of tests/data/ptx/README.md, one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "corpus.h"
#include "snippets.h"

namespace gwatch::ptx {
namespace {

using Names = std::vector<std::string>;

Module corpus_module(const std::string& name) {
    return must_parse(read_corpus(name));
}

Names definitions(const Module& module, bool is_entry) {
    Names names;
    for (const Function& function : module.functions()) {
        if (function.body_scope != kNone && function.is_entry == is_entry)
            names.emplace_back(function.name);
    }
    return names;
}

Names prototypes(const Module& module) {
    Names names;
    for (const Function& function : module.functions()) {
        if (function.body_scope == kNone) names.emplace_back(function.name);
    }
    return names;
}

// "scope:label" for every label.
Names labels(const Module& module) {
    Names names;
    for (const Statement& statement : module.statements()) {
        if (statement.kind != StatementKind::kLabel) continue;
        names.push_back(std::to_string(statement.scope) + ":" +
                        std::string(module.head(statement)));
    }
    return names;
}

std::string header_of(const Module& module, std::string_view name) {
    const Function* const function = module.find_definition(name);
    if (function == nullptr) return "no such definition";
    return std::string(module.text_of(module.statements()[function->header]));
}

std::size_t count_scopes_in(const Module& module, std::uint32_t parent) {
    return static_cast<std::size_t>(
        std::count_if(module.scopes().begin(), module.scopes().end(),
                      [&](const Scope& scope) { return scope.parent == parent; }));
}

TEST(Trap, AnEntryNeedsNoLinkageAndNoParameters) {
    const Module module = corpus_module("entry-without-visible-no-params");
    EXPECT_EQ(definitions(module, true), Names{"bare"});
    EXPECT_EQ(header_of(module, "bare"), ".entry bare");
}

TEST(Trap, APrototypeIsNoDefinition) {
    const Module module = corpus_module("entry-prototype-then-definition");
    EXPECT_EQ(prototypes(module), Names{"k"});
    EXPECT_EQ(definitions(module, true), Names{"k"});
    EXPECT_EQ(module.find_definition("k"), &module.functions()[1]);
}

TEST(Trap, TheHeaderMayStandOnOneLine) {
    const Module module = corpus_module("header-on-one-line");
    const auto header = texts_of(module, StatementKind::kDirective);
    EXPECT_EQ(Names(header.begin(), header.begin() + 3),
              (Names{".version 8.0", ".target sm_90a", ".address_size 64"}));
}

TEST(Trap, TheHeaderMayEndWithTheTarget) {
    const Module module = corpus_module("no-address-size");
    EXPECT_EQ(module.text_of(module.statements()[module.last_header_statement()]),
              ".target sm_90a");
}

TEST(Trap, CarriageReturnsAreNoPartOfWords) {
    const Module module = corpus_module("crlf-line-ends");
    EXPECT_EQ(module.targets(), std::vector<std::string_view>{"sm_90a"});
    for (const Token& token : module.tokens()) {
        if (token.kind == TokenKind::kWhitespace) continue;
        EXPECT_EQ(module.text_of(token).find('\r'), std::string_view::npos);
    }
    EXPECT_EQ(module.position(static_cast<std::uint32_t>(module.text().find("ret;"))).line, 19U);
}

TEST(Trap, TheLastLineMayHaveNoEnd) {
    const Module module = corpus_module("no-final-newline-tabs");
    EXPECT_EQ(module.end_of(module.statements().back()), module.text().size());
    EXPECT_EQ(header_of(module, "k").substr(0, 17), ".visible\t.entry\tk");
}

TEST(Trap, DecoysAreComments) {
    const Module module = corpus_module("decoy-markers-in-comments");
    std::size_t decoys = 0;
    for (const Token& token : module.tokens()) {
        if (module.text_of(token).find("GW_DECOY") == std::string_view::npos) continue;
        EXPECT_TRUE(token.kind == TokenKind::kLineComment ||
                    token.kind == TokenKind::kBlockComment);
        ++decoys;
    }
    EXPECT_EQ(decoys, 4U);
}

TEST(Trap, NamesMayBeLong) {
    const Names names = definitions(corpus_module("long-kernel-name"), true);
    ASSERT_EQ(names.size(), 1U);
    EXPECT_EQ(names[0].size(), 2996U);
}

TEST(Trap, NamesMayHoldDollarsAndPercents) {
    EXPECT_EQ(definitions(corpus_module("dollar-percent-names"), true),
              (Names{"a$b", "%k2", "$k3"}));
}

TEST(Trap, TargetsAreNotFromATable) {
    EXPECT_EQ(corpus_module("target-arch-sm_120a").targets()[0], "sm_120a");
    EXPECT_EQ(corpus_module("old-isa-3.2-sm_30").version(), "3.2");
    EXPECT_EQ(corpus_module("target-texmode-texref").targets(),
              (std::vector<std::string_view>{"sm_90a", "texmode_independent"}));
}

TEST(Trap, SectionDataIsNoBody) {
    const Module module = corpus_module("target-debug");
    EXPECT_EQ(module.scopes().size(), 2U);
    const auto directives = texts_of(module, StatementKind::kDirective);
    EXPECT_EQ(directives.back(), ".section .debug_loc { }");
    EXPECT_EQ(labels(module),
              (Names{"1:$L__func_begin0", "1:$L__tmp0", "1:$L__tmp1", "1:$L__func_end0"}));
}

TEST(Trap, LocationsStandBetweenTheLinesOfAMarker) {
    const Module module = corpus_module("loc-between-marker-lines");
    const std::uint32_t carrier = find_statement(module, "mov.u32 %r2, 0;");
    EXPECT_EQ(module.text_of(module.statements()[carrier - 1]), ".loc 1 4 0");
    EXPECT_EQ(module.text_of(module.statements()[carrier + 1]), ".loc 1 5 0");
}

TEST(Trap, LaunchBoundsBelongToTheHeader) {
    EXPECT_TRUE(header_of(corpus_module("launch-bound-directives"), "k")
                    .ends_with(".reqnctapercluster 2, 1, 1"));
    EXPECT_TRUE(
        header_of(corpus_module("maxclusterrank-maxntid"), "k").ends_with(".maxclusterrank 8"));
    EXPECT_TRUE(
        header_of(corpus_module("blocksareclusters"), "k").ends_with(".reqnctapercluster 2"));
    EXPECT_TRUE(
        header_of(corpus_module("setmaxnreg-warp-specialised"), "k").ends_with(".minnctapersm 1"));
}

TEST(Trap, ScopesShadowLabels) {
    EXPECT_EQ(labels(corpus_module("nested-same-labels")),
              (Names{"2:LAB_WAIT", "2:DONE", "3:LAB_WAIT", "3:DONE"}));
    EXPECT_EQ(labels(corpus_module("func-then-entry-same-labels")),
              (Names{"1:$L__BB0_1", "2:$L__BB0_1"}));
}

TEST(Trap, BranchTargetsFollowTheirLabel) {
    const Module module = corpus_module("brx-idx-branchtargets");
    const std::uint32_t label = find_statement(module, "ts:");
    ASSERT_NE(label, kNone);
    EXPECT_EQ(module.statements()[label].kind, StatementKind::kLabel);
    EXPECT_EQ(module.statements()[label + 1].kind, StatementKind::kDirective);
    EXPECT_EQ(module.head(module.statements()[label + 1]), ".branchtargets");
}

TEST(Trap, ExitsAreInstructionsWithGuards) {
    const Module module = corpus_module("many-exits");
    Names exits;
    for (const Statement& statement : module.statements()) {
        if (statement.kind != StatementKind::kInstruction) continue;
        const Instruction instruction = module.instruction(statement);
        const std::string opcode(instruction.opcode);
        if (!std::set<std::string>{"ret", "ret.uni", "exit", "trap"}.contains(opcode)) continue;
        const char* const sign = instruction.guard_negated ? "!" : "";
        exits.push_back(sign + std::string(instruction.guard).append(" ").append(opcode));
    }
    EXPECT_EQ(exits, (Names{"%p1 ret", " exit", "!%p2 exit", "%p3 trap", " ret.uni", " ret"}));
}

TEST(Trap, FunctionsAreToldFromEntries) {
    const Module module = corpus_module("marker-in-func-two-callers");
    EXPECT_EQ(definitions(module, false), Names{"helper"});
    EXPECT_EQ(definitions(module, true), (Names{"k1", "k2"}));
    EXPECT_EQ(prototypes(corpus_module("vprintf")), Names{"vprintf"});
}

TEST(Trap, InitialisersAreNoBodies) {
    const Module module = corpus_module("initialised-globals");
    EXPECT_EQ(module.scopes().size(), 2U);
    EXPECT_NE(find_statement(module, ".global .align 4 .b32 m[2][2] = {{1, 2}, {3, 4}};"), kNone);
    EXPECT_EQ(corpus_module("target-texmode-texref").scopes().size(), 2U);
}

TEST(Trap, VariablesLiveInNestedScopes) {
    const Module module = corpus_module("dynamic-and-static-shared");
    EXPECT_EQ(module.statements()[find_statement(module, ".shared .align 8 .b64 inner;")].scope,
              2U);
    EXPECT_EQ(module.statements()[find_statement(module, ".shared .align 4 .b32 loc;")].scope, 1U);
    EXPECT_EQ(module.statements()[find_statement(module, ".extern .shared")].scope, 0U);
    EXPECT_EQ(count_scopes_in(module, 1), 1U);
}

TEST(Trap, OneInstructionMayTakeFourLines) {
    const Module module = corpus_module("tma-bulk-tensor");
    const auto& copy = module.statements()[find_statement(module, "cp.async")];
    EXPECT_EQ(module.instruction(copy).operands,
              (std::vector<std::string_view>{"[%r1]", "[%rd2, {%r3, %r4}]", "[%r2]", "%rs1"}));
    EXPECT_EQ(module.position(module.begin_of(copy)).line + 3,
              module.position(module.end_of(copy)).line);
}

TEST(Trap, LineMarkersAreTrivia) {
    const Module module = corpus_module("cpp-line-marker");
    EXPECT_TRUE(
        std::any_of(module.tokens().begin(), module.tokens().end(), [&](const Token& token) {
            return token.kind == TokenKind::kLineMarker && module.text_of(token) == "# 1 \"k.cu\"";
        }));
    EXPECT_EQ(header_of(module, "k").substr(0, 17), ".visible .entry k");
}

TEST(Trap, OpcodeWordsAreNames) {
    const Module module = must_parse(
        with_header(".entry add() {\n.reg .b32 mov, ret;\nexit: add:add.u32 mov, ret, 1;\n"
                    "@mov bra exit; bra add; entry: }"));
    EXPECT_EQ(definitions(module, true), Names{"add"});
    EXPECT_EQ(labels(module), (Names{"1:exit", "1:add", "1:entry"}));
    EXPECT_EQ(texts_of(module, StatementKind::kInstruction),
              (Names{"add.u32 mov, ret, 1;", "@mov bra exit;", "bra add;"}));
}

TEST(Trap, AModuleMayBeOneLine) {
    std::string text = read_corpus("nested-same-labels");
    text.erase(0, text.find('\n') + 1);
    const Module lines = must_parse(text);
    std::replace(text.begin(), text.end(), '\n', ' ');
    const Module line = must_parse(text);
    EXPECT_EQ(labels(line), labels(lines));
    EXPECT_EQ(line.statements().size(), lines.statements().size());
    EXPECT_EQ(line.position(static_cast<std::uint32_t>(text.size())).line, 1U);
}

TEST(Trap, ACarriageReturnAloneIsABlank) {
    std::string text = read_corpus("many-exits");
    text.erase(0, text.find('\n') + 1);
    const Module with_newlines = must_parse(text);
    std::replace(text.begin(), text.end(), '\n', '\r');
    const Module module = must_parse(text);
    EXPECT_EQ(print(module), text);
    EXPECT_EQ(module.tokens().size(), with_newlines.tokens().size());
    EXPECT_EQ(module.statements().size(), with_newlines.statements().size());
    const std::uint32_t end = static_cast<std::uint32_t>(text.size());
    EXPECT_EQ(module.position(end).line, with_newlines.position(end).line);
}

TEST(Trap, ACarriageReturnAloneEndsNoComment) {
    const Module module = must_parse(with_body("mov.u32 %r1, 0; // gone\rret;\nexit;"));
    EXPECT_EQ(texts_of(module, StatementKind::kInstruction), (Names{"mov.u32 %r1, 0;", "exit;"}));
}

TEST(Trap, OnlyTheAssemblerCanTell) {
    for (const char* name :
         {"reject-duplicate-label", "reject-noinline-word", "reject-missing-debug-str",
          "reject-address-size-32", "reject-unknown-opcode", "reject-future-version",
          "reject-comment-in-version-line", "reject-sm_90a-on-sm_100a",
          "reject-use-before-declaration"}) {
        EXPECT_TRUE(parse(read_corpus(name)).ok()) << name;
    }
    EXPECT_EQ(corpus_module("reject-future-version").version(), "99.9");
    EXPECT_TRUE(header_of(corpus_module("reject-noinline-word"), "helper").ends_with(".noinline"));
}

TEST(Compiled, TritonInlinesThroughItsLibrary) {
    const Module module = corpus_module("compiled/triton-softmax");
    const std::vector<std::string> through = {"triton/language/standard.py"};
    const std::uint32_t shuffle = find_statement(module, "shfl.sync.bfly");
    ASSERT_NE(shuffle, kNone);
    EXPECT_EQ(module.source_line(shuffle).line, 216U);
    EXPECT_EQ(module.source_line(shuffle, through).file, "/home/user/kernels/softmax.py");
    EXPECT_EQ(module.source_line(shuffle, through).line, 23U);
    const auto maximum = find_statement(module, "max.f32");
    ASSERT_NE(maximum, kNone);
    EXPECT_EQ(module.source_line(maximum, through).line, 23U);
}

TEST(Compiled, NvccPutsScopesAroundCallsAndAssembly) {
    const Module module = corpus_module("compiled/nvcc-debug");
    EXPECT_EQ(prototypes(module), Names{"vprintf"});
    EXPECT_EQ(definitions(module, true), Names{"k"});
    EXPECT_EQ(definitions(module, false), Names{"_Z1fi"});
    const Function* const kernel = module.find_definition("k");
    EXPECT_GT(count_scopes_in(module, kernel->body_scope), 3U);
    EXPECT_TRUE(module.targets()[1] == "debug");
}

}  // namespace
}  // namespace gwatch::ptx
