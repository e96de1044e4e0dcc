#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/events.h"
#include "trace/site_actions.h"
#include "trace/trace.h"

namespace gwatch::trace {

/// How many open slices have each mask, for the depth of a new one. A warp has few different masks
/// at a time.
class OpenMasks {
  public:
    void clear() { counts_.clear(); }
    void add(std::uint32_t mask) {
        for (Count& count : counts_) {
            if (count.mask == mask) {
                ++count.open;
                return;
            }
        }
        counts_.push_back({mask, 1});
    }
    void remove(std::uint32_t mask) {
        for (Count& count : counts_) {
            if (count.mask != mask) continue;
            // A count of 0 stays for the next slice of these threads, but not among many.
            if (--count.open == 0 && counts_.size() > kFew) drop(&count);
            return;
        }
    }
    std::uint32_t sharing(std::uint32_t mask) const {
        std::uint32_t sum = 0;
        for (const Count& count : counts_) sum += (count.mask & mask) != 0 ? count.open : 0;
        return sum;
    }

  private:
    struct Count {
        std::uint32_t mask;
        std::uint32_t open;
    };
    static constexpr std::size_t kFew = 4;

    void drop(Count* count) {
        *count = counts_.back();
        counts_.pop_back();
    }

    std::vector<Count> counts_;
};

/// Meets starts and ends, a warp at a time, and writes what results to a run.
///
/// Most warps are simple: every end has exactly the threads of the innermost open slice of its
/// scope that it shares a thread with, and nothing is left open. They are matched in one pass. A
/// warp where that does not hold is matched again, thoroughly.
class Matcher {
  public:
    /// `starts`: how many starts all warps together have.
    Matcher(const SiteActions& sites, std::uint64_t starts, Run* run);

    /// Appends the slices, marks and orphans of one warp; `lane` is its index in Run::lanes.
    void match(std::span<const Event> events, std::span<const EventPayload> payloads,
               std::uint32_t lane);

    /// Cuts the columns to what was written.
    void finish();

    std::uint64_t slices() const { return next_; }

  private:
    static constexpr std::uint32_t kNone = 0xffffffff;

    /// A started slice. Those of one scope are linked, the innermost first.
    struct Open {
        std::uint64_t
            slice;  ///< simple: index in the columns. Thorough: which start of the warp it is
        std::int64_t start_ns;
        std::uint32_t scope;
        std::uint32_t mask;      ///< threads still in it; 0: closed
        std::uint32_t previous;  ///< open one of the same scope, or kNone
    };
    /// A start of the thorough way.
    struct Start {
        std::uint64_t step;
        const std::uint64_t* payload;  ///< nullptr: none
    };
    /// A slice of the thorough way, with its place among all starts and ends of the warp.
    struct Row {
        std::uint32_t start;  ///< which start of the warp began it
        std::uint64_t end_step;
        std::int64_t start_ns;
        std::int64_t end_ns;
        std::uint32_t scope;
        std::uint32_t mask;
    };

    template <bool kHasPayloads>
    bool match_simple(std::span<const Event> events, std::uint32_t lane);
    void start_simple(const Event& event, std::uint32_t scope, const std::uint64_t* payload);
    bool end_simple(const Event& event, std::uint32_t scope, std::uint32_t lane);

    void match_thorough(std::span<const Event> events, std::uint32_t lane);
    void end_thorough(const Event& event, std::uint32_t scope, std::uint32_t lane,
                      std::uint64_t step);
    void write_rows();
    std::vector<std::uint32_t> rows_by_start() const;
    std::vector<std::uint32_t> depths_of_rows(const std::vector<std::uint32_t>& by_start) const;

    void push_open(const Open& open);
    void drop_closed();
    void forget_open();
    const std::uint64_t* payload_of(const SiteAction& action, std::size_t event);
    void add_instant(Instants* instants, std::uint32_t lane, std::int64_t time_ns,
                     std::uint32_t scope, std::uint32_t mask,
                     const std::uint64_t* payload = nullptr);

    const SiteActions& sites_;
    Run* run_;
    std::uint64_t next_ = 0;     ///< next free row of the columns
    std::uint64_t starts_left_;  ///< of the warps to come: the columns keep room for them
    std::vector<Open> open_;
    std::vector<std::uint32_t> innermost_;  ///< [scope]: index into open_, or kNone
    OpenMasks masks_;
    std::vector<Row> rows_;      ///< in order of end_step
    std::vector<Start> starts_;  ///< of the warp
    std::span<const EventPayload> payloads_;
    std::size_t next_payload_ = 0;
};

}  // namespace gwatch::trace
