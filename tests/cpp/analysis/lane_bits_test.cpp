#include "analysis/lane_bits.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "scalar.h"

namespace gwatch::analysis {
namespace {

constexpr std::size_t kLanes = 32;
using Values = std::array<std::uint64_t, kLanes>;

const std::vector<std::string> kOpcodes = {
    "mov.u32",     "mov.b64",     "not.b32",         "not.pred",      "and.b32",
    "and.pred",    "or.b32",      "or.b64",          "xor.b32",       "xor.pred",
    "shl.b32",     "shl.b64",     "shr.u32",         "shr.s32",       "shr.u64",
    "shr.s64",     "shr.b32",     "add.u32",         "add.s32",       "add.s64",
    "add.u16",     "sub.u32",     "sub.s32",         "sub.s64",       "mul.lo.u32",
    "mul.lo.s32",  "mul.lo.s64",  "mul.wide.u32",    "mul.wide.s32",  "mul.wide.u16",
    "mad.lo.s32",  "mad.lo.u64",  "mad.wide.u32",    "mad.wide.s32",  "div.u32",
    "div.s32",     "div.u64",     "rem.u32",         "rem.s32",       "rem.s64",
    "bfe.u32",     "bfe.s32",     "bfe.u64",         "selp.b32",      "selp.b64",
    "lop3.b32",    "min.s32",     "cvt.u64.u32",     "cvt.s64.s32",   "cvt.u32.u64",
    "cvt.u16.u32", "cvt.s32.s64", "cvt.u32.u16",     "cvt.u32.s16",   "setp.eq.u32",
    "setp.ne.s32", "setp.lt.u32", "setp.lt.s32",     "setp.le.u32",   "setp.le.s32",
    "setp.gt.u32", "setp.gt.s32", "setp.ge.u32",     "setp.ge.s32",   "setp.lt.u64",
    "setp.ge.s64", "setp.eq.b64", "setp.lt.and.u32", "setp.ge.or.s32"};

std::size_t operand_count(const std::string& opcode) {
    const std::string base = opcode.substr(0, opcode.find('.'));
    if (base == "mov" || base == "not" || base == "cvt") return 1;
    if (base == "lop3") return 4;
    const bool combines =
        opcode.find(".and.") != std::string::npos || opcode.find(".or.") != std::string::npos;
    return base == "mad" || base == "bfe" || base == "selp" || combines ? 3 : 2;
}

class Sampler {
  public:
    explicit Sampler(std::uint32_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t end) { return random_() % end; }

    /// Mostly runs of bits, as real values have them, in 1, 6, 16, 32 or 64 bits.
    std::uint64_t mask() {
        const std::uint64_t begin = below(40);
        const std::uint64_t run = low_bits(static_cast<unsigned>(below(34))) << begin;
        switch (below(6)) {
            case 0:
                return 0;
            case 1:
                return low_bits(5);
            case 2:
                return random_();
            case 3:
                return ~run;
            default:
                return run;
        }
    }

    LaneBits bits() {
        if (below(4) == 0) return constant(number());
        LaneBits bits{mask(), below(2) == 0 ? ~low_bits(static_cast<unsigned>(below(64))) : 0, 0};
        if (below(2) == 0) bits.zeros |= low_bits(static_cast<unsigned>(below(8)));
        if (below(3) == 0) bits.zeros |= mask();
        if (below(4) == 0) bits.ones = mask() & ~bits.zeros;
        bits.varying &= ~(bits.zeros | bits.ones);
        return bits;
    }

    /// Small numbers, powers of two and their neighbours, any number.
    std::uint64_t number() {
        switch (below(4)) {
            case 0:
                return below(70);
            case 1:
                return (std::uint64_t{1} << below(64)) - below(2);
            case 2:
                return 0 - below(70);
            default:
                return random_();
        }
    }

    Values values(const LaneBits& bits) {
        const std::uint64_t common = random_();
        Values values{};
        for (std::uint64_t& value : values) {
            const std::uint64_t own = below(2) == 0 ? random_() : ~common;
            value = (common & ~bits.varying) | (own & bits.varying);
            value = (value & ~bits.zeros) | bits.ones;
        }
        return values;
    }

  private:
    std::mt19937_64 random_;
};

void check(const std::string& opcode, const LaneBits& bits, const Values& results) {
    for (const std::uint64_t result : results) {
        ASSERT_EQ((result ^ results[0]) & ~bits.varying, 0U) << opcode << ": lanes differ";
        ASSERT_EQ(result & bits.zeros, 0U) << opcode << ": a zero";
        ASSERT_EQ(~result & bits.ones, 0U) << opcode << ": a one";
    }
}

class TransferIsSound : public testing::TestWithParam<std::string> {};

TEST_P(TransferIsSound, OnRandomLanes) {
    const std::string& name = GetParam();
    const Opcode opcode = read_opcode(name);
    Sampler sampler(20261130);
    for (int round = 0; round < 20000 && !HasFatalFailure(); ++round) {
        LaneOperands operands{};
        std::vector<Values> values;
        for (std::size_t i = 0; i < operand_count(name); ++i) {
            const bool is_immediate = i == 3;  // the table of lop3
            operands.bits[operands.count++] =
                is_immediate ? constant(sampler.below(256)) : sampler.bits();
            values.push_back(sampler.values(operands.bits[i]));
        }
        Values results{};
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            std::vector<std::uint64_t> of_lane;
            for (const Values& value : values) of_lane.push_back(value[lane]);
            results[lane] = compute(name, of_lane);
        }
        check(name, transfer(opcode, operands), results);
    }
}

std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
    std::string name = parameter.param;
    for (char& character : name) {
        if (character == '.') character = '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Opcodes, TransferIsSound, testing::ValuesIn(kOpcodes), test_name);

constexpr LaneBits kThreadOf1024{0x1F, ~std::uint64_t{0x3FF}, 0};

LaneBits apply(const std::string& opcode, const LaneBits& a, const LaneBits& b) {
    return transfer(read_opcode(opcode), {{a, b}, 2});
}

TEST(ThreadIndex, ShiftedByAWarpIsUniform) {
    EXPECT_TRUE(apply("shr.u32", kThreadOf1024, constant(5)).is_uniform());
    EXPECT_EQ(apply("shr.u32", kThreadOf1024, constant(3)).varying, 3U);
}

TEST(ThreadIndex, ComparesAlikeWithMultiplesOfAWarp) {
    for (const std::uint64_t bound : {32U, 64U, 96U, 320U}) {
        EXPECT_TRUE(apply("setp.lt.u32", kThreadOf1024, constant(bound)).is_uniform());
        EXPECT_TRUE(apply("setp.gt.u32", kThreadOf1024, constant(bound - 1)).is_uniform());
        EXPECT_FALSE(apply("setp.lt.u32", kThreadOf1024, constant(bound + 1)).is_uniform());
        EXPECT_FALSE(apply("setp.eq.u32", kThreadOf1024, constant(bound)).is_uniform());
    }
}

TEST(ThreadIndex, IsBelowTheLargestBlock) {
    EXPECT_TRUE(apply("setp.lt.u32", kThreadOf1024, constant(1100)).is_uniform());
    EXPECT_TRUE(apply("setp.eq.u32", kThreadOf1024, constant(2000)).is_uniform());
}

TEST(ThreadIndex, KeepsItsBitsUnderAlignedOffsets) {
    EXPECT_EQ(apply("add.s32", kThreadOf1024, constant(std::uint64_t{0} - 64)).varying, 0x1FU);
    EXPECT_NE(apply("add.s32", kThreadOf1024, constant(1)).varying, 0x1FU);
    EXPECT_EQ(apply("mul.lo.u32", kThreadOf1024, constant(4)).varying, 0x7CU);
}

}  // namespace
}  // namespace gwatch::analysis
