#include "capture/timing.h"

#include <exception>
#include <utility>

#include "capture/guards.h"

namespace gwatch::capture {

namespace {

/// An idle device starts each launch alike; back to back, its power limit would hide what the
/// records cost (docs/fidelity.md).
constexpr double kPauseSeconds = 0.003;
constexpr double kNsPerMs = 1e6;

}  // namespace

/// One launch between two events. Its own resources are empty: the build's are used.
struct TimingSession::TimedCall : ActiveLaunch {
    TimedCall(Driver& used_driver, LaunchInfo launch_info, Turn of_turn)
        : ActiveLaunch(used_driver, std::move(launch_info)), driver(used_driver), turn(of_turn) {}
    ~TimedCall() {
        const CurrentContext current(driver, reinterpret_cast<CUcontext>(info.context));
        if (before) driver.event_destroy(before);
        if (after) driver.event_destroy(after);
    }

    Driver& driver;
    Turn turn;
    CUevent before = nullptr;
    CUevent after = nullptr;
    std::shared_ptr<ActiveLaunch> build;  ///< null when the original runs
};

Result<std::shared_ptr<TimingSession>> TimingSession::make(Options options,
                                                           std::shared_ptr<Preparer> preparer,
                                                           Driver& driver, Clock& clock,
                                                           ImageStore& images) {
    Result<std::unique_ptr<KernelFilter>> filter =
        KernelFilter::make(options.kernel_pattern, driver);
    if (!filter.ok()) return filter.error();
    return std::shared_ptr<TimingSession>(new TimingSession(
        std::move(options), std::move(preparer), std::move(filter).value(), driver, clock, images));
}

TimingSession::TimingSession(Options options, std::shared_ptr<Preparer> preparer,
                             std::unique_ptr<KernelFilter> filter, Driver& driver, Clock& clock,
                             ImageStore& images)
    : options_(std::move(options)),
      preparer_(std::move(preparer)),
      filter_(std::move(filter)),
      driver_(driver),
      clock_(clock),
      images_(images) {}

void TimingSession::time_next(bool traced) {
    const std::lock_guard lock(mutex_);
    turn_ = Turn{turns_++, traced};
}

std::optional<TimingSession::Turn> TimingSession::take_turn() {
    const std::lock_guard lock(mutex_);
    return std::exchange(turn_, std::nullopt);
}

std::shared_ptr<ActiveLaunch> TimingSession::enter(const LaunchCall& call,
                                                   const char* symbol_name) noexcept {
    try {
        const SeenKernel& kernel = filter_->count(*call.function, symbol_name);
        if (!kernel.matches) return nullptr;
        const std::optional<Turn> turn = take_turn();
        if (!turn) return nullptr;
        Result<std::shared_ptr<TimedCall>> timed = prepare(call, kernel, *turn);
        const std::lock_guard lock(mutex_);
        if (!timed.ok()) {
            failures_.push_back({kernel.name, timed.error()});
            return nullptr;
        }
        calls_.push_back(*timed);
        if ((*timed)->build) (*timed)->build->put_into(call, (*timed)->parameters);
        return *timed;
    } catch (...) {
        return nullptr;  // Only memory can be missing here: the original runs, and is not timed.
    }
}

Result<std::shared_ptr<TimingSession::TimedCall>> TimingSession::prepare(const LaunchCall& call,
                                                                         const SeenKernel& kernel,
                                                                         const Turn& turn) {
    const RelaxedStreamCapture relaxed(driver_);
    Result<LaunchInfo> info = describe_launch(driver_, images_, call, kernel);
    if (!info.ok()) return info.error();
    if (info->in_stream_capture) {
        return Error{ErrorKind::kCapture,
                     "kernel " + kernel.name + " cannot be timed: its stream is being captured",
                     {},
                     "Measure the overhead where the kernel is launched, not in a graph."};
    }
    const CurrentContext current(driver_, reinterpret_cast<CUcontext>(info->context));
    if (Result<void> entered = current.status(); !entered.ok()) return entered.error();
    auto timed = std::make_shared<TimedCall>(driver_, *info, turn);
    if (turn.traced) {
        info->every_warp = expects_every_warp(driver_, *info, options_);
        Result<std::shared_ptr<ActiveLaunch>> build = build_of(call, *info);
        if (!build.ok()) return build.error();
        timed->build = std::move(build).value();
        if (Result<void> ready = make_ready(call, *timed->build); !ready.ok()) return ready.error();
    }
    if (Result<void> started = start(call, *timed); !started.ok()) return started.error();
    return timed;
}

Result<std::shared_ptr<ActiveLaunch>> TimingSession::build_of(const LaunchCall& call,
                                                              const LaunchInfo& info) {
    const Key key{*call.function, call.grid, call.block, call.dynamic_shared_bytes};
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = builds_.find(key); found != builds_.end()) return found->second;
    }
    Result<PreparedKernel> prepared = preparer_->prepare(info);
    if (!prepared.ok()) return prepared.error();
    Result<std::shared_ptr<ActiveLaunch>> built =
        build_launch(driver_, clock_, call, info, *prepared, options_);
    if (!built.ok()) return built.error();
    const std::lock_guard lock(mutex_);
    return builds_.emplace(key, std::move(built).value()).first->second;
}

/// As a fresh build is: no records, and the original's variables.
Result<void> TimingSession::make_ready(const LaunchCall& call, ActiveLaunch& build) {
    const std::string purpose = "before timing kernel " + build.info.kernel;
    Result<void> done =
        check(driver_, driver_.stream_synchronize(call.stream), "cuStreamSynchronize", purpose);
    for (const VariablePair& pair : build.variables) {
        if (!done.ok()) return done;
        done = check(driver_,
                     driver_.copy_on_device(pair.traced, pair.original, pair.bytes, call.stream),
                     "cuMemcpyDtoDAsync_v2", purpose);
    }
    if (!done.ok()) return done;
    done = check(driver_,
                 driver_.memory_set(build.resources.memory, 0, build.plan.total_bytes,
                                    build.resources.stream),
                 "cuMemsetD8Async", purpose);
    if (!done.ok()) return done;
    return check(driver_, driver_.stream_synchronize(build.resources.stream), "cuStreamSynchronize",
                 purpose);
}

Result<void> TimingSession::start(const LaunchCall& call, TimedCall& timed) {
    const std::string purpose = "to time kernel " + timed.info.kernel;
    for (CUevent* event : {&timed.before, &timed.after}) {
        Result<void> made =
            check(driver_, driver_.event_create(event, CU_EVENT_DEFAULT), "cuEventCreate", purpose);
        if (!made.ok()) return made;
    }
    Result<void> idle =
        check(driver_, driver_.stream_synchronize(call.stream), "cuStreamSynchronize", purpose);
    if (!idle.ok()) return idle;
    clock_.pause(kPauseSeconds);
    return check(driver_, driver_.event_record(timed.before, call.stream), "cuEventRecord",
                 purpose);
}

void TimingSession::leave(ActiveLaunch& launch, CUresult code) noexcept {
    try {
        auto& timed = static_cast<TimedCall&>(launch);
        const auto stream = reinterpret_cast<CUstream>(launch.info.stream);
        Result<void> left = check(driver_, driver_.event_record(timed.after, stream),
                                  "cuEventRecord", "to time kernel " + launch.info.kernel);
        if (timed.build) leave_launch(driver_, *timed.build, code);
        if (code != CUDA_SUCCESS) {
            left = check(driver_, code, "the launch", "of kernel " + launch.info.kernel);
        }
        if (!left.ok()) launch.failure = left.error();
    } catch (...) {
        launch.failure = Error{ErrorKind::kCapture, "a timed launch ran out of memory"};
    }
    launch.returned = true;
}

void TimingSession::forget_handles() {
    const std::lock_guard lock(mutex_);
    for (auto& [key, build] : builds_) kept_.push_back(std::move(build));
    builds_.clear();
}

Result<double> TimingSession::duration_ns(TimedCall& timed) {
    if (timed.failure) return *timed.failure;
    const std::string purpose = "to time kernel " + timed.info.kernel;
    const CurrentContext current(driver_, reinterpret_cast<CUcontext>(timed.info.context));
    Result<void> done =
        check(driver_, driver_.event_synchronize(timed.after), "cuEventSynchronize", purpose);
    if (!done.ok()) return done.error();
    float milliseconds = 0;
    done = check(driver_, driver_.event_elapsed(&milliseconds, timed.before, timed.after),
                 "cuEventElapsedTime", purpose);
    if (!done.ok()) return done.error();
    return kNsPerMs * milliseconds;
}

TimingResult TimingSession::finish() {
    TimingResult result;
    std::vector<std::shared_ptr<TimedCall>> calls;
    {
        const std::lock_guard lock(mutex_);
        turn_.reset();
        calls.swap(calls_);
        result.failures.swap(failures_);
    }
    for (const std::shared_ptr<TimedCall>& timed : calls) {
        if (!timed->returned) {
            static_cast<void>(new std::shared_ptr<TimedCall>(timed));  // its thread still uses it
            result.failures.push_back(
                {timed->info.kernel,
                 {ErrorKind::kCapture, "the call that launches it has not returned"}});
            continue;
        }
        const Result<double> duration = duration_ns(*timed);
        if (duration.ok()) {
            result.launches.push_back({timed->turn.number, timed->turn.traced, *duration});
        } else {
            result.failures.push_back({timed->info.kernel, duration.error()});
        }
    }
    const std::lock_guard lock(mutex_);
    builds_.clear();
    kept_.clear();
    return result;
}

}  // namespace gwatch::capture
