#include <gtest/gtest.h>

#include <vector>

#include "snippets.h"

namespace gwatch::ptx {
namespace {

using Operands = std::vector<std::string_view>;

TEST(Instruction, SplitsOperandsAtOuterCommas) {
    const Module module = must_parse(with_body(
        "cp.async.bulk.tensor.2d.shared::cluster.global\n [%r1],\n [map, {x, y}], [%r2] ;"));
    const Instruction instruction = first_instruction(module);
    EXPECT_EQ(instruction.opcode, "cp.async.bulk.tensor.2d.shared::cluster.global");
    EXPECT_EQ(instruction.operands, (Operands{"[%r1]", "[map, {x, y}]", "[%r2]"}));
    EXPECT_EQ(instruction.guard, "");
    EXPECT_FALSE(instruction.guard_negated);
}

TEST(Instruction, TakesTheGuardApart) {
    const Module plain = must_parse(with_body("@%p1 bra.uni L;\nL:"));
    EXPECT_EQ(first_instruction(plain).guard, "%p1");
    EXPECT_FALSE(first_instruction(plain).guard_negated);
    const Module negated = must_parse(with_body("@ ! /* not */ %p1 bra.uni L;\nL:"));
    EXPECT_EQ(first_instruction(negated).guard, "%p1");
    EXPECT_TRUE(first_instruction(negated).guard_negated);
    EXPECT_EQ(first_instruction(negated).opcode, "bra.uni");
    EXPECT_EQ(first_instruction(negated).operands, Operands{"L"});
}

TEST(Instruction, HasNoOperandsBehindABareOpcode) {
    const Module module = must_parse(with_body("ret ;"));
    EXPECT_EQ(first_instruction(module).opcode, "ret");
    EXPECT_EQ(first_instruction(module).operands, Operands{});
}

TEST(Instruction, KeepsTheListsOfACallTogether) {
    const Module module =
        must_parse(with_body("call.uni (retval0),\n f,\n (\n param0,\n param1\n );"));
    EXPECT_EQ(first_instruction(module).operands,
              (Operands{"(retval0)", "f", "(\n param0,\n param1\n )"}));
}

TEST(Instruction, CutsCommentsAroundOperands) {
    const Module module =
        must_parse(with_body("mov.u32 /* ; */ %r1 // , \n , /*a*/ 1 /*b*/ + 2 /*c*/ ;"));
    EXPECT_EQ(first_instruction(module).operands, (Operands{"%r1", "1 /*b*/ + 2"}));
}

TEST(Instruction, TakesSuffixesThatStandApart) {
    const Module module = must_parse(with_body("mov .u32 %r1, 0;"));
    EXPECT_EQ(first_instruction(module).opcode, "mov .u32");
    EXPECT_EQ(first_instruction(module).operands, (Operands{"%r1", "0"}));
}

TEST(Instruction, KeepsPredicatePairsAndSinks) {
    const Module module = must_parse(with_body("setp.lt.and.s32 %p2|%p3, %r1, 5, !%p1;"));
    EXPECT_EQ(first_instruction(module).operands, (Operands{"%p2|%p3", "%r1", "5", "!%p1"}));
    const Module sink = must_parse(with_body("elect.sync _|%p1, 0xffffffff;"));
    EXPECT_EQ(first_instruction(sink).operands, (Operands{"_|%p1", "0xffffffff"}));
}

TEST(Instruction, KeepsTheCountOfOperandsThatAreMissing) {
    const Module module = must_parse(with_body("mov.u32 %r1, , ;"));
    EXPECT_EQ(first_instruction(module).operands, (Operands{"%r1", "", ""}));
}

TEST(Instruction, TakesOpcodesItDoesNotKnow) {
    const Module module = must_parse(with_body("frobnicate.u32 %r2, (1+2)*3;"));
    EXPECT_EQ(first_instruction(module).opcode, "frobnicate.u32");
    EXPECT_EQ(first_instruction(module).operands, (Operands{"%r2", "(1+2)*3"}));
}

}  // namespace
}  // namespace gwatch::ptx
