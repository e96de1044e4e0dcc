#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "instrument/marker_text.h"
#include "ptx/module.h"

namespace gwatch::instrument {

/// A marker comment with its carrier, the mov right behind it.
struct FoundMarker {
    MarkerText text;
    std::uint32_t comment_token;   ///< index of the comment in Module::tokens()
    std::uint32_t next_statement;  ///< the first one behind the comment: it knows the source line
    std::uint32_t carrier;         ///< index of the mov in Module::statements()
};

/// The markers of a function with a body, in text order. Only blanks, .loc and a .loc's own comment
/// may stand between comment and carrier; a comment without a carrier is none. kInstrument, with
/// line and text, for one whose text is not a marker's.
Result<std::vector<FoundMarker>> find_markers(const ptx::Module& module,
                                              const ptx::Function& function);

}  // namespace gwatch::instrument
