#include <dlfcn.h>
#include <link.h>

#include "capture/cupti.h"

namespace gwatch::capture {

namespace {

template <class Function>
Function symbol(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

using SubscribeV2 = CUptiResult(CUPTIAPI*)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                                           SubscriberParams*);

class RealCupti : public Cupti {
  public:
    RealCupti(void* library, std::string path)
        : path_(std::move(path)),
          subscribe_v2_(symbol<SubscribeV2>(library, "cuptiSubscribe_v2")),
          subscribe_(symbol<decltype(&cuptiSubscribe)>(library, "cuptiSubscribe")),
          unsubscribe_(symbol<decltype(&cuptiUnsubscribe)>(library, "cuptiUnsubscribe")),
          enable_callback_(symbol<decltype(&cuptiEnableCallback)>(library, "cuptiEnableCallback")),
          result_string_(symbol<decltype(&cuptiGetResultString)>(library, "cuptiGetResultString")) {
    }

    bool is_complete() const { return subscribe_ && unsubscribe_ && enable_callback_; }

    std::optional<CUptiResult> subscribe_v2(CUpti_SubscriberHandle* subscriber,
                                            CUpti_CallbackFunc callback, void* user_data,
                                            SubscriberParams* params) override {
        if (!subscribe_v2_) return std::nullopt;
        return subscribe_v2_(subscriber, callback, user_data, params);
    }
    CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                          void* user_data) override {
        return subscribe_(subscriber, callback, user_data);
    }
    CUptiResult enable_callback(bool enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) override {
        return enable_callback_(enable ? 1 : 0, subscriber, domain, id);
    }
    CUptiResult unsubscribe(CUpti_SubscriberHandle subscriber) override {
        return unsubscribe_(subscriber);
    }
    std::string result_name(CUptiResult code) override {
        const char* name = nullptr;
        if (result_string_) result_string_(code, &name);
        return (name ? name : "CUptiResult") + std::string(" (") +
               std::to_string(static_cast<int>(code)) + ")";
    }
    std::string path() const override { return path_; }

  private:
    std::string path_;
    SubscribeV2 subscribe_v2_;
    decltype(&cuptiSubscribe) subscribe_;
    decltype(&cuptiUnsubscribe) unsubscribe_;
    decltype(&cuptiEnableCallback) enable_callback_;
    decltype(&cuptiGetResultString) result_string_;
};

int keep_cupti_path(dl_phdr_info* library, std::size_t, void* found) {
    const std::string path = library->dlpi_name ? library->dlpi_name : "";
    if (path.find("libcupti.so") == std::string::npos) return 0;
    *static_cast<std::string*>(found) = path;
    return 1;
}

}  // namespace

std::string loaded_cupti_path() {
    std::string found;
    dl_iterate_phdr(keep_cupti_path, &found);
    return found;
}

Result<std::unique_ptr<Cupti>> open_cupti(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return Error{ErrorKind::kCapture, path + " cannot be opened", dlerror()};
    auto cupti = std::make_unique<RealCupti>(library, path);
    if (!cupti->is_complete()) {
        return Error{ErrorKind::kCapture, path + " has no callback calls (cuptiSubscribe, ...)"};
    }
    return std::unique_ptr<Cupti>(std::move(cupti));
}

}  // namespace gwatch::capture
