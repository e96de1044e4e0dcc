#pragma once

#include <string>

#include "base/result.h"
#include "instrument/sites.h"
#include "record/plan.h"

namespace gwatch::record {

/// The records of one launch with all that is needed to decode them elsewhere.
struct RawCapture {
    RawRecords records;
    instrument::SiteTable sites;
    std::string facts;  ///< what is known of the launch and the build, as JSON text; may be empty
};

/// The capture as the bytes of a raw file: compressed, a few bytes a record.
std::string to_raw_bytes(const RawCapture& capture);

/// What to_raw_bytes() wrote. kArchive when it is none or broken; `name` is for the message.
Result<RawCapture> from_raw_bytes(const std::string& bytes, const std::string& name);

/// Writes to_raw_bytes(capture). kIo when it cannot.
Result<void> write_raw_file(const RawCapture& capture, const std::string& path);

/// Reads what write_raw_file wrote.
Result<RawCapture> read_raw_file(const std::string& path);

}  // namespace gwatch::record
