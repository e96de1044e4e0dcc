#include "analysis/control_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "snippets.h"

namespace gwatch::analysis {
namespace {

/// The successors of the blocks of a body. Blocks are named by the label they begin with, else by
/// their number.
class Graph {
  public:
    explicit Graph(std::string_view body, std::string_view before = {})
        : module_(parse_body(body, before)),
          program_(read_program(module_, module_.functions().back(), {})),
          flow_(build_control_flow(module_, program_)) {}

    /// "A B exit", in order of the text; exit and trap come last.
    std::string after(const std::string& name) const {
        for (std::uint32_t i = 0; i < flow_.blocks.size(); ++i) {
            if (name_of(i) == name) return successors_of(i);
        }
        return "no block " + name;
    }

    std::size_t size() const { return flow_.blocks.size(); }

  private:
    std::string name_of(std::uint32_t node) const {
        if (node == flow_.exit()) return "exit";
        if (node == flow_.trap()) return "trap";
        const std::uint32_t first = flow_.blocks[node].first_statement;
        if (first < module_.statements().size()) {
            const ptx::Statement& statement = module_.statements()[first];
            if (statement.kind == ptx::StatementKind::kLabel) {
                return std::string(module_.head(statement));
            }
        }
        return std::to_string(node);
    }

    std::string successors_of(std::uint32_t block) const {
        std::string names;
        for (const std::uint32_t next : flow_.successors_of(flow_.blocks[block])) {
            if (!names.empty()) names += " ";
            names += name_of(next);
        }
        return names;
    }

    ptx::Module module_;
    Program program_;
    ControlFlow flow_;
};

TEST(ControlFlow, OfStraightCodeIsABlockAndTheEnd) {
    const Graph graph("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nret;");
    EXPECT_EQ(graph.after("0"), "exit");
    EXPECT_EQ(graph.size(), 2U);  // behind ret stands the brace
}

TEST(ControlFlow, ABodyMayEndAtItsBrace) {
    EXPECT_EQ(Graph("mov.u32 %r1, 1;").after("0"), "exit");
}

TEST(ControlFlow, OnlyAGuardedBranchFallsThrough) {
    const Graph graph("@%p1 bra B;\nA: bra B;\nB: @!%p1 bra.uni A;\nC: bra.uni C;");
    EXPECT_EQ(graph.after("0"), "A B");
    EXPECT_EQ(graph.after("A"), "B");
    EXPECT_EQ(graph.after("B"), "A C");
    EXPECT_EQ(graph.after("C"), "C");
}

TEST(ControlFlow, ALabelStartsABlockAlsoWhenNothingJumpsThere) {
    EXPECT_EQ(Graph("mov.u32 %r1, 1;\nA: ret;").after("0"), "A");
}

TEST(ControlFlow, EndsOfAllKinds) {
    const Graph graph("@%p1 exit;\nA: @%p2 ret.uni;\nB: @%p3 trap;\nC: trap;\nD: exit;");
    EXPECT_EQ(graph.after("0"), "A exit");
    EXPECT_EQ(graph.after("A"), "B exit");
    EXPECT_EQ(graph.after("B"), "C trap");
    EXPECT_EQ(graph.after("C"), "trap");
    EXPECT_EQ(graph.after("D"), "exit");
}

TEST(ControlFlow, ATableBranchGoesToEachTargetOnce) {
    const Graph graph("t: .branchtargets A, B, A;\nbrx.idx %r1, t;\nA: ret;\nB: ret;\nC: ret;");
    EXPECT_EQ(graph.after("t"), "A B");
}

TEST(ControlFlow, ATableMayStandBehindItsBranchInAnOuterScope) {
    const Graph graph("{\nS: brx.idx %r1, t;\n}\nA: ret;\nB: ret;\nt: .branchtargets B, A;");
    EXPECT_EQ(graph.after("S"), "A B");
}

TEST(ControlFlow, AGuardedTableBranchFallsThrough) {
    const Graph graph("t: .branchtargets B;\n@%p1 brx.idx %r1, t;\nA: ret;\nB: ret;");
    EXPECT_EQ(graph.after("t"), "A B");
}

TEST(ControlFlow, AnUnknownTableMayGoAnywhere) {
    const Graph graph("S: brx.idx %r1, nowhere;\nA: ret;\nB: ret;");
    EXPECT_EQ(graph.after("S"), "S A B exit");
}

TEST(ControlFlow, InnerLabelsHideOuterOnes) {
    const Graph graph("{\nS: bra A;\nA:\nmov.u32 %r1, 1;\n}\nT: bra A;\nA: ret;");
    EXPECT_EQ(graph.after("S"), "A");
    EXPECT_EQ(graph.after("A"), "T");  // the inner one comes first
    EXPECT_EQ(graph.after("T"), "A");
}

constexpr std::string_view kFunctions =
    ".extern .func vprintf(.param .b64 a);\n.extern .func other();\n"
    ".func plain()\n{\nret;\n}\n"
    ".func loops()\n{\ncall loops;\ncall plain;\ntrap;\n}\n"
    ".func ends()\n{\n.reg .pred %p1;\n@%p1 exit;\nret;\n}\n"
    ".func ends_below()\n{\ncall.uni ends;\nret;\n}\n";

TEST(ControlFlow, ACallThatComesBackIsNoEnd) {
    for (const std::string callee : {"plain", "loops", "vprintf"}) {
        EXPECT_EQ(
            Graph("call.uni " + callee + ";\nmov.u32 %r1, 1;\nA: ret;", kFunctions).after("0"), "A")
            << callee;
    }
}

TEST(ControlFlow, ACallMayEndLanesInItsCallee) {
    for (const std::string callee : {"ends", "ends_below", "other", "%rd1"}) {
        EXPECT_EQ(Graph("call " + callee + ";\nA: ret;", kFunctions).after("0"), "A exit")
            << callee;
    }
}

TEST(ControlFlow, GivesEveryStatementItsBlock) {
    const ptx::Module module = parse_body("@%p1 bra A;\n{\nmov.u32 %r1, 1;\n}\nA: ret;");
    const Program program = read_program(module, module.functions()[0], {});
    const ControlFlow flow = build_control_flow(module, program);
    ASSERT_EQ(flow.block_of.size(), program.body.end - program.body.begin);
    for (std::uint32_t i = 0; i < flow.block_of.size(); ++i) {
        const Block& block = flow.blocks[flow.block_of[i]];
        EXPECT_LE(block.first_statement, i + flow.first_statement);
        EXPECT_GT(block.end_statement, i + flow.first_statement);
    }
    EXPECT_TRUE(std::is_sorted(flow.block_of.begin(), flow.block_of.end()));
}

}  // namespace
}  // namespace gwatch::analysis
