#pragma once

#include <cupti_callbacks.h>
#include <cupti_result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace gwatch::capture {

/// CUpti_SubscriberParams as CUPTI 13.1 has it, so that older headers will do.
struct SubscriberParams {
    std::size_t struct_size;  ///< kSubscriberParamsSize or sizeof(SubscriberParams)
    const char* subscriber_name;
    char* old_subscriber_name;  ///< CUPTI writes here who is subscribed already
    std::size_t old_subscriber_size;
    std::uint8_t allow_multiple_subscribers;
    std::uint8_t padding[7];
};
inline constexpr std::size_t kSubscriberParamsSize =
    offsetof(SubscriberParams, allow_multiple_subscribers);
static_assert(kSubscriberParamsSize == 32 && sizeof(SubscriberParams) == 40);

/// The calls of one libcupti. Thread-safe.
class Cupti {
  public:
    virtual ~Cupti() = default;
    /// nullopt when this CUPTI has no cuptiSubscribe_v2 (before 13.0).
    virtual std::optional<CUptiResult> subscribe_v2(CUpti_SubscriberHandle* subscriber,
                                                    CUpti_CallbackFunc callback, void* user_data,
                                                    SubscriberParams* params) = 0;
    virtual CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                  void* user_data) = 0;
    virtual CUptiResult enable_callback(bool enable, CUpti_SubscriberHandle subscriber,
                                        CUpti_CallbackDomain domain, CUpti_CallbackId id) = 0;
    virtual CUptiResult unsubscribe(CUpti_SubscriberHandle subscriber) = 0;
    virtual std::string result_name(CUptiResult code) = 0;
    virtual std::string path() const = 0;
};

/// Opens the libcupti of one path or soname.
using OpenCupti = std::function<Result<std::unique_ptr<Cupti>>(const std::string& path)>;
Result<std::unique_ptr<Cupti>> open_cupti(const std::string& path);

/// Where libcupti is in this process already; empty if it is not.
std::string loaded_cupti_path();

/// Subscribed callbacks of one libcupti.
struct Subscription {
    std::unique_ptr<Cupti> cupti;
    CUpti_SubscriberHandle subscriber = nullptr;

    /// kCapture, naming the call, when CUPTI refuses.
    Result<void> enable(bool on, CUpti_CallbackId id);
};

/// Subscribes through the first path that opens. kCapture says who holds CUPTI, or what was tried.
Result<Subscription> subscribe(const std::vector<std::string>& paths, const OpenCupti& open,
                               CUpti_CallbackFunc callback, void* user_data);

/// What to try in order: the loaded libcupti alone, else the given paths and then the usual
/// sonames.
std::vector<std::string> cupti_candidates(const std::string& loaded_path,
                                          const std::vector<std::string>& given);

}  // namespace gwatch::capture
