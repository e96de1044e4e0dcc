#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "instrument/marker_text.h"
#include "ptx/module.h"
#include "record/payload.h"

namespace gwatch::instrument {

/// The value that a carrier moves.
struct CarriedPayload {
    record::PayloadKind kind = record::PayloadKind::kNone;
    std::string_view opcode = {};  ///< of the carrier: "mov.f32"
    std::string_view source = {};  ///< its source operand
};

/// A marker comment with its carrier, the mov right behind it.
struct FoundMarker {
    MarkerText text;
    std::uint32_t comment_token;   ///< index of the comment in Module::tokens()
    std::uint32_t next_statement;  ///< the first one behind the comment: it knows the source line
    std::uint32_t carrier;         ///< index of the mov in Module::statements()
    CarriedPayload payload = {};   ///< none when the carrier is `mov.u32 x, 0`
};

/// The markers of a function with a body, in text order. Only blanks, .loc and a .loc's own comment
/// may stand between comment and carrier; a comment without a carrier is none. kInstrument, with
/// line and text, for one whose text is not a marker's, or whose carrier moves a value that it
/// cannot record.
Result<std::vector<FoundMarker>> find_markers(const ptx::Module& module,
                                              const ptx::Function& function);

}  // namespace gwatch::instrument
