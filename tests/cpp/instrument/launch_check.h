#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "random_kernel.h"
#include "record/plan.h"
#include "trace/trace.h"
#include "witness.h"

namespace gwatch::testing {

/// Nothing stands behind the last record of a region or a chunk, nor between the parts of the
/// memory.
void expect_rest_untouched(const record::Plan& plan, const record::RawRecords& raw,
                           const std::vector<std::uint8_t>& memory);

/// Whether values of 64 bits found no memory for their second half.
bool lost_values(const trace::Run& run);

/// One thing that a thread does, as the model tells scopes apart.
struct ThreadEvent {
    instrument::ActionKind kind;
    std::string scope;
    double earliest_ns;
    double latest_ns;
    std::optional<std::uint64_t> payload = {};
};

/// Compares a decoded run with what a witness saw of the launch.
class LaunchCheck {
  public:
    LaunchCheck(const RandomKernel& kernel, const instrument::Instrumented& instrumented,
                const Witness& witness, const record::RawRecords& raw, const trace::Run& run);

    /// Whether the launch was long enough, and its pauses plain enough, to compare times.
    bool times_are_sure() const;
    /// Events and records, and drops of these, of sites, warps and the launch. With `groups`, lanes
    /// that the witness saw together were recorded together.
    void expect_counts(bool groups) const;
    /// What each thread did, with its scopes, when `timed` also when, with `groups` also the values
    /// that were recorded with it.
    void expect_threads(bool timed, bool groups) const;
    /// Every recorded value is one that some lane of the warp had at a marker of that scope.
    void expect_values() const;

  private:
    using Seen = std::vector<Witnessed>;

    void gather();
    bool found_no_chunk() const;
    bool is_recorded(std::uint64_t block, std::uint32_t warp) const;
    Seen as_recorded(const Seen& seen, std::uint32_t threads) const;
    void expect_proven_alike(const Seen& seen, std::uint32_t threads) const;
    void expect_warp(std::uint32_t lane, bool timed, bool groups) const;
    std::vector<ThreadEvent> expected_of(const Seen& seen, std::uint32_t thread) const;
    std::vector<ThreadEvent> decoded_of(std::uint32_t lane, std::uint32_t thread) const;
    static std::optional<std::uint64_t> payload_of(const Witnessed& one,
                                                   const RandomMarker& marker);
    void expect_slices(std::uint32_t lane, std::uint32_t thread,
                       const std::vector<ThreadEvent>& recorded) const;
    void expect_exit(std::uint32_t lane, const Seen& seen) const;
    std::pair<double, double> times_of(const Witnessed& one) const;

    const RandomKernel& kernel_;
    const instrument::Instrumented& instrumented_;
    const Witness& witness_;
    const record::RawRecords& raw_;
    const trace::Run& run_;
    std::map<Witness::WarpKey, Seen> recorded_;  ///< what the launch should have recorded
};

}  // namespace gwatch::testing
