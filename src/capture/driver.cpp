#include "capture/driver.h"

namespace gwatch::capture {

std::string describe(Driver& driver, CUresult code) {
    const char* name = nullptr;
    const char* text = nullptr;
    driver.error_name(code, &name);
    driver.error_string(code, &text);
    std::string description = name ? name : "CUresult";
    description += " (" + std::to_string(static_cast<int>(code));
    if (text) description += std::string(", ") + text;
    return description + ")";
}

Result<void> check(Driver& driver, CUresult code, const char* call, const std::string& purpose) {
    if (code == CUDA_SUCCESS) return {};
    return Error{ErrorKind::kDriver,
                 std::string(call) + " failed " + purpose + ": " + describe(driver, code)};
}

}  // namespace gwatch::capture
