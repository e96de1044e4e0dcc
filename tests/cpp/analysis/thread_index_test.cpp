#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "analysis/special_registers.h"
#include "snippets.h"

namespace gwatch::analysis {
namespace {

using Block = std::array<std::uint32_t, 3>;

std::uint32_t coordinate(const Block& block, std::uint32_t linear, std::size_t dimension) {
    const Block at = {linear % block[0], linear / block[0] % block[1],
                      linear / block[0] / block[1]};
    return at[dimension];
}

// Every thread of every warp against what is claimed of the warp's lanes.
void check(const Block& block, const LaneBits& bits, std::size_t dimension) {
    const std::uint32_t threads = block[0] * block[1] * block[2];
    for (std::uint32_t i = 0; i < threads; ++i) {
        const std::uint64_t own = coordinate(block, i, dimension);
        const std::uint64_t first = coordinate(block, i / 32 * 32, dimension);
        ASSERT_EQ((own ^ first) & ~bits.varying, 0U) << "thread " << i;
        ASSERT_EQ(own & bits.zeros, 0U) << "thread " << i;
    }
}

constexpr const char* kThreads[] = {"%tid.x", "%tid.y", "%tid.z"};

TEST(ThreadIndex, IsWhatEveryShapeOfBlockHas) {
    const std::vector<std::uint32_t> sizes = {1, 2, 3, 4, 8, 12, 16, 20, 32, 48, 64};
    for (const std::uint32_t x : sizes) {
        for (const std::uint32_t y : sizes) {
            for (const std::uint32_t z : sizes) {
                const Block block = {x, y, z};
                if (x * y * z > 1024) continue;
                for (std::size_t i = 0; i < 3; ++i) {
                    SCOPED_TRACE(::testing::Message() << x << " " << y << " " << z << " " << i);
                    check(block, read_word(kThreads[i], {block}), i);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(ThreadIndex, OfAPartlyKnownShapeHoldsForAllSizesOfTheRest) {
    for (std::uint32_t unknown = 0; unknown < 3; ++unknown) {
        for (const Block& block :
             {Block{32, 4, 2}, Block{16, 8, 4}, Block{8, 4, 3}, Block{5, 3, 7}}) {
            Block known = block;
            known[unknown] = 0;
            for (std::size_t i = 0; i < 3; ++i) check(block, read_word(kThreads[i], {known}), i);
        }
    }
}

std::uint64_t varying(const Block& block, std::size_t dimension) {
    return read_word(kThreads[dimension], {block}).varying;
}

TEST(ThreadIndex, VariesInNoMoreBitsThanNeeded) {
    EXPECT_EQ(varying({128, 1, 1}, 0), 0x1FU);
    EXPECT_EQ(varying({0, 1, 1}, 0), 0x1FU);  // one-dimensional, of any length
    EXPECT_EQ(varying({64, 4, 1}, 1), 0U);
    EXPECT_EQ(varying({16, 8, 1}, 0), 0xFU);
    EXPECT_EQ(varying({16, 8, 1}, 1), 0x1U);
    EXPECT_EQ(varying({8, 4, 8}, 2), 0U);
    EXPECT_EQ(varying({4, 4, 8}, 2), 0x1U);
    EXPECT_EQ(varying({128, 1, 1}, 1), 0U);
}

TEST(BlockSize, IsAConstantWhereKnown) {
    EXPECT_EQ(read_word("%ntid.x", {{96, 0, 0}}), constant(96));
    EXPECT_EQ(read_word("%ntid.y", {{96, 0, 0}}), kUniformValue);
    EXPECT_EQ(read_word("WARP_SZ", {}), constant(32));
}

TEST(SpecialRegisters, UnknownOnesVary) {
    EXPECT_EQ(read_word("%later_register", {}), kAnyValue);
    EXPECT_EQ(read_word("%tid", {{32, 1, 1}}), kAnyValue);
    EXPECT_EQ(read_word("shared_memory", {}), kUniformValue);
    EXPECT_EQ(read_word("%nctaid.z", {}), kUniformValue);
}

Block completed(const std::string& directives, const LaunchShape& shape) {
    auto module =
        ptx::parse(".version 8.5\n.target sm_90a\n.entry k()" + directives + "\n{\nret;\n}\n");
    return complete_shape(*module, module->functions()[0], shape).block;
}

TEST(LaunchShape, IsCompletedByReqntidAlone) {
    EXPECT_EQ(completed("", {}), (Block{0, 0, 0}));
    EXPECT_EQ(completed(" .maxntid 128, 1, 1", {}), (Block{0, 0, 0}));
    EXPECT_EQ(completed(" .reqntid 128", {}), (Block{128, 1, 1}));
    EXPECT_EQ(completed(" .reqntid 16, 8 .minnctapersm 2", {}), (Block{16, 8, 1}));
    EXPECT_EQ(completed(" .minnctapersm 2 .reqntid 16, 8, 4", {}), (Block{16, 8, 4}));
    EXPECT_EQ(completed("", {{64, 2, 1}}), (Block{64, 2, 1}));
}

}  // namespace
}  // namespace gwatch::analysis
