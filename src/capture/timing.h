#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "capture/capture.h"
#include "capture/clock.h"
#include "capture/image_store.h"
#include "capture/kernel_filter.h"
#include "capture/observer.h"

namespace gwatch::capture {

/// Times single launches on the device, with their records and without, by events around them. The
/// traced build is loaded once and used again and again.
class TimingSession : public LaunchObserver {
  public:
    /// kUsage for a bad pattern.
    static Result<std::shared_ptr<TimingSession>> make(Options options,
                                                       std::shared_ptr<Preparer> preparer,
                                                       Driver& driver, Clock& clock,
                                                       ImageStore& images);

    /// The next matching launch is timed; further ones are not until this is called again.
    void time_next(bool traced);

    std::shared_ptr<ActiveLaunch> enter(const LaunchCall& call,
                                        const char* symbol_name) noexcept override;
    void leave(ActiveLaunch& launch, CUresult code) noexcept override;
    void forget_handles() override;

    /// Waits for what was timed and frees all. Call once.
    TimingResult finish();

  private:
    struct TimedCall;
    struct Turn {
        std::uint32_t number;
        bool traced;
    };
    /// A traced build with its memory fits launches of one shape.
    using Key = std::tuple<CUfunction, record::Dim3, record::Dim3, std::uint32_t>;

    TimingSession(Options options, std::shared_ptr<Preparer> preparer,
                  std::unique_ptr<KernelFilter> filter, Driver& driver, Clock& clock,
                  ImageStore& images);

    std::optional<Turn> take_turn();
    Result<std::shared_ptr<TimedCall>> prepare(const LaunchCall& call, const SeenKernel& kernel,
                                               const Turn& turn);
    Result<std::shared_ptr<ActiveLaunch>> build_of(const LaunchCall& call, const LaunchInfo& info);
    Result<void> make_ready(const LaunchCall& call, ActiveLaunch& build);
    Result<void> start(const LaunchCall& call, TimedCall& timed);
    Result<double> duration_ns(TimedCall& timed);

    const Options options_;
    const std::shared_ptr<Preparer> preparer_;
    const std::unique_ptr<KernelFilter> filter_;
    Driver& driver_;
    Clock& clock_;
    ImageStore& images_;

    std::mutex mutex_;  ///< of all below; never held while the preparer or the driver is called
    std::optional<Turn> turn_;
    std::uint32_t turns_ = 0;
    std::vector<std::shared_ptr<TimedCall>> calls_;
    std::vector<FailedLaunch> failures_;
    std::map<Key, std::shared_ptr<ActiveLaunch>> builds_;
    std::vector<std::shared_ptr<ActiveLaunch>> kept_;  ///< no longer used, perhaps still running
};

}  // namespace gwatch::capture
