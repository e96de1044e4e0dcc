#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "capture/cupti.h"
#include "capture/session.h"
#include "capture/timing.h"

namespace gwatch::capture {

/// CUPTI's callbacks and the capture they serve. One a process, besides tests.
class Hooks {
  public:
    /// `patience`: how long end() waits for launch calls that other threads are still in.
    Hooks(Driver& driver, Clock& clock,
          std::chrono::milliseconds patience = std::chrono::minutes(1))
        : driver_(driver), clock_(clock), patience_(patience) {}

    /// Subscribes through the first usable path; see subscribe().
    Result<void> start(const std::vector<std::string>& cupti_paths, const OpenCupti& open);

    Result<void> begin(Options options, std::shared_ptr<Preparer> preparer);
    CaptureResult end();

    Result<void> begin_timing(Options options, std::shared_ptr<Preparer> preparer);
    void time_next(bool traced);
    TimingResult end_timing();

    /// CUPTI's callback; `hooks` is a Hooks. Never throws.
    static void CUPTIAPI on_callback(void* hooks, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                     const void* data);

  private:
    void on_api_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void on_enter(CUpti_CallbackId id, const CUpti_CallbackData& data);
    void on_exit(CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// Lets an observer see launches from now on; `make` makes it. kUsage when there is one.
    template <class Observer, class Make>
    Result<void> observe(std::shared_ptr<Observer>* kept, const Make& make);
    /// No launch call uses the observer any more, unless one does not return.
    void stop_observing(const std::shared_ptr<LaunchObserver>& ending);
    std::shared_ptr<LaunchObserver> observer() const;
    void set_observer(std::shared_ptr<LaunchObserver> observer);
    void forget(const void* module_or_library);
    Result<void> enable_launch_callbacks(bool on);
    void wait_for_launch_calls(const std::shared_ptr<LaunchObserver>& ending) const;

    Driver& driver_;
    Clock& clock_;
    const std::chrono::milliseconds patience_;
    ImageStore images_{std::size_t{64} << 20};
    Subscription subscription_;
    std::mutex control_mutex_;               ///< begin and end, one at a time
    std::shared_ptr<Session> session_;       ///< under control_mutex_
    std::shared_ptr<TimingSession> timing_;  ///< under control_mutex_
    mutable std::shared_mutex observer_mutex_;
    std::shared_ptr<LaunchObserver> observer_;  ///< session_, timing_, or null
};

}  // namespace gwatch::capture
