#pragma once

#include "trace/statistics.h"
#include "views/segments.h"
#include "views/time_shares.h"

namespace gwatch::views {

/// Says of one lane after the other how it spent its life. Lifetimes and gaps are those of
/// trace::lane_activity.
class LaneShares {
  public:
    explicit LaneShares(const trace::Run& run)
        : run_(run), segmenter_(run), activity_(trace::lane_activity(run)) {}

    /// Adds the lane's time to `shares`.
    void add(std::uint32_t lane, TimeShares& shares) {
        shares.lifetime_ns += activity_[lane].lifetime_ns;
        shares.gap_ns += activity_[lane].gap_ns;
        for (const report::Segment& segment : segmenter_.segments_of(run_.lanes[lane]))
            shares.self_ns[run_.slices.scope[segment.slice]] += segment.end_ns - segment.start_ns;
    }

    std::int64_t lifetime_ns(std::uint32_t lane) const { return activity_[lane].lifetime_ns; }

  private:
    const trace::Run& run_;
    Segmenter segmenter_;
    std::vector<trace::LaneActivity> activity_;
};

}  // namespace gwatch::views
