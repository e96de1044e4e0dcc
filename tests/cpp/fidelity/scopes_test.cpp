#include "fidelity/scopes.h"

#include <gtest/gtest.h>

#include "fidelity/listing.h"
#include "fidelity/mix.h"

namespace gwatch::fidelity {

namespace {

constexpr char kHead[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a)\n{\n"
    "\t.reg .b64 %rd<9>;\n\t.reg .b32 %r<30>;\n\t.reg .pred %p<4>;\n"
    "\tld.param.u64 %rd1, [a];\n\tld.param.u64 %rd2, [a];\n";

std::string marker(const std::string& text) {
    return "\t// gwatch:" + text + "\n\tmov.u32 %r0, 0;\n";
}

/// A kernel, instrumented, and machine code that a test makes up for it line by line.
class Scopes : public ::testing::Test {
  protected:
    void instrument(const std::string& body) {
        auto module = ptx::parse(kHead + body + "\tret;\n}\n");
        ASSERT_TRUE(module.ok()) << module.error().to_string();
        auto made = instrument::instrument(*module, "k");
        ASSERT_TRUE(made.ok()) << made.error().to_string();
        instrumented_ = *std::move(made);
    }

    /// The line of the first statement with this text; of its n-th from 0.
    std::uint32_t line_of(const std::string& text, int n = 0) {
        std::size_t at = instrumented_.ptx.find(text);
        for (; n > 0 && at != std::string::npos; --n) at = instrumented_.ptx.find(text, at + 1);
        EXPECT_NE(at, std::string::npos) << text;
        const auto end = instrumented_.ptx.begin() + static_cast<std::ptrdiff_t>(at);
        return 1 + static_cast<std::uint32_t>(std::count(instrumented_.ptx.begin(), end, '\n'));
    }

    void emit(std::uint32_t line, const std::string& instruction) {
        listing_ += "//## File \".nv_debug_ptx_txt\", line " + std::to_string(line) + "\n";
        listing_ += "/*0000*/ " + instruction + " ;\n";
    }
    /// The machine instruction of a PTX statement.
    void put(const std::string& statement, const std::string& instruction) {
        emit(line_of(statement), instruction);
    }
    /// The timer read of a site.
    void read_timer(std::uint16_t site) {
        for (const instrument::InsertedLines& own : instrumented_.inserted) {
            if (own.site == site) return emit(own.first_line, "CS2R R2, SR_CLOCKLO");
        }
        ADD_FAILURE() << "no site " << site;
    }
    void label(const std::string& name) { listing_ += name + ":\n"; }

    std::vector<ScopeCheck> check() {
        const auto module = ptx::parse(instrumented_.ptx);
        const OwnLines own(instrumented_.inserted);
        const std::string text = "\t.section\t.text.k,\"ax\"\n" + listing_;
        const std::vector<Section> sections = read_listing(text);
        const Code ptx = read_ptx(*module, "k", own);
        const Code sass = read_sass(sections.at(0), own);
        unknown_ = sass.unknown;
        return check_scopes(*module, ptx, sass, instrumented_.sites, own);
    }
    const KindCount& only(const ScopeCheck& check) {
        EXPECT_EQ(check.unknown, "");
        EXPECT_EQ(check.counts.size(), 1u);
        return check.counts.at(0);
    }

    instrument::Instrumented instrumented_;
    std::string listing_;
    std::string unknown_;
};

KindCount counted(const char* kind, std::uint32_t ptx, std::uint32_t sass) {
    KindCount count;
    count.kind = kind;
    count.ptx = ptx;
    count.sass = sass;
    return count;
}

constexpr char kFirst[] = "\tld.global.b32 %r1, [%rd1];\n";
constexpr char kSecond[] = "\tld.global.b32 %r2, [%rd2];\n";

TEST_F(Scopes, CountWhatStaysInside) {
    instrument(marker("start a") + kFirst + marker("end a") + kSecond);
    read_timer(1);
    put("[%rd1]", "LDG.E R1, [R2.64]");
    read_timer(2);
    put("[%rd2]", "LDG.E R1, [R2.64]");
    const std::vector<ScopeCheck> checks = check();
    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(only(checks[0]), counted("global load", 1, 1));
    EXPECT_EQ(checks[0].start_reads, 1u);
    EXPECT_EQ(checks[0].end_reads, 1u);
    EXPECT_TRUE(checks[0].movements.empty());
}

TEST_F(Scopes, TellWhatMovedOutAndIn) {
    instrument(marker("start a") + kFirst + marker("end a") + kSecond);
    put("[%rd1]", "LDG.E R1, [R2.64]");
    read_timer(1);
    put("[%rd2]", "LDG.E.64 R1, [R2.64]");
    read_timer(2);
    const std::vector<ScopeCheck> checks = check();
    KindCount expected = counted("global load", 1, 1);
    expected.moved_in = expected.moved_out = 1;
    EXPECT_EQ(only(checks.at(0)), expected);
    ASSERT_EQ(checks[0].movements.size(), 2u);
    const Movement& out = checks[0].movements[0];
    EXPECT_FALSE(out.into);
    EXPECT_EQ(out.opcode, "LDG.E");
    EXPECT_EQ(out.ptx_line, 13u) << "in the original text";
    const Movement& in = checks[0].movements[1];
    EXPECT_TRUE(in.into);
    EXPECT_EQ(in.opcode, "LDG.E.64");
    EXPECT_EQ(in.ptx_line, 16u);
}

TEST_F(Scopes, OwnCodeNeverCountsButSpillsDo) {
    instrument(marker("start a") + "\tadd.u32 %r1, %r2, %r3;\n" + marker("end a"));
    read_timer(1);
    emit(line_of("st.global"), "STG.E.64 [R2.64], R4");
    put("add.u32 %r1", "STL [R1], R5");
    read_timer(2);
    const std::vector<ScopeCheck> checks = check();
    KindCount spill = counted("local store", 0, 1);
    spill.added = 1;
    EXPECT_EQ(only(checks.at(0)), spill);
}

TEST_F(Scopes, WhatIsMergedIsGone) {
    instrument(marker("start a") + kFirst + marker("switch a b") + kSecond + marker("end b"));
    read_timer(1);
    put("[%rd1]", "LDG.E R1, [R2.64]");
    read_timer(2);
    read_timer(3);
    const std::vector<ScopeCheck> checks = check();
    ASSERT_EQ(checks.size(), 2u);
    EXPECT_EQ(only(checks[0]), counted("global load", 1, 1));
    KindCount gone = counted("global load", 1, 0);
    gone.gone = 1;
    EXPECT_EQ(only(checks[1]), gone);
}

TEST_F(Scopes, FollowBranchesAndUnrolledCopies) {
    instrument("LOOP:\n" + marker("start a") + "\t@%p1 bra SKIP;\n" + kFirst + "SKIP:\n" +
               marker("end a") + "\t@%p2 bra LOOP;\n" + kSecond);
    label(".L_x_0");
    for (const char* skip : {".L_x_1", ".L_x_2"}) {
        read_timer(1);
        put("@%p1 bra", std::string("@P1 BRA `(") + skip + ")");
        put("[%rd1]", "LDG.E R1, [R2.64]");
        label(skip);
        read_timer(2);
    }
    put("@%p2 bra", "@P2 BRA `(.L_x_0)");
    put("[%rd2]", "LDG.E R1, [R2.64]");
    emit(0, "EXIT");
    const std::vector<ScopeCheck> checks = check();
    EXPECT_EQ(checks.at(0).start_reads, 2u);
    EXPECT_EQ(only(checks.at(0)), counted("global load", 1, 2));
}

TEST_F(Scopes, AWayWithoutAnEndIsNoPartOfThem) {
    instrument(marker("start a") + "\t@%p1 bra OUT;\n" + kFirst + marker("end a") +
               "\tret;\nOUT:\n" + kSecond);
    read_timer(1);
    put("@%p1 bra", "@P1 BRA `(.L_x_1)");
    put("[%rd1]", "LDG.E R1, [R2.64]");
    read_timer(2);
    emit(0, "EXIT");
    label(".L_x_1");
    put("[%rd2]", "LDG.E R1, [R2.64]");
    emit(0, "EXIT");
    EXPECT_EQ(only(check().at(0)), counted("global load", 1, 1));
}

TEST_F(Scopes, InstructionsWithoutALineOfTheirOwnAreComparedByCount) {
    const std::string wgmma =
        "\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1}, %rd1, %rd2, 1, 1, 1;\n";
    instrument(marker("start a") + wgmma + wgmma + marker("end a") + wgmma);
    read_timer(1);
    const std::uint32_t wrong = line_of("ld.param.u64 %rd2");
    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    read_timer(2);
    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    EXPECT_EQ(only(check().at(0)), counted("wgmma", 2, 2));

    listing_.clear();
    read_timer(1);
    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    read_timer(2);
    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    KindCount moved = counted("wgmma", 2, 1);
    moved.moved_out = 1;
    EXPECT_EQ(only(check().at(0)), moved);

    emit(wrong, "HGMMA.64x8x16.F32 R1, gdesc[UR4], R1");
    KindCount unknown = counted("wgmma", 2, 1);
    unknown.is_compared = false;
    EXPECT_EQ(only(check().at(0)), unknown) << "four of three";
}

TEST_F(Scopes, InstructionsThatNeverRunDoNotCount) {
    instrument(marker("start a") + "\tadd.u32 %r1, %r2, %r3;\n" + marker("end a"));
    read_timer(1);
    put("add.u32 %r1", "@!PT LDS RZ, [RZ]");
    read_timer(2);
    EXPECT_TRUE(check().at(0).counts.empty());
}

TEST_F(Scopes, AStartThatIsNotInTheMachineCodeIsNotKnown) {
    instrument(marker("start a") + kFirst + marker("end a"));
    put("[%rd1]", "LDG.E R1, [R2.64]");
    read_timer(2);
    EXPECT_NE(check().at(0).unknown.find("no timer read"), std::string::npos);
}

TEST_F(Scopes, AnIndirectBranchWithoutTargetsIsNotKnown) {
    instrument(marker("start a") + kFirst + marker("end a"));
    read_timer(1);
    put("[%rd1]", "BRX R2 -0x100");
    read_timer(2);
    check();
    EXPECT_NE(unknown_.find("BRX"), std::string::npos);
}

TEST_F(Scopes, MixTellsOwnCodeFromTheRest) {
    instrument(marker("start a") + kFirst + marker("end a"));
    read_timer(1);
    put("[%rd1]", "LDG.E R1, [R2.64]");
    put("[%rd1]", "NOP");
    const std::string traced_text = "\t.section\t.text.k,\"ax\"\n" + listing_;
    const std::vector<Section> traced = read_listing(traced_text);
    const std::vector<Section> original =
        read_listing("\t.section\t.text.k,\"ax\"\n/*0000*/ LDG.E.64 R1, [R2.64] ;\n");
    const OwnLines own(instrumented_.inserted);
    const std::vector<MixRow> mix =
        compare_mix(sections_of(original, "k"), sections_of(traced, "k"), own, {});
    ASSERT_EQ(mix.size(), 2u);
    EXPECT_EQ(mix[0].family, "CS2R");
    EXPECT_EQ(mix[0].own, 1u);
    EXPECT_EQ(mix[1].family, "LDG");
    EXPECT_EQ(mix[1].original, 1u);
    EXPECT_EQ(mix[1].traced, 1u);
    EXPECT_EQ(mix[1].own, 0u);
}

}  // namespace

}  // namespace gwatch::fidelity
