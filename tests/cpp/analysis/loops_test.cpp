// The loops of a function's control flow.
#include "analysis/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analysis/function_code.h"

namespace gwatch::analysis {
namespace {

/// The labels that stand in front of each loop's blocks.
std::vector<std::set<std::string>> labels_of_loops(const std::string& body) {
    const auto module = ptx::parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k()\n{\n\t.reg .pred %p<4>;\n" +
        body + "\tret;\n}\n");
    EXPECT_TRUE(module.ok());
    const FunctionCode code = read_function(*module, module->functions()[0]);
    std::vector<std::set<std::string>> found;
    for (const Loop& loop : find_loops(code.flow)) {
        std::set<std::string>& labels = found.emplace_back();
        for (const std::uint32_t block : loop.blocks) {
            const std::uint32_t first = code.flow.blocks[block].first_statement;
            labels.emplace(module->head(module->statements()[first]));
        }
        EXPECT_TRUE(std::is_sorted(loop.blocks.begin(), loop.blocks.end()));
        EXPECT_EQ(loop.head, loop.blocks.front());
    }
    return found;
}

using Labels = std::vector<std::set<std::string>>;

TEST(Loops, AreNoneInStraightCode) {
    EXPECT_EQ(labels_of_loops("\t@%p1 bra X;\n\tadd.u32 %r1, %r1, 1;\nX:\n"), Labels{});
    EXPECT_EQ(labels_of_loops(""), Labels{});
}

TEST(Loops, HoldTheLoopsInside) {
    EXPECT_EQ(labels_of_loops("OUTER:\n\tbar.sync 0;\nINNER:\n\tbar.sync 0;\n\t@%p1 bra INNER;\n"
                              "BEHIND:\n\t@%p2 bra OUTER;\n"),
              (Labels{{"OUTER", "INNER", "BEHIND"}, {"INNER"}}));
}

TEST(Loops, OfOneHeadAreOne) {
    EXPECT_EQ(labels_of_loops("HEAD:\n\t@%p1 bra HEAD;\nREST:\n\t@%p2 bra HEAD;\n"),
              (Labels{{"HEAD", "REST"}}));
}

TEST(Loops, EnteredInTwoPlacesAreLeftOut) {
    EXPECT_EQ(labels_of_loops("\t@%p1 bra MIDDLE;\nHEAD:\n\tbar.sync 0;\nMIDDLE:\n\tbar.sync 0;\n"
                              "\t@%p2 bra HEAD;\n"),
              Labels{});
}

TEST(Loops, ThatNothingReachesAreLeftOut) {
    EXPECT_EQ(labels_of_loops("\tbra END;\nDEAD:\n\tbar.sync 0;\n\t@%p1 bra DEAD;\nEND:\n"),
              Labels{});
}

}  // namespace
}  // namespace gwatch::analysis
