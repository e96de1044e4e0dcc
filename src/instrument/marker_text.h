#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "instrument/sites.h"

namespace gwatch::instrument {

/// A scope as a marker spells it: an id, or a name with its %XX decoded.
struct ScopeName {
    std::string name;      ///< the digits when it has an id
    std::int32_t id = -1;  ///< 0..65535, or -1 for a name
    bool operator==(const ScopeName&) const = default;
};

/// What a marker comment says.
struct MarkerText {
    Verb verb;
    std::vector<ScopeName>
        scopes;  ///< two for a switch: the one that ends, then the one that starts; else one
};

/// Whether the text of a `//` comment begins with `gwatch:`, blanks aside.
bool is_marker_comment(std::string_view comment);

/// Only for is_marker_comment(). The error's message says what is wrong with the text, not where it
/// stands.
Result<MarkerText> parse_marker_comment(std::string_view comment);

/// A name as a marker spells it, so that it is never an id. A byte that is no UTF-8 becomes a `?`.
std::string spell_name(std::string_view name);

}  // namespace gwatch::instrument
