#include "capture/capture.h"

#include <chrono>
#include <mutex>

#include "capture/hooks.h"

namespace gwatch::capture {

namespace {

class SteadyClock : public Clock {
  public:
    double now() override {
        const auto since = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration<double>(since).count();
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
    if (!hooks) {
        return Error{ErrorKind::kCapture,
                     "nothing can be traced: the CUPTI hooks are not set up",
                     {},
                     "Call gwatch.libpygwatch.init_cupti_hooks() first."};
    }
    return hooks->begin(std::move(options), std::move(preparer));
}

CaptureResult end_capture() {
    Hooks* hooks = started_hooks();
    return hooks ? hooks->end() : CaptureResult{};
}

}  // namespace gwatch::capture
