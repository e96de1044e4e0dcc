#pragma once

#include <memory>

#include "capture/launch_call.h"
#include "capture/traced_build.h"

namespace gwatch::capture {

/// What the hooks tell of launches. Thread-safe; never throws out of enter() and leave().
class LaunchObserver {
  public:
    virtual ~LaunchObserver() = default;
    /// At the enter callback, where the handle may be swapped; gives what leave() wants, or null.
    virtual std::shared_ptr<ActiveLaunch> enter(const LaunchCall& call,
                                                const char* symbol_name) noexcept = 0;
    /// At the exit callback of a launch for which enter() gave something.
    virtual void leave(ActiveLaunch& launch, CUresult code) noexcept = 0;
    /// Handles may come back for other kernels: what is known of them is forgotten.
    virtual void forget_handles() = 0;
    /// A graph is launched as a whole: no call of it tells which kernels it has.
    virtual void see_graph_launch() noexcept {}
    /// A context and all its memory are about to go.
    virtual void before_context_ends() noexcept {}
};

}  // namespace gwatch::capture
