#pragma once

#include <map>
#include <string>

#include "capture/clock.h"

namespace gwatch::capture {

/// Adds the time of a stage to a table of seconds when it goes.
class Stopwatch {
  public:
    Stopwatch(Clock& clock, std::map<std::string, double>& seconds, std::string stage)
        : clock_(clock), seconds_(seconds), stage_(std::move(stage)), start_(clock.now()) {}
    ~Stopwatch() { seconds_[stage_] += clock_.now() - start_; }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    Clock& clock_;
    std::map<std::string, double>& seconds_;
    std::string stage_;
    double start_;
};

}  // namespace gwatch::capture
