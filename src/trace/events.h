#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// The value that a record holds.
struct EventPayload {
    std::uint32_t event;  ///< index among the warp's events
    std::uint64_t bits;   ///< 32-bit ones zero-extended
};

/// Puts the records of a warp on the run's time axis, hot and cold ones merged by the clock.
class EventReader {
  public:
    EventReader(const RawWarps& raw, const SiteActions& sites) : raw_(raw), sites_(sites) {}

    /// The warp's events in order of time, none before `enter_ns`. The reference holds until the
    /// next call.
    const std::vector<Event>& read(const WarpRecords& warp, const ClockLine& line,
                                   std::int64_t enter_ns);

    /// Of the events that were read last, in their order.
    const std::vector<EventPayload>& payloads() const { return payloads_; }

    /// Of all warps read so far.
    const Faults& faults() const { return faults_; }

  private:
    /// A record; or a word of the payload of the record in front of it, at the same clock.
    struct Gathered {
        std::uint64_t clock;
        std::uint32_t site;  ///< or kLowWord, kHighWord
        std::uint32_t mask;  ///< or the word
    };
    static constexpr std::uint32_t kLowWord = 0x10000;
    static constexpr std::uint32_t kHighWord = 0x10001;

    void read_hot(const WarpRecords& warp, const ClockLine& line, std::int64_t enter_ns);
    std::optional<std::uint64_t> gather_hot(const WarpRecords& warp);
    void gather_cold(const WarpRecords& warp, std::span<const ColdRun> runs);
    void gather_payload(std::span<const ColdRun> runs, std::size_t unit);
    static const record::Unit* high_half_of(std::span<const ColdRun> runs, std::size_t unit);
    void end_run(std::size_t first);
    void merge_runs();
    void time_gathered(const ClockLine& line, std::int64_t enter_ns);
    void add_word(std::size_t index, std::uint32_t event);

    const RawWarps& raw_;
    const SiteActions& sites_;
    Faults faults_;
    std::vector<Event> events_;
    std::vector<EventPayload> payloads_;
    std::vector<Gathered> gathered_;  // runs, each in order of clock
    std::vector<Gathered> merged_;
    std::vector<std::size_t> run_ends_;
};

}  // namespace gwatch::trace
