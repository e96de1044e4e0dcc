#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

// The archive, trace.json: docs/format.md describes it, docs/trace.schema.json is its schema.
namespace gwatch::trace {

inline constexpr int kFormatVersion = 1;

/// The archive's text. `producer` is "gwatch 0.1.0".
std::string to_json(const Trace& trace, std::string_view producer);

/// kArchive when the text is no gwatch archive, is of a newer version, or contradicts itself;
/// `name` is for the message.
Result<Trace> from_json(std::string_view text, std::string_view name);

/// Writes to_json(trace) to a file, through gzip when the path ends in .gz. kIo when it cannot.
Result<void> write_archive(const Trace& trace, std::string_view producer, const std::string& path);

/// Reads what write_archive wrote.
Result<Trace> read_archive(const std::string& path);

}  // namespace gwatch::trace
