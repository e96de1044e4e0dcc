#pragma once

#include <cupti.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "capture/cupti.h"

namespace gwatch::capture {

/// The state of a fake libcupti; outlives the Cupti objects that are made of it.
struct FakeCuptiState {
    bool has_v2 = true;
    CUptiResult v2_alone = CUPTI_SUCCESS;
    CUptiResult v2_shared = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    CUptiResult v1 = CUPTI_SUCCESS;
    std::string holder;
    std::set<CUpti_CallbackId> refused;

    std::vector<std::string> calls;
    std::mutex mutex;
    std::set<CUpti_CallbackId> enabled;
    CUpti_CallbackFunc callback = nullptr;
    void* user_data = nullptr;
    std::atomic<std::uint32_t> correlation_id = 0;

    bool is_enabled(CUpti_CallbackId id) {
        const std::lock_guard lock(mutex);
        return enabled.contains(id);
    }

    /// Makes a driver call: enter callback, what the driver does, exit callback. `run` gives the
    /// return code.
    template <class Parameters>
    CUresult call(CUpti_CallbackId id, Parameters& parameters, const char* symbol_name,
                  const std::function<CUresult()>& run) {
        CUpti_CallbackData data{};
        CUresult code = CUDA_SUCCESS;
        data.functionParams = &parameters;
        data.functionReturnValue = &code;
        data.symbolName = symbol_name;
        data.correlationId = ++correlation_id;
        data.callbackSite = CUPTI_API_ENTER;
        if (is_enabled(id)) callback(user_data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
        code = run();
        data.callbackSite = CUPTI_API_EXIT;
        if (is_enabled(id)) callback(user_data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
        return code;
    }
};

class FakeCupti : public Cupti {
  public:
    FakeCupti(FakeCuptiState& state, std::string path) : state_(state), path_(std::move(path)) {}

    std::optional<CUptiResult> subscribe_v2(CUpti_SubscriberHandle* subscriber,
                                            CUpti_CallbackFunc callback, void* user_data,
                                            SubscriberParams* params) override {
        if (!state_.has_v2) return std::nullopt;
        const bool shared = params->struct_size > kSubscriberParamsSize;
        state_.calls.push_back(shared ? "v2 shared" : "v2");
        const CUptiResult code = shared ? state_.v2_shared : state_.v2_alone;
        if (params->old_subscriber_name) {
            state_.holder.copy(params->old_subscriber_name, params->old_subscriber_size);
        }
        return keep(code, subscriber, callback, user_data);
    }
    CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                          void* user_data) override {
        state_.calls.push_back("v1");
        return keep(state_.v1, subscriber, callback, user_data);
    }
    CUptiResult enable_callback(bool enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) override {
        if (domain != CUPTI_CB_DOMAIN_DRIVER_API || state_.refused.contains(id)) {
            return CUPTI_ERROR_INVALID_PARAMETER;
        }
        const std::lock_guard lock(state_.mutex);
        if (enable) {
            state_.enabled.insert(id);
        } else {
            state_.enabled.erase(id);
        }
        return CUPTI_SUCCESS;
    }
    CUptiResult unsubscribe(CUpti_SubscriberHandle) override {
        state_.calls.push_back("unsubscribe");
        state_.enabled.clear();
        return CUPTI_SUCCESS;
    }
    std::string result_name(CUptiResult code) override {
        return "CUPTI_ERROR (" + std::to_string(static_cast<int>(code)) + ")";
    }
    std::string path() const override { return path_; }

  private:
    CUptiResult keep(CUptiResult code, CUpti_SubscriberHandle* subscriber,
                     CUpti_CallbackFunc callback, void* user_data) {
        if (code != CUPTI_SUCCESS) return code;
        *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state_);
        state_.callback = callback;
        state_.user_data = user_data;
        return code;
    }

    FakeCuptiState& state_;
    std::string path_;
};

inline OpenCupti opens(FakeCuptiState& state) {
    return [&state](const std::string& path) -> Result<std::unique_ptr<Cupti>> {
        return std::unique_ptr<Cupti>(std::make_unique<FakeCupti>(state, path));
    };
}

}  // namespace gwatch::capture
