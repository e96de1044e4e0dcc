#include "capture/session.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "capture/guards.h"
#include "capture/stopwatch.h"

namespace gwatch::capture {

namespace {

Error never_returned(const std::string& kernel) {
    return {ErrorKind::kCapture,
            "the call that launches kernel " + kernel +
                " has not returned, so its records were not read",
            {},
            "Wait inside the traced function for the threads that launch kernels."};
}

/// Its thread may use it at any time.
void keep_forever(const std::shared_ptr<ActiveLaunch>& launch) {
    static std::mutex mutex;
    static auto* const kept = new std::vector<std::shared_ptr<ActiveLaunch>>;
    const std::lock_guard lock(mutex);
    kept->push_back(launch);
}

}  // namespace

Result<std::shared_ptr<Session>> Session::make(Options options, std::shared_ptr<Preparer> preparer,
                                               Driver& driver, Clock& clock, ImageStore& images) {
    Result<std::unique_ptr<KernelFilter>> filter =
        KernelFilter::make(options.kernel_pattern, driver);
    if (!filter.ok()) return filter.error();
    return std::shared_ptr<Session>(new Session(std::move(options), std::move(preparer),
                                                std::move(filter).value(), driver, clock, images));
}

Session::Session(Options options, std::shared_ptr<Preparer> preparer,
                 std::unique_ptr<KernelFilter> filter, Driver& driver, Clock& clock,
                 ImageStore& images)
    : options_(std::move(options)),
      preparer_(std::move(preparer)),
      filter_(std::move(filter)),
      driver_(driver),
      clock_(clock),
      images_(images) {}

std::shared_ptr<ActiveLaunch> Session::enter(const LaunchCall& call,
                                             const char* symbol_name) noexcept {
    try {
        const SeenKernel& kernel = filter_->count(*call.function, symbol_name);
        if (!kernel.matches) return nullptr;
        matching_launches_.fetch_add(1, std::memory_order_relaxed);
        const Key key{*call.function, call.block};
        if (!reserve(key)) return nullptr;
        Result<std::shared_ptr<ActiveLaunch>> launch = try_build(call, kernel, key);
        if (launch.ok()) return swap(call, std::move(launch).value());
        give_back(key, kernel.name, launch.error());
    } catch (...) {
        // Only memory can be missing here: the original runs.
    }
    return nullptr;
}

/// A launch of a kernel that failed before takes no place from others.
bool Session::reserve(const Key& key) {
    const std::lock_guard lock(mutex_);
    if (closed_ || failed_.contains(key)) return false;
    if (reserved_ < options_.max_launches) {
        ++reserved_;
        return true;
    }
    ++skipped_launches_;
    return false;
}

void Session::give_back(const Key& key, const std::string& kernel, Error error) {
    const std::lock_guard lock(mutex_);
    --reserved_;
    if (failed_.insert(key).second) failures_.push_back({kernel, std::move(error)});
}

Result<std::shared_ptr<ActiveLaunch>> Session::try_build(const LaunchCall& call,
                                                         const SeenKernel& kernel, const Key& key) {
    try {
        return build(call, kernel, key);
    } catch (const std::exception& exception) {
        return Error{ErrorKind::kCapture, "kernel " + kernel.name + " could not be traced",
                     exception.what()};
    }
}

Result<std::shared_ptr<ActiveLaunch>> Session::build(const LaunchCall& call,
                                                     const SeenKernel& kernel, const Key& key) {
    const RelaxedStreamCapture relaxed(driver_);
    Result<LaunchInfo> info = describe_launch(driver_, images_, call, kernel);
    if (!info.ok()) return info.error();
    const auto context = reinterpret_cast<CUcontext>(info->context);
    {
        const CurrentContext current(driver_, context);
        info->every_warp = current.status().ok() && expects_every_warp(driver_, *info, options_);
    }
    Result<Preparation> prepared = prepare(key, *info);
    if (!prepared.ok()) return prepared.error();
    const CurrentContext current(driver_, context);
    if (Result<void> entered = current.status(); !entered.ok()) return entered.error();
    Result<std::shared_ptr<ActiveLaunch>> launch =
        build_launch(driver_, clock_, call, *info, *prepared->kernel, options_);
    if (launch.ok()) (*launch)->stage_seconds["prepare"] = prepared->seconds;
    return launch;
}

Result<Session::Preparation> Session::prepare(const Key& key, const LaunchInfo& info) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = prepared_.find({key, info.every_warp});
        if (found != prepared_.end()) {
            return Preparation{found->second, 0};
        }
    }
    const double start = clock_.now();
    Result<PreparedKernel> prepared = preparer_->prepare(info);
    const double seconds = clock_.now() - start;
    if (!prepared.ok()) return prepared.error();
    auto kernel = std::make_shared<const PreparedKernel>(std::move(prepared).value());
    const std::lock_guard lock(mutex_);
    return Preparation{
        prepared_.emplace(std::pair(key, info.every_warp), std::move(kernel)).first->second,
        seconds};
}

std::shared_ptr<ActiveLaunch> Session::swap(const LaunchCall& call,
                                            std::shared_ptr<ActiveLaunch> launch) {
    const std::lock_guard lock(mutex_);
    if (closed_) return nullptr;
    launches_.push_back(launch);
    launch->put_into(call, launch->parameters);
    return launch;
}

void Session::leave(ActiveLaunch& launch, CUresult code) noexcept {
    try {
        const RelaxedStreamCapture relaxed(driver_);
        leave_launch(driver_, launch, code);
    } catch (...) {
        launch.returned = true;
    }
}

void Session::forget_handles() {
    const std::lock_guard lock(mutex_);
    prepared_.clear();
    failed_.clear();
}

void Session::before_context_ends() noexcept {
    try {
        std::vector<std::shared_ptr<ActiveLaunch>> launches;
        {
            const std::lock_guard lock(mutex_);
            const auto returned =
                std::stable_partition(launches_.begin(), launches_.end(),
                                      [](const auto& launch) { return !launch->returned; });
            launches.assign(returned, launches_.end());
            launches_.erase(returned, launches_.end());
        }
        CaptureResult result;
        for (const std::shared_ptr<ActiveLaunch>& launch : launches) read(launch, result);
        const std::lock_guard lock(mutex_);
        std::move(result.launches.begin(), result.launches.end(),
                  std::back_inserter(read_early_.launches));
        std::move(result.failures.begin(), result.failures.end(),
                  std::back_inserter(read_early_.failures));
    } catch (...) {
        // Out of memory: the context ends all the same.
    }
}

void Session::read(const std::shared_ptr<ActiveLaunch>& launch, CaptureResult& result) {
    const std::string kernel = launch->info.kernel;
    if (!launch->returned) {
        result.failures.push_back({kernel, never_returned(kernel)});
        keep_forever(launch);
        return;
    }
    Result<TracedLaunch> traced = read_launch(driver_, clock_, *launch);
    if (traced.ok()) {
        result.launches.push_back(std::move(traced).value());
    } else {
        result.failures.push_back({kernel, traced.error()});
    }
}

CaptureResult Session::finish() {
    std::vector<std::shared_ptr<ActiveLaunch>> launches;
    CaptureResult result;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        launches.swap(launches_);
        result = std::move(read_early_);
        std::move(failures_.begin(), failures_.end(), std::back_inserter(result.failures));
        failures_.clear();
        result.skipped_launches = skipped_launches_;
    }
    for (const std::shared_ptr<ActiveLaunch>& launch : launches) read(launch, result);
    result.seen_kernels = filter_->seen();
    result.matching_launches = matching_launches_.load();
    result.graph_launches = graph_launches_.load();
    return result;
}

}  // namespace gwatch::capture
