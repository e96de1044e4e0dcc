#include "capture/hooks.h"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "capture/guards.h"

namespace gwatch::capture {

namespace {

/// Calls that end a context with all that was allocated in it.
constexpr std::array<CUpti_CallbackId, 4> kContextEndCallbacks{
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2,
};

/// Rare calls, so always on: what a kernel was loaded from must be known long before its launch is
/// traced.
constexpr std::array<CUpti_CallbackId, 8> kLoadCallbacks{
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,          CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,      CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,        CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,
};

template <std::size_t Count>
bool contains(const std::array<CUpti_CallbackId, Count>& ids, CUpti_CallbackId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// The traced launch call that this thread is in. Keeps the observer from being read before the
/// call is over.
struct LaunchUnderWay {
    std::shared_ptr<LaunchObserver> observer;
    std::shared_ptr<ActiveLaunch> launch;
    std::uint32_t correlation_id = 0;
};
thread_local LaunchUnderWay launch_under_way;

template <class Parameters>
const Parameters& parameters(const CUpti_CallbackData& data) {
    return *static_cast<const Parameters*>(data.functionParams);
}

CUresult returned(const CUpti_CallbackData& data) {
    return data.functionReturnValue ? *static_cast<const CUresult*>(data.functionReturnValue)
                                    : CUDA_SUCCESS;
}

/// The handle and the image of a load call that has returned.
std::pair<const void*, const void*> loaded(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const auto pair_of = [](const auto& p) {
        return std::pair<const void*, const void*>(p.module ? *p.module : nullptr, p.image);
    };
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
            return pair_of(parameters<cuModuleLoadData_params>(data));
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
            return pair_of(parameters<cuModuleLoadDataEx_params>(data));
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary: {
            const auto& p = parameters<cuModuleLoadFatBinary_params>(data);
            return {p.module ? *p.module : nullptr, p.fatCubin};
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData: {
            const auto& p = parameters<cuLibraryLoadData_params>(data);
            return {p.library ? *p.library : nullptr, p.code};
        }
        default:
            return {nullptr, nullptr};
    }
}

/// The handle and the file of a load call that has returned.
std::pair<const void*, const char*> loaded_file(CUpti_CallbackId id,
                                                const CUpti_CallbackData& data) {
    if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoad) {
        const auto& p = parameters<cuModuleLoad_params>(data);
        return {p.module ? *p.module : nullptr, p.fname};
    }
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile) {
        const auto& p = parameters<cuLibraryLoadFromFile_params>(data);
        return {p.library ? *p.library : nullptr, p.fileName};
    }
    return {nullptr, nullptr};
}

/// The module or library that a call is about to unload.
const void* unloading(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload)
        return parameters<cuModuleUnload_params>(data).hmod;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload) {
        return parameters<cuLibraryUnload_params>(data).library;
    }
    return nullptr;
}

}  // namespace

Result<void> Hooks::start(const std::vector<std::string>& cupti_paths, const OpenCupti& open) {
    Result<Subscription> subscription = subscribe(cupti_paths, open, &Hooks::on_callback, this);
    if (!subscription.ok()) return subscription.error();
    subscription_ = std::move(subscription).value();
    for (const CUpti_CallbackId id : kLoadCallbacks) {
        if (Result<void> enabled = subscription_.enable(true, id); !enabled.ok()) {
            subscription_.cupti->unsubscribe(subscription_.subscriber);
            return enabled;
        }
    }
    return {};
}

Result<void> Hooks::enable_launch_callbacks(bool on) {
    Result<void> all;
    const auto enable_all = [&](const auto& ids) {
        for (const CUpti_CallbackId id : ids) {
            Result<void> enabled = subscription_.enable(on, id);
            if (!enabled.ok()) all = enabled;
        }
    };
    enable_all(kLaunchCallbacks);
    enable_all(kGraphLaunchCallbacks);
    enable_all(kContextEndCallbacks);
    return all;
}

template <class Observer, class Make>
Result<void> Hooks::observe(std::shared_ptr<Observer>* kept, const Make& make) {
    const std::lock_guard control(control_mutex_);
    if (observer()) {
        return Error{ErrorKind::kUsage,
                     "a capture is under way already",
                     {},
                     "Captures cannot be nested: end the first before the next begins."};
    }
    Result<std::shared_ptr<Observer>> made = make();
    if (!made.ok()) return made.error();
    if (Result<void> enabled = enable_launch_callbacks(true); !enabled.ok()) {
        static_cast<void>(enable_launch_callbacks(false));
        return enabled;
    }
    *kept = std::move(made).value();
    set_observer(*kept);
    return {};
}

/// Every thread that is in a callback or a watched launch call shares the observer.
void Hooks::stop_observing(const std::shared_ptr<LaunchObserver>& ending) {
    set_observer(nullptr);
    wait_for_launch_calls(ending);
    static_cast<void>(enable_launch_callbacks(false));
}

Result<void> Hooks::begin(Options options, std::shared_ptr<Preparer> preparer) {
    return observe(&session_, [&] {
        return Session::make(std::move(options), std::move(preparer), driver_, clock_, images_);
    });
}

CaptureResult Hooks::end() {
    const std::lock_guard control(control_mutex_);
    const std::shared_ptr<Session> ending = std::exchange(session_, nullptr);
    if (!ending) return {};
    stop_observing(ending);
    const OwnWork own;
    return ending->finish();
}

Result<void> Hooks::begin_timing(Options options, std::shared_ptr<Preparer> preparer) {
    return observe(&timing_, [&] {
        return TimingSession::make(std::move(options), std::move(preparer), driver_, clock_,
                                   images_);
    });
}

void Hooks::time_next(bool traced) {
    const std::lock_guard control(control_mutex_);
    if (timing_) timing_->time_next(traced);
}

TimingResult Hooks::end_timing() {
    const std::lock_guard control(control_mutex_);
    const std::shared_ptr<TimingSession> ending = std::exchange(timing_, nullptr);
    if (!ending) return {};
    stop_observing(ending);
    const OwnWork own;
    return ending->finish();
}

std::shared_ptr<LaunchObserver> Hooks::observer() const {
    const std::shared_lock lock(observer_mutex_);
    return observer_;
}

void Hooks::set_observer(std::shared_ptr<LaunchObserver> observer) {
    const std::unique_lock lock(observer_mutex_);
    observer_ = std::move(observer);
}

void Hooks::wait_for_launch_calls(const std::shared_ptr<LaunchObserver>& ending) const {
    constexpr int kOwnReferences = 2;  // the caller's, and the converted one that is passed here
    const auto deadline = std::chrono::steady_clock::now() + patience_;
    while (ending.use_count() > kOwnReferences && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

void CUPTIAPI Hooks::on_callback(void* hooks, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void* data) {
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || !data || OwnWork::under_way()) return;
    const OwnWork own;
    try {
        static_cast<Hooks*>(hooks)->on_api_call(id, *static_cast<const CUpti_CallbackData*>(data));
    } catch (...) {
        // Out of memory while noting an image: the user's call goes on.
    }
}

void Hooks::on_api_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (data.callbackSite == CUPTI_API_ENTER) on_enter(id, data);
    if (data.callbackSite == CUPTI_API_EXIT) on_exit(id, data);
}

void Hooks::on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (const void* going = unloading(id, data)) return forget(going);
    if (contains(kContextEndCallbacks, id)) {
        if (const auto current = observer()) current->before_context_ends();
        return;
    }
    if (contains(kGraphLaunchCallbacks, id)) {
        if (const auto current = observer()) current->see_graph_launch();
        return;
    }
    const std::optional<LaunchCall> call = read_launch_call(id, data);
    if (!call) return;
    std::shared_ptr<LaunchObserver> current = observer();
    if (!current) return;
    std::shared_ptr<ActiveLaunch> launch = current->enter(*call, data.symbolName);
    if (launch) launch_under_way = {std::move(current), std::move(launch), data.correlationId};
}

void Hooks::on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (launch_under_way.launch && launch_under_way.correlation_id == data.correlationId) {
        const LaunchUnderWay over = std::exchange(launch_under_way, {});
        over.observer->leave(*over.launch, returned(data));
        return;
    }
    if (returned(data) != CUDA_SUCCESS) return;
    const auto [handle, image] = loaded(id, data);
    if (handle) images_.add(handle, image);
    const auto [file_handle, path] = loaded_file(id, data);
    if (file_handle && path) images_.add_file(file_handle, path);
}

void Hooks::forget(const void* module_or_library) {
    images_.remove(module_or_library);
    if (const std::shared_ptr<LaunchObserver> current = observer()) current->forget_handles();
}

}  // namespace gwatch::capture
