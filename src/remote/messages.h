#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"

namespace gwatch::remote {

/// What a traced program says first.
struct Hello {
    std::int64_t process_id = 0;
    std::string program;
};

/// What it gets as an answer: what to trace, and where CUPTI may be.
struct Orders {
    capture::Options options;
    std::vector<std::string> cupti_paths;
};

/// What a traced program sends: Hello first; LaunchInfo asks for a traced build, and an answer
/// comes; then what was captured, or why nothing could be.
using Message = std::variant<Hello, capture::LaunchInfo, capture::CaptureResult, Error>;

/// The answer to a LaunchInfo.
using Answer = std::variant<capture::PreparedKernel, Error>;

std::string to_bytes(const Message& message);
std::string to_bytes(const Orders& orders);
std::string to_bytes(const Answer& answer);

/// kCapture when the bytes are of another build of gwatch, or cut off.
Result<Message> message_from(std::string_view bytes);
Result<Orders> orders_from(std::string_view bytes);
Result<Answer> answer_from(std::string_view bytes);

}  // namespace gwatch::remote
