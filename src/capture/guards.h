#pragma once

#include "capture/driver.h"

namespace gwatch::capture {

/// Makes a context current on this thread while it lives.
class CurrentContext {
  public:
    CurrentContext(Driver& driver, CUcontext context)
        : driver_(driver), code_(driver.context_push(context)) {}
    ~CurrentContext() {
        CUcontext popped = nullptr;
        if (code_ == CUDA_SUCCESS) driver_.context_pop(&popped);
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

    Result<void> status() const {
        return check(driver_, code_, "cuCtxPushCurrent_v2", "to enter the context of the launch");
    }

  private:
    Driver& driver_;
    CUresult code_;
};

/// Lets this thread allocate and synchronize while a stream capture is under way anywhere.
class RelaxedStreamCapture {
  public:
    explicit RelaxedStreamCapture(Driver& driver)
        : driver_(driver), is_relaxed_(driver.exchange_capture_mode(&mode_) == CUDA_SUCCESS) {}
    ~RelaxedStreamCapture() {
        if (is_relaxed_) driver_.exchange_capture_mode(&mode_);
    }
    RelaxedStreamCapture(const RelaxedStreamCapture&) = delete;
    RelaxedStreamCapture& operator=(const RelaxedStreamCapture&) = delete;

  private:
    Driver& driver_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  ///< then the mode to go back to
    bool is_relaxed_;
};

/// Marks what this thread does as gwatch's own, so that callbacks pass it over.
class OwnWork {
  public:
    OwnWork() { ++depth_; }
    ~OwnWork() { --depth_; }
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;

    static bool under_way() { return depth_ > 0; }

  private:
    static inline thread_local int depth_ = 0;
};

}  // namespace gwatch::capture
