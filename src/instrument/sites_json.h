#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "instrument/sites.h"

namespace gwatch::instrument {

/// The table as JSON text, for tests and recorded captures; bytes that are no UTF-8 become U+FFFD.
std::string to_json(const SiteTable& table);

/// The table that to_json() wrote. kArchive when the text is none.
Result<SiteTable> sites_from_json(std::string_view text);

}  // namespace gwatch::instrument
