// Damaged modules: parsing never crashes, and what parses prints the same bytes.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "corpus.h"
#include "ptx/module.h"

namespace gwatch::ptx {
namespace {

constexpr int kMutantsPerModule = 400;
constexpr int kMaximumEdits = 4;

/// Edits a text at random places: the same edits for the same seed on every machine.
class Mutator {
  public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    std::string mutate(std::string text, const std::string& donor) {
        const std::uint32_t edits = 1 + below(kMaximumEdits);
        for (std::uint32_t i = 0; i < edits && !text.empty(); ++i) edit(text, donor);
        return text;
    }

  private:
    std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

    void edit(std::string& text, const std::string& donor) {
        const std::size_t place = below(text.size());
        switch (below(6)) {
            case 0:
                text[place] = static_cast<char>(random_());
                break;
            case 1:
                text.insert(place, hostile_piece());
                break;
            case 2:
                text.erase(place, 1 + below(20));
                break;
            case 3:
                text.insert(place, text.substr(below(text.size()), below(60)));
                break;
            case 4:
                text.insert(place, donor.substr(below(donor.size()), below(200)));
                break;
            default:
                text.resize(place);
        }
    }

    std::string hostile_piece() {
        static const std::vector<std::string> kPieces = {"{",
                                                         "}",
                                                         "(",
                                                         ")",
                                                         "[",
                                                         "]",
                                                         ";",
                                                         ":",
                                                         "::",
                                                         "@",
                                                         "@!%p1",
                                                         "\"",
                                                         "//",
                                                         "/*",
                                                         "*/",
                                                         "#",
                                                         "\r",
                                                         "\r\n",
                                                         std::string(1, '\0'),
                                                         "\xE9",
                                                         ".",
                                                         "..",
                                                         "%",
                                                         "<",
                                                         ".entry ",
                                                         ".func ",
                                                         ".visible ",
                                                         ".section ",
                                                         ".loc 1 2 3",
                                                         ".loc 1 2 3, inlined_at 1",
                                                         ".file 1 \"a\"",
                                                         ".version 8.0",
                                                         ".target ",
                                                         ".pragma \"x\";",
                                                         "0x",
                                                         "1e+",
                                                         "L:",
                                                         "L::x",
                                                         "$",
                                                         "_",
                                                         "\n",
                                                         "call (a), f, (b);",
                                                         "= {{1}, {2}}",
                                                         ".loc 99999999999 1 1",
                                                         ",",
                                                         ".5"};
        return kPieces[below(kPieces.size())];
    }

    std::mt19937 random_;
};

// Every question that can be asked about the module; the answers do not matter here.
void ask_everything(const Module& module) {
    const std::vector<std::string> through = {"k.py", "standard.py"};
    for (std::uint32_t i = 0; i < module.statements().size(); ++i) {
        const Statement& statement = module.statements()[i];
        ASSERT_LT(statement.first_token, statement.end_token);
        ASSERT_LE(statement.end_token, module.tokens().size());
        ASSERT_LT(statement.scope, module.scopes().size());
        if (statement.kind == StatementKind::kInstruction) {
            ASSERT_FALSE(module.instruction(statement).opcode.empty());
        }
        ASSERT_FALSE(module.head(statement).empty());
        module.source_line(i, through);
        module.position(module.end_of(statement));
    }
    for (const Function& function : module.functions()) {
        ASSERT_EQ(module.statements()[function.header].kind, StatementKind::kFunction);
        ASSERT_TRUE(module.uses_name(function.name));
    }
    ASSERT_NE(module.last_header_statement(), kNone);
}

struct Counts {
    int parsed = 0;
    int refused = 0;
};

void check(const std::string& text, Counts& counts) {
    const auto module = parse(text);
    if (!module) {
        ++counts.refused;
        ASSERT_FALSE(module.error().message.empty());
        return;
    }
    ++counts.parsed;
    ASSERT_EQ(print(*module), text);
    ask_everything(*module);
}

TEST(Mutants, NeverCrashAndPrintTheSameBytes) {
    Mutator mutator(20261130);
    Counts counts;
    const std::vector<std::string> names = corpus_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string text = read_corpus(names[i]);
        const std::string donor = read_corpus(names[(i + 7) % names.size()]);
        for (int mutant = 0; mutant < kMutantsPerModule; ++mutant) {
            const std::string mutated = mutator.mutate(text, donor);
            ASSERT_NO_FATAL_FAILURE(check(mutated, counts)) << names[i] << "\n" << mutated;
        }
    }
    // Both ways must be walked often, or the mutants prove nothing.
    EXPECT_GT(counts.parsed, 5000);
    EXPECT_GT(counts.refused, 5000);
}

TEST(Prefixes, NeverCrashAndPrintTheSameBytes) {
    Counts counts;
    for (const char* name : {"target-debug", "tma-bulk-tensor", "decoy-markers-in-comments"}) {
        const std::string text = read_corpus(name);
        for (std::size_t size = 0; size < text.size(); ++size) {
            ASSERT_NO_FATAL_FAILURE(check(text.substr(0, size), counts)) << name << " " << size;
        }
    }
    EXPECT_GT(counts.parsed, 100);
    EXPECT_GT(counts.refused, 1000);
}

TEST(Depth, DoesNotOverflowTheStack) {
    const std::string open(100'000, '{');
    const std::string close(100'000, '}');
    Counts counts;
    check(".version 8.0\n.entry k\n" + open + close, counts);
    check(".version 8.0\n.entry k\n" + open, counts);
    check(".version 8.0\n.global .b32 x = " + open + close + ";", counts);
    EXPECT_EQ(counts.parsed, 2);
    EXPECT_EQ(counts.refused, 1);
}

}  // namespace
}  // namespace gwatch::ptx
