#include "instrument/iket.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "instrument/instrument.h"

namespace gwatch::instrument {
namespace {

constexpr const char* kMeta =
    ".visible .global .align 1 .b8 __iket_meta_info[48] = {48, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, "
    "31, 0, 0, 0, 32, 0, 0, 0, 60, 0, 0, 0, 157, 241, 190, 186, 0, 0, 0, 0, 3};\n";
constexpr int kMark = 0;
constexpr int kPush = 1;
constexpr int kRange = 4;
constexpr int kPop = 31;

std::string declaration(int number, const std::string& name, int kind, int method = 3,
                        int type = 0) {
    std::string text = ".visible .global .align 1 .b8 __iket_evt_decl_e_" + std::to_string(number) +
                       "_attrs[60] = {60, 0, 0, 0, " + std::to_string(number) + ", 0, 0, 0, " +
                       std::to_string(method) + ", 0, 0, 0, " + std::to_string(type) +
                       ", 0, 0, 0, " + std::to_string(kind) + ", 0, 0, 0, 1, 2, 3, 4, " +
                       std::to_string(name.size()) + ", 0, 0, 0";
    for (const char c : name)
        text += ", " + std::to_string(static_cast<unsigned>(static_cast<unsigned char>(c)));
    return text + "};\n";
}

std::string event(int number) {
    const std::string n = std::to_string(number);
    return "\t// begin inline asm\n\t{\n\t.reg .b32 %r, %t;\n\tmov.b32 %r, %cluster_ctarank;\n"
           "\tmov.u32 %t, %globaltimer_lo;\n\tor.b32 %t, %t, " +
           n +
           ";\n\tmad.lo.u32 %r, %r, 0x1000000, 0x3F0;\n\tst.weak.shared.u32 [%r], %t;\n"
           "\tpmevent.mask " +
           n + ";\n\t}\n\t// end inline asm\n";
}

std::string event_with_payload(int number, const std::string& bits, const std::string& value) {
    const std::string n = std::to_string(number);
    return "{\n.reg .pred %p;\n.reg .b32 %r, %t, %mask;\n.reg .b" + bits + " %payload" + bits +
           ";\nactivemask.b32 %mask;\nelect.sync _|%p, %mask;\nmov.b32 %r, %cluster_ctarank;\n"
           "mov.u32 %t, %globaltimer_lo;\nor.b32 %t, %t, " +
           n + ";\nmad.lo.u32 %r, %r, 0x1000000, 0x3F0;\nmov.b" + bits + " %payload" + bits + ", " +
           value + ";\n@%p st.weak.shared.u32 [%r], %t;\n@%p st.weak.shared.b" + bits +
           " [%r+8], %payload" + bits + ";\npmevent.mask " + n + ";\n}\n";
}

std::string extended_event(int number) {
    const std::string n = std::to_string(number);
    return "{\n.reg .b32 %r, %t, %evtid;\n.reg .b64 %ts_evtid;\n.loc 1 3 4\n"
           "mov.b32 %r, %cluster_ctarank;\n.loc 1 4 4\nmov.u32 %t, %globaltimer_lo;\n"
           "mad.lo.u32 %r, %r, 0x1000000, 0x20;\nmov.b32 %evtid, " +
           n + ";\nmov.b64 %ts_evtid, {%t, %evtid};\nst.weak.shared.u64 [%r], %ts_evtid;\n" +
           "pmevent.mask " + n + ";\n}\n";
}

std::string extended_event_with_payload(int number, const std::string& value) {
    const std::string n = std::to_string(number);
    return "{\n.reg .pred %p;\n.reg .b32 %r, %t, %mask, %evtid;\n"
           ".reg .b64 %ts_evtid, %payload64;\nactivemask.b32 %mask;\nelect.sync _|%p, %mask;\n"
           "mov.b32 %r, %cluster_ctarank;\nmov.u32 %t, %globaltimer_lo;\n"
           "mad.lo.u32 %r, %r, 0x1000000, 0x3F0;\nmov.b32 %evtid, " +
           n + ";\nmov.b64 %payload64, " + value +
           ";\nmov.b64 %ts_evtid, {%t, %evtid};\n@%p st.weak.shared.u64 [%r], %ts_evtid;\n"
           "@%p st.weak.shared.b64 [%r+8], %payload64;\npmevent.mask " +
           n + ";\n}\n";
}

std::string module_of(const std::string& tables, const std::string& body) {
    return ".version 9.0\n.target sm_90a\n.address_size 64\n.file 1 \"k.py\"\n" + tables +
           ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
           ".reg .b64 %rd<9>;\n" +
           body + "ret;\n}\n";
}

const std::string kTables = std::string(kMeta) + declaration(1, "load", kRange) +
                            declaration(2, "outer", kPush) + declaration(3, "inner", kPush) +
                            declaration(4, "here", kMark) + declaration(5, "store", kRange);

std::string converted(const std::string& text) {
    const auto module = ptx::parse(text);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().to_string());
    if (!module.ok()) return {};
    const auto result = iket_to_markers(*module);
    return result.ok() ? *result : result.error().to_string();
}

/// "start load" and so on, as the instrumenter reads the text of the conversion.
std::vector<std::string> markers_of(const std::string& body, const std::string& tables = kTables) {
    const std::string text = converted(module_of(tables, body));
    const auto module = ptx::parse(text);
    if (!module.ok()) return {text};
    SiteTable table;
    const auto markers = list_markers(*module, "", &table);
    if (!markers.ok()) return {markers.error().to_string()};
    std::vector<std::string> found;
    for (const Marker& marker : *markers) {
        const char* verb = marker.verb == Verb::kStart ? "start"
                           : marker.verb == Verb::kEnd ? "end"
                                                       : "mark";
        found.push_back(std::string(verb) + " " + table.scopes[marker.scope].name);
    }
    return found;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

using Strings = std::vector<std::string>;

TEST(Iket, ABlockBecomesAMarker) {
    EXPECT_EQ(converted(module_of(kTables, "mov.u32 %r1, 1;\n" + event(4) + "mov.u32 %r2, 2;\n")),
              module_of(kTables,
                        "mov.u32 %r1, 1;\n\t// begin inline asm\n\t{\n\t.reg .b32 "
                        "%gwatch_carrier;\n\t// gwatch:mark here\n\tmov.u32 %gwatch_carrier, "
                        "0;\n\t}\n\t// end inline asm\nmov.u32 %r2, 2;\n"));
}

TEST(Iket, EveryFormIsRead) {
    EXPECT_EQ(markers_of(event(4) + event_with_payload(4, "32", "%r3") + extended_event(4) +
                         extended_event_with_payload(4, "%rd2")),
              Strings(4, "mark here"));
}

TEST(Iket, APayloadIsWhatTheCarrierMoves) {
    const std::string text = converted(module_of(
        kTables, event_with_payload(4, "32", "%r3") + event_with_payload(4, "64", "%rd2") +
                     extended_event_with_payload(4, "%rd3")));
    EXPECT_NE(text.find("mov.b32 %gwatch_carrier, %r3;"), std::string::npos) << text;
    EXPECT_NE(text.find("mov.b64 %gwatch_carrier, %rd2;"), std::string::npos) << text;
    EXPECT_NE(text.find("mov.b64 %gwatch_carrier, %rd3;"), std::string::npos) << text;
}

TEST(Iket, TheTableSaysHowAPayloadIsRead) {
    struct Case {
        int type;
        const char* bits;
        const char* expected;
    };
    constexpr Case kCases[] = {{5, "32", "\tmov.s32 %gwatch_carrier, %r3;"},
                               {6, "32", "\tmov.u32 %gwatch_carrier, %r3;"},
                               {13, "32", "\tmov.f32 %gwatch_carrier, %r3;"},
                               {7, "64", "\tmov.s64 %gwatch_carrier, %r3;"},
                               {14, "64", "\tmov.f64 %gwatch_carrier, %r3;"},
                               {7, "32", "\tmov.b32 %gwatch_carrier, %r3;"},
                               {99, "64", "\tmov.b64 %gwatch_carrier, %r3;"},
                               {1, "32",
                                "\tmov.b32 %gwatch_carrier, %r3;\n"
                                "\tcvt.s32.s8 %gwatch_carrier, %gwatch_carrier;\n"
                                "\t// gwatch:mark here\n"
                                "\tmov.s32 %gwatch_carrier, %gwatch_carrier;"},
                               {3, "32",
                                "\tmov.b32 %gwatch_carrier, %r3;\n"
                                "\tcvt.s32.s16 %gwatch_carrier, %gwatch_carrier;\n"
                                "\t// gwatch:mark here\n"
                                "\tmov.s32 %gwatch_carrier, %gwatch_carrier;"}};
    for (const Case& one : kCases) {
        const std::string text =
            converted(module_of(std::string(kMeta) + declaration(4, "here", kMark, 3, one.type),
                                event_with_payload(4, one.bits, "%r3")));
        EXPECT_NE(text.find(one.expected), std::string::npos) << text;
    }
}

TEST(Iket, ARangesEndHasNoPayload) {
    const std::string text = converted(module_of(
        kTables, event_with_payload(1, "32", "%r3") + event_with_payload(1, "32", "%r4")));
    EXPECT_NE(text.find("// gwatch:start load\n\tmov.b32 %gwatch_carrier, %r3;"), std::string::npos)
        << text;
    EXPECT_NE(text.find("// gwatch:end load\n\tmov.u32 %gwatch_carrier, 0;"), std::string::npos)
        << text;
}

TEST(Iket, TheSourceLineIsTheOneBeforeTheBlock) {
    const auto module = ptx::parse(
        converted(module_of(kTables, ".loc 1 7 0\n" + extended_event(4) + ".loc 1 9 0\n")));
    ASSERT_TRUE(module.ok());
    SiteTable table;
    const auto markers = list_markers(*module, "", &table);
    ASSERT_TRUE(markers.ok());
    ASSERT_EQ(markers->size(), 1u);
    EXPECT_EQ((*markers)[0].source.line, 7u);
}

TEST(Iket, RangesStartAndEndInTurns) {
    EXPECT_EQ(markers_of(event(1) + event(1) + event(1) + event(1)),
              (Strings{"start load", "end load", "start load", "end load"}));
    EXPECT_EQ(markers_of(event(1) + event(5) + event(1) + event(5)),
              (Strings{"start load", "start store", "end load", "end store"}));
    EXPECT_EQ(markers_of("L:\n" + event(1) + event(1) + "@%p1 bra L;\n"),
              (Strings{"start load", "end load"}));
}

TEST(Iket, ARangeThatTwoBranchesEnd) {
    EXPECT_EQ(markers_of(event(1) + "@%p1 bra ELSE;\n" + event(1) + "bra.uni DONE;\nELSE:\n" +
                         event(1) + "DONE:\n" + event(1) + event(1)),
              (Strings{"start load", "end load", "end load", "start load", "end load"}));
}

TEST(Iket, BlocksOutOfTextOrder) {
    EXPECT_EQ(markers_of("bra.uni FIRST;\nSECOND:\n" + event(1) + "ret;\nFIRST:\n" + event(1) +
                         "bra.uni SECOND;\n"),
              (Strings{"end load", "start load"}));
}

TEST(Iket, ARangeThatIsBegunInOneTurnAndEndedInTheNext) {
    EXPECT_EQ(markers_of("mov.pred %p1, 0;\nLOOP:\n@!%p1 bra SKIP;\n" + event(1) + "SKIP:\n" +
                         event(1) + "mov.pred %p1, -1;\n@%p2 bra LOOP;\n" + event(1)),
              (Strings{"end load", "start load", "end load"}));
}

TEST(Iket, APopEndsTheLatestPush) {
    EXPECT_EQ(markers_of(event(2) + event(3) + event(kPop) + event(kPop)),
              (Strings{"start outer", "start inner", "end inner", "end outer"}));
    EXPECT_EQ(markers_of(event(2) + "@%p1 bra SKIP;\n" + event(3) + event(kPop) + "SKIP:\n" +
                         event(kPop)),
              (Strings{"start outer", "start inner", "end inner", "end outer"}));
    EXPECT_EQ(markers_of("LOOP:\n" + event(2) + event(kPop) + "@%p1 bra LOOP;\n"),
              (Strings{"start outer", "end outer"}));
}

TEST(Iket, NamesAreSpelledAsMarkersSpellThem) {
    const std::string tables = std::string(kMeta) + declaration(1, "two words", kMark) +
                               declaration(2, "12", kMark) +
                               declaration(3, "gr\xC3\xB6\xC3\x9F", 0);
    EXPECT_EQ(markers_of(event(1) + event(2) + event(3), tables),
              (Strings{"mark two words", "mark 12", "mark gr\xC3\xB6\xC3\x9F"}));
    const std::string text = converted(module_of(tables, event(1) + event(2)));
    EXPECT_NE(text.find("// gwatch:mark two%20words\n"), std::string::npos) << text;
    EXPECT_NE(text.find("// gwatch:mark %312\n"), std::string::npos) << text;
}

TEST(Iket, APopHasItsNumberInExtendedTablesToo) {
    const std::string tables = replaced(kTables, "31, 0, 0, 0, 32", "255, 15, 0, 0, 32") +
                               declaration(64, "first", kPush, 5);
    EXPECT_EQ(markers_of(extended_event(64) + extended_event(kPop), tables),
              (Strings{"start first", "end first"}));
}

TEST(Iket, OtherTextsStayAsTheyAre) {
    const std::string plain = module_of("", event(4));
    EXPECT_EQ(converted(plain), plain);
    const std::string other_event = module_of(kTables, "pmevent 1;\npmevent.mask 2;\n");
    EXPECT_EQ(converted(other_event), other_event);
}

TEST(Iket, UnknownTablesAreRefused) {
    const std::string good = module_of(kTables, event(4));
    const std::string expected = "the kernel's IKET tables are of an unknown version";
    const std::vector<std::pair<std::string, std::string>> edits = {
        {"5, 0, 0, 0, 31", "6, 0, 0, 0, 31"},
        {"31, 0, 0, 0, 32", "63, 0, 0, 0, 32"},
        {"157, 241", "158, 241"},
        {"0, 0, 0, 0, 3};", "0, 0, 0, 0, 4};"},
        {"meta_info[48]", "meta_info[52]"},
        {"{48, 0", "{52, 0"},
        {"_attrs[60]", "_attrs[64]"},
        {"3, 0, 0, 0, 0, 0, 0, 0, 4", "7, 0, 0, 0, 0, 0, 0, 0, 4"},
        {"0, 0, 0, 0, 4, 0, 0, 0, 1", "0, 0, 0, 0, 2, 0, 0, 0, 1"},
        {"4, 0, 0, 0, 108", "33, 0, 0, 0, 108"},
        {"4, 0, 0, 0, 108", "0, 0, 0, 0, 108"},
        {"108, 111", "508, 111"},
    };
    for (const auto& [from, to] : edits) {
        const std::string said = converted(replaced(good, from, to));
        EXPECT_TRUE(said.starts_with(expected)) << from << " -> " << to << "\n" << said;
        EXPECT_NE(said.find("4.7 and 4.8"), std::string::npos);
    }
    const std::string without_meta = converted(module_of(declaration(4, "here", 0), event(4)));
    EXPECT_TRUE(without_meta.starts_with(expected)) << without_meta;
}

TEST(Iket, UnknownFormsAreRefusedWithTheirPlaceAndText) {
    const std::string said =
        converted(module_of(kTables, replaced(event(4), "st.weak", "st.relaxed.cta")));
    EXPECT_NE(said.find(": an IKET event of a form that is not known\n{"), std::string::npos)
        << said;
    EXPECT_NE(said.find("st.relaxed.cta.shared.u32 [%r], %t;"), std::string::npos) << said;
    const std::string other_number =
        converted(module_of(kTables, replaced(event(4), "pmevent.mask 4", "pmevent.mask 5")));
    EXPECT_NE(other_number.find("of a form that is not known"), std::string::npos) << other_number;
}

TEST(Iket, EventsThatCannotBeToldAreRefused) {
    EXPECT_EQ(markers_of(event(9)), Strings{"the kernel's IKET tables have no event 9"});
    const std::string said = markers_of(event(kPop))[0];
    EXPECT_TRUE(said.starts_with("an IKET range is popped that was not pushed")) << said;
    const std::string in_function = converted(".version 9.0\n.target sm_90a\n.address_size 64\n" +
                                              kTables + ".func f()\n{\n" + event(4) + "ret;\n}\n");
    EXPECT_TRUE(in_function.starts_with("IKET events in the device function f")) << in_function;
}

}  // namespace
}  // namespace gwatch::instrument
