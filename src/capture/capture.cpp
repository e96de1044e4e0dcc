#include "capture/capture.h"

#include <chrono>
#include <mutex>
#include <thread>

#include "capture/hooks.h"

namespace gwatch::capture {

namespace {

class SteadyClock : public Clock {
  public:
    double now() override {
        const auto since = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration<double>(since).count();
    }
    void pause(double seconds) override {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
};

/// Lives until the process ends: callbacks may come to the last moment.
struct Process {
    SteadyClock clock;
    std::mutex mutex;
    std::unique_ptr<Driver> driver;
    std::unique_ptr<Hooks> hooks;
};

Process& process() {
    static auto* const the_process = new Process;
    return *the_process;
}

Hooks* started_hooks() {
    const std::lock_guard lock(process().mutex);
    return process().hooks.get();
}

Error not_started() {
    return {ErrorKind::kCapture,
            "nothing can be traced: the CUPTI hooks are not set up",
            {},
            "Call gwatch.libpygwatch.init_cupti_hooks() first."};
}

}  // namespace

Result<void> init_hooks(const std::vector<std::string>& cupti_paths) {
    Process& here = process();
    const std::lock_guard lock(here.mutex);
    if (here.hooks) return {};
    if (!here.driver) {
        Result<std::unique_ptr<Driver>> driver = open_driver();
        if (!driver.ok()) return driver.error();
        here.driver = std::move(driver).value();
    }
    auto hooks = std::make_unique<Hooks>(*here.driver, here.clock);
    Result<void> started =
        hooks->start(cupti_candidates(loaded_cupti_path(), cupti_paths), open_cupti);
    if (started.ok()) here.hooks = std::move(hooks);
    return started;
}

bool hooks_are_initialized() {
    return started_hooks() != nullptr;
}

Result<void> begin_capture(Options options, std::shared_ptr<Preparer> preparer) {
    Hooks* hooks = started_hooks();
    if (!hooks) return not_started();
    return hooks->begin(std::move(options), std::move(preparer));
}

CaptureResult end_capture() {
    Hooks* hooks = started_hooks();
    return hooks ? hooks->end() : CaptureResult{};
}

Result<void> begin_timing(Options options, std::shared_ptr<Preparer> preparer) {
    Hooks* hooks = started_hooks();
    if (!hooks) return not_started();
    return hooks->begin_timing(std::move(options), std::move(preparer));
}

void time_next(bool traced) {
    if (Hooks* hooks = started_hooks()) hooks->time_next(traced);
}

TimingResult end_timing() {
    Hooks* hooks = started_hooks();
    return hooks ? hooks->end_timing() : TimingResult{};
}

}  // namespace gwatch::capture
