#pragma once

namespace gwatch::capture {

/// Tells how long the stages of a traced launch take.
class Clock {
  public:
    virtual ~Clock() = default;
    /// Seconds since some fixed point; never goes back.
    virtual double now() = 0;
    /// Returns that much later.
    virtual void pause(double seconds) = 0;
};

}  // namespace gwatch::capture
