#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gwatch::trace {

/// The integer columns of one run's tables, by "table.column", and those of their payloads, by
/// "table.payloads.column"; of `bits` the 64 bits.
using Columns = std::map<std::string, std::vector<std::int64_t>>;

/// A parsed archive: all but the big columns as a tree.
struct ParsedArchive {
    nlohmann::json root;
    std::vector<Columns> columns;  ///< of each run
    std::string syntax_error;      ///< why the text is no JSON, else empty
    std::string column_error;  ///< the first column with something else than whole numbers of 64
                               ///< bits, else empty
};

/// Parses in one pass, columns straight into arrays.
ParsedArchive parse_archive(std::string_view text);

}  // namespace gwatch::trace
