#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gwatch::record {

/// How the bits of a payload, a value that a mark or start recorded, are to be read.
enum class PayloadKind : std::uint8_t {
    kNone,  ///< no value is recorded
    kSigned32,
    kUnsigned32,
    kFloat32,
    kSigned64,
    kUnsigned64,
    kFloat64,
    kBits  ///< an address, or values of several kinds: shown as hexadecimal digits
};

/// What files call the kinds, in the order of the enum.
inline constexpr std::array<std::string_view, 8> kPayloadNames = {"",    "s32", "u32", "f32",
                                                                  "s64", "u64", "f64", "bits"};

constexpr std::string_view payload_name(PayloadKind kind) {
    return kPayloadNames[static_cast<std::size_t>(kind)];
}

/// The kind of a name; nothing for one that is none.
constexpr std::optional<PayloadKind> payload_named(std::string_view name) {
    for (std::size_t i = 0; i < kPayloadNames.size(); ++i) {
        if (kPayloadNames[i] == name) return static_cast<PayloadKind>(i);
    }
    return std::nullopt;
}

/// Bits of a value of one kind: 0, 32 or 64.
constexpr std::uint32_t payload_bits(PayloadKind kind) {
    switch (kind) {
        case PayloadKind::kNone:
            return 0;
        case PayloadKind::kSigned32:
        case PayloadKind::kUnsigned32:
        case PayloadKind::kFloat32:
            return 32;
        default:
            return 64;
    }
}

/// The kind of values of either kind together.
constexpr PayloadKind common_payload(PayloadKind a, PayloadKind b) {
    if (a == b || b == PayloadKind::kNone) return a;
    return a == PayloadKind::kNone ? b : PayloadKind::kBits;
}

}  // namespace gwatch::record
