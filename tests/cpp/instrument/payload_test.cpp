// Values on starts and marks: what every placement writes for every kind.
#include <gtest/gtest.h>

#include <map>

#include "traced_kernel.h"

namespace gwatch::testing {
namespace {

using instrument::Placement;
using record::PayloadKind;

constexpr std::uint64_t kWide = 0x1'0000'0007;  ///< times the thread's number

/// Registers of all types that lanes differ in.
const std::string kValues =
    "\tmul.lo.u32 %r2, %r1, 3;\n\tadd.u32 %r2, %r2, -40;\n"
    "\tmov.u64 %rd1, 4294967303;\n\tcvt.u64.u32 %rd2, %r1;\n\tmul.lo.u64 %rd1, %rd1, %rd2;\n";

std::string carried(const std::string& words, const std::string& carrier) {
    return "\t// gwatch:" + words + "\n\t" + carrier + ";\n";
}

struct Carrier {
    const char* text;
    PayloadKind kind;
    bool is_wide_register = false;
    std::uint64_t constant = 0;
};
constexpr Carrier kRegisters[] = {{"mov.s32 %r7, %r2", PayloadKind::kSigned32},
                                  {"mov.u32 %r7, %r2", PayloadKind::kUnsigned32},
                                  {"mov.b32 %r7, %r2", PayloadKind::kUnsigned32},
                                  {"mov.f32 %r7, %r2", PayloadKind::kFloat32},
                                  {"mov.s64 %rd3, %rd1", PayloadKind::kSigned64, true},
                                  {"mov.u64 %rd3, %rd1", PayloadKind::kUnsigned64, true},
                                  {"mov.b64 %rd3, %rd1", PayloadKind::kBits, true},
                                  {"mov.f64 %rd3, %rd1", PayloadKind::kFloat64, true}};
constexpr Carrier kConstants[] = {
    {"mov.s32 %r7, -5", PayloadKind::kSigned32, false, 0xffff'fffb},
    {"mov.s32 %r7, 0", PayloadKind::kSigned32, false, 0},
    {"mov.u32 %r7, 1", PayloadKind::kUnsigned32, false, 1},
    {"mov.f32 %r7, 0fBF800000", PayloadKind::kFloat32, false, 0xbf80'0000},
    {"mov.s64 %rd3, -5", PayloadKind::kSigned64, true, ~4ull},
    {"mov.u64 %rd3, 0", PayloadKind::kUnsigned64, true, 0},
    {"mov.f64 %rd3, 0dBFF0000000000000", PayloadKind::kFloat64, true, 0xbff0'0000'0000'0000}};

std::uint64_t value_of(const Carrier& carrier, std::uint32_t thread) {
    if (carrier.is_wide_register) return kWide * thread;
    return static_cast<std::uint32_t>(3 * thread - 40);
}

/// Three marks of each block of `threads` threads, the middle one with a value.
Traced run_marks(const Carrier& carrier, std::optional<Placement> placement, std::uint32_t threads,
                 std::string* kernel_error = nullptr) {
    const std::string between = "\tadd.u32 %r3, %r1, 1;\n";
    const TracedKernel kernel(
        kernel_text(kValues + marker("mark a") + between + carried("mark b", carrier.text) +
                    between + marker("mark c") + "\tret;\n"),
        "k", placement);
    if (kernel_error != nullptr) *kernel_error = kernel.error();
    EXPECT_EQ(kernel.sites().sites[1].actions[0].payload, carrier.kind);
    Simulation simulation;
    simulation.block = {threads, 1, 1};
    return kernel.run({}, simulation);
}

std::vector<Event> events_at(const Traced& traced, std::uint16_t site) {
    std::vector<Event> found;
    for (const Event& event : traced.events) {
        if (event.site == site) found.push_back(event);
    }
    return found;
}

TEST(Payload, OfEveryKindWhereverItIsRecorded) {
    for (const Carrier& carrier : kRegisters) {
        for (const auto placement : {Placement::kProven, Placement::kUnknown, Placement::kParted}) {
            SCOPED_TRACE(::testing::Message() << carrier.text << static_cast<int>(placement));
            const Traced traced = run_marks(carrier, placement, 64);
            ASSERT_EQ(traced.failure, "");
            const auto found = events_at(traced, 2);
            ASSERT_EQ(found.size(), 2u);
            for (const Event& event : found) {
                EXPECT_EQ(event.payload, value_of(carrier, event.region * 32));
                EXPECT_EQ(event.is_cold, placement == Placement::kParted);
                EXPECT_FALSE(event.lacks_high_half);
            }
        }
    }
}

TEST(Payload, OfAConstantEvenOfZero) {
    for (const Carrier& carrier : kConstants) {
        for (const auto placement : {Placement::kProven, Placement::kUnknown, Placement::kParted}) {
            const Traced traced = run_marks(carrier, placement, 32);
            ASSERT_EQ(traced.failure, "") << carrier.text;
            ASSERT_EQ(events_at(traced, 2).size(), 1u);
            EXPECT_EQ(events_at(traced, 2)[0].payload, carrier.constant) << carrier.text;
        }
    }
}

TEST(Payload, IsARecordOfItsOwnAmongASeries) {
    const Traced traced = run_marks(kRegisters[0], std::nullopt, 32);
    ASSERT_EQ(traced.failure, "");
    ASSERT_EQ(traced.events.size(), 4u);
    for (std::uint16_t site = 1; site <= 3; ++site) EXPECT_EQ(traced.events[site - 1u].site, site);
    EXPECT_EQ(traced.events[1].payload, value_of(kRegisters[0], 0));
}

TEST(Payload, OfPartsOfAWarpIsTheirLowestLanes) {
    for (const Carrier& carrier : kRegisters) {
        const std::string body = kValues + "\tsetp.lt.u32 %p1, %r1, 11;\n\t@%p1 bra LOW;\n" +
                                 carried("mark upper", carrier.text) + "\tbra JOIN;\nLOW:\n" +
                                 carried("start lower", carrier.text) + "JOIN:\n\tret;\n";
        const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
        ASSERT_EQ(traced.failure, "");
        ASSERT_EQ(events_at(traced, 1).size(), 1u);
        ASSERT_EQ(events_at(traced, 2).size(), 1u);
        EXPECT_EQ(events_at(traced, 1)[0].payload, value_of(carrier, 11));
        EXPECT_EQ(events_at(traced, 2)[0].payload, value_of(carrier, 0));
    }
}

TEST(Payload, UnderAGuardIsThatOfTheLanesThatPass) {
    for (const Carrier& carrier : kRegisters) {
        const std::string guarded = "@!%p1 " + std::string(carrier.text);
        const std::string body =
            kValues + "\tsetp.lt.u32 %p1, %r1, 9;\n" + carried("mark some", guarded) + "\tret;\n";
        const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
        ASSERT_EQ(traced.failure, "");
        ASSERT_EQ(events_at(traced, 1).size(), 1u);
        EXPECT_EQ(events_at(traced, 1)[0].payload, value_of(carrier, 9));
    }
}

TEST(Payload, InADeviceFunction) {
    for (const Carrier& carrier : kRegisters) {
        const std::string function =
            ".func f\n{\n\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<4>;\n\tmov.u32 %r1, %tid.x;\n" +
            kValues + carried("mark inside", carrier.text) + "\tret;\n}\n";
        const TracedKernel kernel(kernel_text("\tcall f;\n\tcall f;\n\tret;\n", function));
        const Traced traced = kernel.run({}, {});
        ASSERT_EQ(traced.failure, "");
        const auto found = events_at(traced, 1);
        ASSERT_EQ(found.size(), 2u);
        for (const Event& event : found) EXPECT_EQ(event.payload, value_of(carrier, 0));
    }
}

/// Turns of a loop, each with a mark of a value that counts them in both halves.
TracedKernel counting_loop(std::uint32_t turns, Placement placement) {
    return TracedKernel(
        kernel_text("\tmov.u32 %r2, 0;\nLOOP:\n\tmul.wide.u32 %rd1, %r2, 2147483647;\n" +
                    carried("mark turn", "mov.u64 %rd3, %rd1") +
                    "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, " + std::to_string(turns) +
                    ";\n\t@%p1 bra LOOP;\n\tret;\n"),
        "k", placement);
}

TEST(Payload, HalvesMayStandInTwoChunks) {
    const Traced traced = counting_loop(200, Placement::kParted).run({}, {});
    ASSERT_EQ(traced.failure, "");
    const auto found = events_at(traced, 1);
    ASSERT_EQ(found.size(), 200u);
    for (std::uint64_t turn = 0; turn < 200; ++turn)
        EXPECT_EQ(found[turn].payload, turn * 2'147'483'647) << turn;
    EXPECT_EQ(traced.control.chunks_taken, (2 * 200 + 62) / 63u);
}

/// A chunk has 63 units: the last one of an odd number of chunks is a half alone.
TEST(Payload, WithoutItsSecondHalfAnEventIsStillThere) {
    for (std::uint32_t chunks = 0; chunks <= 4; ++chunks) {
        Memory layout;
        layout.pool_chunks = chunks;
        const Traced traced = counting_loop(200, Placement::kParted).run(layout, {});
        ASSERT_EQ(traced.failure, "");
        const auto found = events_at(traced, 1);
        const std::size_t units = 63 * chunks;
        ASSERT_EQ(found.size(), (units + 1) / 2);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].lacks_high_half, i == units / 2);
        }
        EXPECT_EQ(traced.control.dropped_events, 200 - found.size());
        EXPECT_EQ(traced.control.dropped_records, traced.control.dropped_events);
    }
}

TEST(Payload, OfAFullRegionGoesToThePoolOrIsDropped) {
    for (const auto placement : {Placement::kProven, Placement::kUnknown}) {
        Memory layout;
        layout.region_slots = 16;
        const Traced pooled = counting_loop(50, placement).run(layout, {});
        ASSERT_EQ(pooled.failure, "");
        const auto found = events_at(pooled, 1);
        ASSERT_EQ(found.size(), 50u);
        for (std::uint64_t turn = 0; turn < 50; ++turn)
            EXPECT_EQ(found[turn].payload, turn * 2'147'483'647) << turn;
        layout.pool_chunks = 0;
        const Traced dropped = counting_loop(50, placement).run(layout, {});
        ASSERT_EQ(dropped.failure, "");
        EXPECT_EQ(events_at(dropped, 1).size(), 5u);
        EXPECT_EQ(dropped.control.dropped_events, 45u);
    }
}

TEST(Payload, IsReadBeforeItsCarrierOverwritesIt) {
    const std::string body = "\tadd.u32 %r7, %r1, 5;\n" + carried("mark a", "mov.u32 %r7, %r7") +
                             carried("mark b", "mov.u32 %r7, 9") +
                             carried("mark c", "mov.u32 %r2, %r7") + "\tret;\n";
    for (const auto placement : {Placement::kProven, Placement::kUnknown}) {
        const Traced traced = TracedKernel(kernel_text(body), "k", placement).run({}, {});
        ASSERT_EQ(traced.failure, "");
        ASSERT_EQ(traced.events.size(), 4u);
        EXPECT_EQ(traced.events[0].payload, 5u);
        EXPECT_EQ(traced.events[1].payload, 9u);
        EXPECT_EQ(traced.events[2].payload, 9u);
    }
}

/// A record has room for one value, wherever its marker stands among the fused ones, and whatever
/// the other carriers overwrite.
TEST(Payload, OneOfFusedMarkersMayHaveOne) {
    const TracedKernel kernel(kernel_text(
        "\tadd.u32 %r6, %r1, 3;\n" + marker("end a") + "\t{\n\t.reg .b32 %r6;\n" +
        carried("end x", "mov.u32 %r6, 0") + "\t}\n" + carried("start b", "mov.s32 %r5, %r6") +
        marker("start c") + marker("mark d") + carried("mark e", "mov.s32 %r7, %r7") +
        carried("mark f", "mov.s32 %r7, 5") + "\tret;\n"));
    const auto& sites = kernel.sites().sites;
    ASSERT_EQ(sites.size(), 4u);
    ASSERT_EQ(sites[0].actions.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(sites[0].actions[i].payload, i == 2 ? PayloadKind::kSigned32  //
                                                      : PayloadKind::kNone);
    }
    EXPECT_EQ(sites[1].actions.size(), 1u);
    const Traced traced = kernel.run({}, {});
    ASSERT_EQ(traced.failure, "");
    ASSERT_EQ(traced.events.size(), 4u);
    EXPECT_EQ(traced.events[0].payload, 3u);
    EXPECT_EQ(traced.events[1].payload, 0u);
    EXPECT_EQ(traced.events[2].payload, 5u);
}

/// Names that would mean something else in the text of the injected code.
TEST(Payload, OfARegisterOfAnyName) {
    const std::string body =
        "\t{\n\t.reg .b32 %_cursor, $_back;\n\t.reg .pred %_p;\n\tadd.u32 %_cursor, %r1, 77;\n"
        "\tadd.u32 $_back, %r1, 78;\n\tsetp.lt.u32 %_p, %r1, 4;\n" +
        carried("mark a", "mov.u32 %r7, %_cursor") + carried("mark b", "mov.u32 %r7, $_back") +
        carried("mark c", "@%_p mov.u32 %r7, %_cursor") + "\t}\n\tret;\n";
    const Traced traced = TracedKernel(kernel_text(body)).run({}, {});
    ASSERT_EQ(traced.failure, "");
    ASSERT_EQ(traced.events.size(), 4u);
    EXPECT_EQ(events_at(traced, 1)[0].payload, 77u);
    EXPECT_EQ(events_at(traced, 2)[0].payload, 78u);
    EXPECT_EQ(events_at(traced, 3)[0].payload, 77u);
    EXPECT_EQ(events_at(traced, 3)[0].mask, 0xfu);
}

}  // namespace
}  // namespace gwatch::testing
