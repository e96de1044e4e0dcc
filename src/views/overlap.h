#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"
#include "views/concurrency.h"

namespace gwatch::views {

/// Counts how long scopes of different warps of a block ran at the same time. Lanes come in the
/// run's own order, block by block, and the segments of each in order of time.
class OverlapCounter {
  public:
    OverlapCounter(const trace::Run& run, std::int64_t begin_ns, std::int64_t end_ns);

    void begin_lane(std::uint64_t block);
    void add(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t scope);

    /// The pairs that met, longest first.
    std::vector<ScopeOverlap> take();

  private:
    /// From this time on the lane is in this scope; a place among those counted, or kNone.
    struct Change {
        std::int64_t time_ns;
        std::uint32_t place;
    };
    struct Reader {
        const Change* next;
        const Change* end;
        std::uint32_t place;
    };

    void finish_block();
    /// Makes the reader's changes up to this time; returns the time of its next one.
    std::int64_t apply(Reader& reader, std::int64_t time_ns);

    std::int64_t begin_ns_;
    std::int64_t end_ns_;
    std::uint64_t block_ = 0;
    std::vector<std::uint32_t> counted_;   ///< [place] -> scope
    std::vector<std::uint32_t> place_of_;  ///< [scope] -> place, or kNone
    std::size_t lanes_ = 0;                ///< of the present block
    std::vector<std::vector<Change>> changes_;
    std::vector<std::uint32_t> warps_in_;    ///< [place], of the present block and time
    std::uint32_t active_ = 0;               ///< bit place: at least one warp is in it
    std::vector<std::int64_t> time_by_set_;  ///< [bits of places]
};

}  // namespace gwatch::views
