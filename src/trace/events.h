#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/clock_fit.h"
#include "trace/warps.h"

namespace gwatch::trace {

/// A record with its time.
struct Event {
    std::int64_t time_ns;
    std::uint32_t site;
    std::uint32_t mask;  ///< threads of the warp that passed together
};

/// Puts the records of a warp on the run's time axis, hot and cold ones merged by the clock.
class EventReader {
  public:
    EventReader(const RawWarps& raw, const SiteActions& sites) : raw_(raw), sites_(sites) {}

    /// The warp's events in order of time, none before `enter_ns`. The reference holds until the
    /// next call.
    const std::vector<Event>& read(const WarpRecords& warp, const ClockLine& line,
                                   std::int64_t enter_ns);

    /// Of all warps read so far.
    const Faults& faults() const { return faults_; }

  private:
    struct ClockedEvent {
        std::uint64_t clock;
        std::uint32_t site;
        std::uint32_t mask;
    };

    void read_hot(const WarpRecords& warp, const ClockLine& line, std::int64_t enter_ns);
    void gather_hot(const WarpRecords& warp);
    void gather_cold(const WarpRecords& warp, const ColdRun& run);
    void end_run(std::size_t first);
    void merge_runs();
    void time_gathered(const ClockLine& line, std::int64_t enter_ns);

    const RawWarps& raw_;
    const SiteActions& sites_;
    Faults faults_;
    std::vector<Event> events_;
    std::vector<ClockedEvent> gathered_;  // runs, each in order of clock
    std::vector<ClockedEvent> merged_;
    std::vector<std::size_t> run_ends_;
};

}  // namespace gwatch::trace
