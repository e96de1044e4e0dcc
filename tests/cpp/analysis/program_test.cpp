#include "analysis/program.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/special_registers.h"
#include "analysis/words.h"
#include "snippets.h"

namespace gwatch::analysis {
namespace {

struct Named {
    std::vector<std::string> results;
    std::vector<std::string> sources;  // "=" for a value in the text
    Opcode opcode;
};

// The last instruction of a body.
Named last_of(std::string_view body) {
    const ptx::Module module = parse_body(body);
    const Program program = read_program(module, module.functions()[0], {});
    const Operation& operation = program.operations.back();
    Named named{{}, {}, operation.opcode};
    const auto name = [&](std::uint32_t reg) { return std::string(program.registers[reg]); };
    for (const std::uint32_t reg : program.results_of(operation))
        named.results.push_back(name(reg));
    for (const Source& source : program.sources_of(operation)) {
        named.sources.push_back(source.reg == ptx::kNone ? "=" : name(source.reg));
    }
    return named;
}

using Names = std::vector<std::string>;

TEST(Program, ReadsResultsAndSources) {
    const Named named = last_of("mad.lo.s32 %r1, %r2, 3, %r4;");
    EXPECT_EQ(named.results, Names{"%r1"});
    EXPECT_EQ(named.sources, (Names{"%r2", "=", "%r4"}));
    EXPECT_EQ(named.opcode.transfer, Transfer::kMultiplyAdd);
}

TEST(Program, ReadsPairsVectorsAndBlanks) {
    EXPECT_EQ(last_of("setp.lt.s32 %p1|%p2, %r1, %r2;").results, (Names{"%p1", "%p2"}));
    EXPECT_EQ(last_of("elect.sync _|%p1, -1;").results, Names{"%p1"});
    EXPECT_EQ(last_of("ld.global.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ];").results,
              (Names{"%r1", "%r2"}));
    EXPECT_EQ(last_of("mov.b64 {%r1, %r2}, %rd1;").opcode.transfer, Transfer::kOpaque);
    EXPECT_EQ(last_of("mov.b64 %rd1, {%r1, %r2};").sources, (Names{"%r1", "%r2"}));
}

TEST(Program, AStoreWritesNoRegister) {
    const Named named = last_of("st.global.u32 [%rd1], %r1;");
    EXPECT_TRUE(named.results.empty());
    EXPECT_EQ(named.sources, (Names{"%rd1", "%r1"}));
}

TEST(Program, AnUnknownInstructionMayWriteAllButAddresses) {
    EXPECT_EQ(last_of("later.b32 %r1, %r2, [%rd1];").results, (Names{"%r1", "%r2"}));
}

TEST(Program, SuffixesMayStandApart) {
    EXPECT_EQ(last_of("shr .u32 %r1, %r2, 5;").opcode.transfer, Transfer::kShiftRight);
    EXPECT_EQ(last_of("ld.shared::cta .b32 %r1, [%r2];").opcode.effect, Effect::kLoad);
}

TEST(Program, AWrittenCarryIsReadLater) {
    EXPECT_EQ(last_of("add.cc.u32 %r1, %r2, %r3;").results.size(), 2U);
    EXPECT_EQ(last_of("addc.u32 %r1, %r2, %r3;").sources.size(), 3U);
}

TEST(Program, InnerRegistersAreOthers) {
    const ptx::Module module = parse_body(
        "mov.u32 %r1, 1;\n{\nmov.u32 %r1, 2;\n.reg .b32 %r1;\nmov.u32 %r1, 3;\n}\nmov.u32 %r1, 4;");
    const Program program = read_program(module, module.functions()[0], {});
    std::vector<std::uint32_t> results;
    for (const Operation& operation : program.operations) {
        results.push_back(program.results_of(operation)[0]);
    }
    EXPECT_EQ(results[0], results[1]);  // before the inner declaration
    EXPECT_NE(results[0], results[2]);
    EXPECT_EQ(results[0], results[3]);
}

TEST(Program, RangesNameTheirRegisters) {
    const Named named = last_of(".reg .b32 %x<5>, %x5, x;\nadd.u32 %x5, %x4, x;");
    EXPECT_EQ(named.results, Names{"%x5"});
    EXPECT_EQ(named.sources, (Names{"%x4", "x"}));
    EXPECT_EQ(last_of("mov.u32 %r10, 1;").results, Names{});  // beyond %r<10>
}

TEST(Program, AComponentIsItsVector) {
    EXPECT_EQ(last_of(".reg .v4 .f32 %v;\nmov.f32 %v.x, 0f00000000;").results, Names{"%v"});
}

TEST(Opcodes, AreFoundByTheirLongestBeginning) {
    EXPECT_EQ(read_opcode("mul.hi.u32").transfer, Transfer::kOpaque);
    EXPECT_EQ(read_opcode("mul.lo.u32").transfer, Transfer::kMultiply);
    EXPECT_EQ(read_opcode("bar.red.popc.u32").effect, Effect::kBlockVote);
    EXPECT_EQ(read_opcode("bar.sync").effect, Effect::kNoResult);
    EXPECT_EQ(read_opcode("movmatrix.sync.aligned.m8n8.trans.b16").effect, Effect::kPerLane);
    EXPECT_EQ(read_opcode("wgmma.fence.sync.aligned").effect, Effect::kNoResult);
    EXPECT_EQ(read_opcode("nothing.b32").effect, Effect::kUnknown);
}

TEST(Opcodes, FloatsAreOpaque) {
    EXPECT_EQ(read_opcode("add.f32").transfer, Transfer::kOpaque);
    EXPECT_EQ(read_opcode("cvt.rn.f32.s32").transfer, Transfer::kOpaque);
    EXPECT_EQ(read_opcode("setp.lt.f32").transfer, Transfer::kOpaque);
    EXPECT_EQ(read_opcode("add.sat.s32").transfer, Transfer::kOpaque);
}

TEST(Opcodes, HaveTheirTypes) {
    const Opcode wide = read_opcode("mul.wide.s32");
    EXPECT_EQ(wide.source_width, 32);
    EXPECT_EQ(wide.result_width, 64);
    EXPECT_TRUE(wide.is_signed);
    const Opcode less = read_opcode("setp.lt.and.u32");
    EXPECT_EQ(less.comparison, Comparison::kLess);
    EXPECT_EQ(less.result_width, 1);
    EXPECT_EQ(read_opcode("cvt.u32.u64").result_width, 32);
    EXPECT_EQ(read_opcode("cvt.s8.s32").transfer, Transfer::kOpaque);
}

TEST(Words, OfOperands) {
    const auto words = [](std::string_view operand) {
        Names all;
        Words rest(operand);
        for (auto word = rest.next(); !word.empty(); word = rest.next()) all.emplace_back(word);
        return all;
    };
    EXPECT_EQ(words("[ %rd1+-16 ]"), (Names{"%rd1", "16"}));
    EXPECT_EQ(words("{a$b,_}"), (Names{"a$b", "_"}));
    EXPECT_EQ(words(""), Names{});
    EXPECT_TRUE(is_single_word("-16"));
    EXPECT_FALSE(is_single_word("!%p1"));
    EXPECT_FALSE(is_single_word("a+4"));
}

TEST(Integers, OfAllRadices) {
    EXPECT_EQ(parse_integer("31"), 31U);
    EXPECT_EQ(parse_integer("-1"), ~std::uint64_t{0});
    EXPECT_EQ(parse_integer("0x1F"), 31U);
    EXPECT_EQ(parse_integer("037U"), 31U);
    EXPECT_EQ(parse_integer("0b101"), 5U);
    EXPECT_FALSE(parse_integer("0f3F800000"));
    EXPECT_FALSE(parse_integer("1.5"));
    EXPECT_FALSE(parse_integer("smem"));
}

}  // namespace
}  // namespace gwatch::analysis
