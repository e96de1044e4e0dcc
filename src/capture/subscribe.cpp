#include <algorithm>
#include <array>

#include "capture/cupti.h"

namespace gwatch::capture {

namespace {

constexpr CUptiResult kTaken = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
constexpr std::array kSonames{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

struct Attempt {
    CUptiResult code;
    std::string holder;  ///< who has CUPTI, when it is taken and CUPTI says so
};

/// Alone first; only when CUPTI is taken, as one of several subscribers (13.1 and later).
Attempt attempt_v2(Cupti& cupti, CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                   void* user_data) {
    std::array<char, 128> holder{};
    SubscriberParams params{kSubscriberParamsSize, "gwatch", holder.data(),
                            holder.size() - 1,     0,        {}};
    std::optional<CUptiResult> code = cupti.subscribe_v2(subscriber, callback, user_data, &params);
    if (code == kTaken) {
        SubscriberParams shared{sizeof(SubscriberParams), "gwatch", nullptr, 0, 1, {}};
        if (cupti.subscribe_v2(subscriber, callback, user_data, &shared) == CUPTI_SUCCESS) {
            code = CUPTI_SUCCESS;
        }
    }
    return {code.value_or(CUPTI_ERROR_NOT_SUPPORTED), holder.data()};
}

Attempt attempt(Cupti& cupti, CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                void* user_data) {
    Attempt made = attempt_v2(cupti, subscriber, callback, user_data);
    if (made.code == CUPTI_SUCCESS || made.code == kTaken) return made;
    return {cupti.subscribe(subscriber, callback, user_data), {}};
}

Error conflict(const std::string& path, const std::string& holder) {
    std::string who = holder.empty() ? "another profiler" : "another profiler (" + holder + ")";
    return {ErrorKind::kCapture, "CUPTI is taken: " + who + " is subscribed to it",
            "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39) from " + path,
            "One program at a time can subscribe: run without nsys, ncu, cuda-gdb and "
            "compute-sanitizer, stop "
            "Proton, and call init_cupti_hooks() before the first torch.profiler session (it keeps "
            "CUPTI after "
            "it ends)."};
}

Error none_worked(const std::string& tried) {
    return {ErrorKind::kCapture, "no usable CUPTI was found", tried,
            "Install it with: pip install nvidia-cuda-cupti (CUDA 12: nvidia-cuda-cupti-cu12), or "
            "set CUDA_HOME "
            "to a CUDA toolkit."};
}

}  // namespace

std::vector<std::string> cupti_candidates(const std::string& loaded_path,
                                          const std::vector<std::string>& given) {
    if (!loaded_path.empty()) return {loaded_path};
    std::vector<std::string> all = given;
    all.insert(all.end(), kSonames.begin(), kSonames.end());
    return all;
}

Result<Subscription> subscribe(const std::vector<std::string>& paths, const OpenCupti& open,
                               CUpti_CallbackFunc callback, void* user_data) {
    std::string tried;
    for (const std::string& path : paths) {
        Result<std::unique_ptr<Cupti>> cupti = open(path);
        if (!cupti.ok()) {
            tried += cupti.error().to_string() + "\n";
            continue;
        }
        Subscription subscription{std::move(cupti).value()};
        const Attempt made =
            attempt(*subscription.cupti, &subscription.subscriber, callback, user_data);
        if (made.code == CUPTI_SUCCESS) return subscription;
        if (made.code == kTaken) return conflict(path, made.holder);
        tried += path + ": cuptiSubscribe failed with " +
                 subscription.cupti->result_name(made.code) + "\n";
    }
    return none_worked(tried);
}

Result<void> Subscription::enable(bool on, CUpti_CallbackId id) {
    const CUptiResult code = cupti->enable_callback(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    if (code == CUPTI_SUCCESS) return {};
    return Error{ErrorKind::kCapture,
                 "cuptiEnableCallback failed for driver call " + std::to_string(id) + ": " +
                     cupti->result_name(code),
                 cupti->path(), "gwatch needs the CUPTI of CUDA 12 or later."};
}

}  // namespace gwatch::capture
