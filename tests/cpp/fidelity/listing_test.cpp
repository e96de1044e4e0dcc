#include "fidelity/listing.h"

#include <gtest/gtest.h>

namespace gwatch::fidelity {

namespace {

constexpr char kListing[] =
    "nvdisasm warning : something\n"
    "\t.target\tsm_90a\n\n"
    "//--------------------- .text.other              --------------------------\n"
    "\t.section\t.text.other,\"ax\",@progbits\n"
    "        .other          other,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n"
    "        /*0000*/                   EXIT ;\n"
    "\t.section\t.text.k,\"ax\",@progbits\n"
    "\t.sectioninfo\t@\"SHI_REGISTERS=20\"\n"
    "        .other          k,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n"
    "k:\n"
    ".text.k:\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "\t//## File \".nv_debug_ptx_txt\", line 25\n"
    "        /*0010*/              @!P0 BRA `(.L_x_0) ;\n"
    "        /*0020*/                   CS2R R14, SR_CLOCKLO ;\n"
    ".L_x_0:\n"
    "\t//## File \"/some/k.cu\", line 7\n"
    "        /*12340*/             @UP1 UTMALDG.2D [UR8], [UR4] ;\n"
    "\t.section\t.debug_line,\"\",@progbits\n"
    "        /*0000*/ .byte 0x00\n";

TEST(Listing, ReadsSectionsInstructionsLinesAndLabels) {
    const std::vector<Section> sections = read_listing(kListing);
    ASSERT_EQ(sections.size(), 2u);
    EXPECT_EQ(sections[0].name, "other");
    EXPECT_EQ(sections[1].name, "k");
    EXPECT_TRUE(sections[1].is_entry);
    const std::vector<MachineInstruction>& code = sections[1].instructions;
    ASSERT_EQ(code.size(), 4u);
    EXPECT_EQ(code[0].ptx_line, 0u);
    EXPECT_EQ(code[0].opcode, "LDC");
    EXPECT_EQ(code[0].operands, "R1, c[0x0][0x28]");
    EXPECT_EQ(code[1].guard, "@!P0");
    EXPECT_EQ(code[1].opcode, "BRA");
    EXPECT_EQ(code[1].operands, "`(.L_x_0)");
    EXPECT_EQ(code[2].ptx_line, 25u) << "a line holds until the next";
    EXPECT_TRUE(code[2].labels.empty());
    EXPECT_EQ(code[3].labels, std::vector<std::string_view>{".L_x_0"});
    EXPECT_EQ(code[3].ptx_line, 0u) << "a line of another file is no PTX line";
    EXPECT_EQ(code[3].opcode, "UTMALDG.2D");
}

TEST(Listing, AnythingElseIsNoCode) {
    EXPECT_TRUE(read_listing("").empty());
    EXPECT_TRUE(read_listing("nvdisasm fatal : no such file\n/*0000*/ EXIT ;\n").empty());
}

}  // namespace

}  // namespace gwatch::fidelity
