#include "report/payload.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "make_run.h"
#include "report/html.h"
#include "report/slice_rows.h"
#include "unpack.h"

namespace gwatch::report {
namespace {

using testing::add_lane;
using testing::make_run;
using trace::PayloadKind;

constexpr PayloadKind kKinds[] = {PayloadKind::kSigned32,   PayloadKind::kUnsigned32,
                                  PayloadKind::kFloat32,    PayloadKind::kSigned64,
                                  PayloadKind::kUnsigned64, PayloadKind::kFloat64,
                                  PayloadKind::kBits};

std::uint64_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

TEST(Payload, TextSaysTheValueExactly) {
    EXPECT_EQ(payload_text(PayloadKind::kSigned32, 0xffffffff), "-1");
    EXPECT_EQ(payload_text(PayloadKind::kUnsigned32, 0xffffffff), "4294967295");
    EXPECT_EQ(payload_text(PayloadKind::kSigned64, 0xffffffff), "4294967295");
    EXPECT_EQ(payload_text(PayloadKind::kSigned64, ~0ull), "-1");
    EXPECT_EQ(payload_text(PayloadKind::kUnsigned64, ~0ull), "18446744073709551615");
    EXPECT_EQ(payload_text(PayloadKind::kBits, 0xdeadbeef), "0xdeadbeef");
    EXPECT_EQ(payload_text(PayloadKind::kFloat32, bits(0.1f)), "0.1");
    EXPECT_EQ(payload_text(PayloadKind::kFloat64, bits(0.1)), "0.1");
    EXPECT_EQ(payload_text(PayloadKind::kFloat32, bits(1e20f)), "1e+20");
    EXPECT_EQ(payload_text(PayloadKind::kFloat32, bits(16777216.0f)), "16777216");
    EXPECT_EQ(payload_text(PayloadKind::kFloat64, bits(0.0)), "0");
    EXPECT_EQ(payload_text(PayloadKind::kFloat64, bits(-double{INFINITY})), "-inf");
    EXPECT_EQ(payload_text(PayloadKind::kNone, 5), "");
}

TEST(Payload, JsonHasANumberWhereItIsExact) {
    EXPECT_EQ(payload_json(PayloadKind::kSigned64, 1ull << 53).dump(), "9007199254740992");
    EXPECT_EQ(payload_json(PayloadKind::kSigned64, (1ull << 53) + 1).dump(),
              "\"9007199254740993\"");
    EXPECT_EQ(payload_json(PayloadKind::kSigned64, 1ull << 63).dump(), "\"-9223372036854775808\"");
    EXPECT_EQ(payload_json(PayloadKind::kUnsigned64, ~0ull).dump(), "\"18446744073709551615\"");
    EXPECT_EQ(payload_json(PayloadKind::kUnsigned32, 7).dump(), "7");
    EXPECT_EQ(payload_json(PayloadKind::kBits, 255).dump(), "\"0xff\"");
    EXPECT_EQ(payload_json(PayloadKind::kFloat32, bits(0.1f)).dump(), "0.1");
    EXPECT_EQ(payload_json(PayloadKind::kFloat64, bits(double{NAN})).dump(), "\"nan\"");
}

TEST(Payload, RanksSortAsValuesAndComeBack) {
    std::mt19937_64 random(1);
    for (const PayloadKind kind : kKinds) {
        const bool is_narrow = kind == PayloadKind::kSigned32 || kind == PayloadKind::kUnsigned32 ||
                               kind == PayloadKind::kFloat32;
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t mask = is_narrow ? 0xffffffff : ~0ull;
            const std::uint64_t left = random() & mask, right = random() & mask;
            EXPECT_EQ(bits_of_rank(kind, payload_rank(kind, left)), left);
            const bool is_less = payload_rank(kind, left) < payload_rank(kind, right);
            if (number_type(kind) == NumberType::kFloat) {
                const double a = float_value(kind, left), b = float_value(kind, right);
                if (!std::isnan(a) && !std::isnan(b)) {
                    EXPECT_EQ(is_less, a < b) << a << " " << b;
                }
            } else if (number_type(kind) == NumberType::kSigned) {
                EXPECT_EQ(is_less, signed_value(kind, left) < signed_value(kind, right));
            } else {
                EXPECT_EQ(is_less, left < right);
            }
        }
    }
}

TEST(Payload, OnlyFiniteNumbersAreCounters) {
    EXPECT_TRUE(is_countable(PayloadKind::kUnsigned64, ~0ull));
    EXPECT_TRUE(is_countable(PayloadKind::kFloat32, bits(1.5f)));
    EXPECT_FALSE(is_countable(PayloadKind::kFloat32, bits(NAN)));
    EXPECT_FALSE(is_countable(PayloadKind::kBits, 5));
    EXPECT_FALSE(is_countable(PayloadKind::kNone, 5));
}

TEST(Payload, CursorFindsRowsInOrder) {
    const trace::Payloads payloads{{2, 5, 6}, {20, 50, 60}};
    PayloadCursor all(payloads);
    EXPECT_EQ(all.of(0), nullptr);
    EXPECT_EQ(*all.of(2), 20u);
    EXPECT_EQ(*all.of(6), 60u);
    EXPECT_EQ(all.of(7), nullptr);
    PayloadCursor later(payloads, 3);
    EXPECT_EQ(later.of(3), nullptr);
    EXPECT_EQ(*later.of(5), 50u);
}

/// Scopes load: int32, dot: float64, store: uint64; four slices, all but the second with a payload.
trace::Run make_payload_run() {
    trace::Run run = make_run();
    run.scopes[0].payload = PayloadKind::kSigned32;
    run.scopes[1].payload = PayloadKind::kFloat64;
    run.scopes[2].payload = PayloadKind::kUnsigned64;
    add_lane(run, 0, 0, 0, 100, {{0, 10, 0}, {10, 20, 0}, {20, 30, 1}, {30, 40, 2}});
    run.slices.payloads = {{0, 2, 3}, {0xffffffff, bits(0.5), ~0ull}};
    return run;
}

TEST(Payload, RowsPutEachValueIntoTheColumnOfItsType) {
    const trace::Run run = make_payload_run();
    const PayloadRows all = payload_rows(run, 0, 4);
    EXPECT_EQ(all.kind.valid, std::vector<std::uint8_t>{0b1101});
    EXPECT_EQ(all.kind.values[3], static_cast<std::int32_t>(PayloadKind::kUnsigned64));
    EXPECT_EQ(all.as_signed.valid, std::vector<std::uint8_t>{0b0001});
    EXPECT_EQ(all.as_signed.values[0], -1);
    EXPECT_EQ(all.as_float.valid, std::vector<std::uint8_t>{0b0100});
    EXPECT_EQ(all.as_float.values[2], 0.5);
    EXPECT_EQ(all.as_unsigned.valid, std::vector<std::uint8_t>{0b1000});
    EXPECT_EQ(all.as_unsigned.values[3], ~0ull);
    EXPECT_TRUE(payload_rows(run, 1, 2).kind.values.empty());
    const PayloadRows last = payload_rows(run, 3, 4);
    EXPECT_EQ(last.as_unsigned.valid, std::vector<std::uint8_t>{0b0001});
    EXPECT_EQ(last.as_unsigned.values, std::vector<std::uint64_t>{~0ull});
}

std::string page_of(const trace::Run& run) {
    trace::Trace trace;
    trace.runs.push_back(run);
    return to_html(trace, {"", ""}, "gwatch test");
}

TEST(Payload, PagesCarryThemOnlyWhereThereAreAny) {
    trace::Run run = make_payload_run();
    run.marks = {{0}, {15}, {0}, {1}, {{0}, {7}}};
    const std::string page = page_of(run);
    auto columns = testing::read_columns(page, 0);
    EXPECT_EQ(columns["slice.payload_row"], (std::vector<std::uint64_t>{0, 4, 2}));
    EXPECT_EQ(columns["slice.payload_low"][1], 0u);
    EXPECT_EQ(columns["slice.payload_high"],
              (std::vector<std::uint64_t>{0, bits(0.5) >> 32, 0xffffffff}));
    EXPECT_EQ(columns["mark.payload_low"], (std::vector<std::uint64_t>{7}));
    EXPECT_NE(page.find("\"payload\":\"s32\""), std::string::npos);
    EXPECT_EQ(columns.count("orphan_start.payload_row"), 0u);

    const std::string plain = page_of(make_run());
    EXPECT_EQ(plain.find("payload"), std::string::npos);
}

}  // namespace
}  // namespace gwatch::report
