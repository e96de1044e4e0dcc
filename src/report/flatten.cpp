#include "report/flatten.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <set>
#include <tuple>

namespace gwatch::report {

namespace {

/// Sweeps over the starts and ends of one lane in order of time.
class LaneSweep {
  public:
    LaneSweep(const trace::Slices& slices, std::vector<Segment>& segments)
        : slices_(slices), segments_(segments) {}

    void open(std::uint64_t slice) {
        const std::int64_t start = slices_.start_ns[slice];
        advance(start);
        now_ = std::max(now_, start);
        if (slices_.duration_ns[slice] <= 0) return;
        open_.insert(rank(slice));
        ends_.emplace(start + slices_.duration_ns[slice], slice);
    }

    void finish() {
        while (!ends_.empty()) close_next();
    }

  private:
    /// Depth, then the threads in front of the lowest one (fewer is better), then the order of
    /// start.
    using Rank = std::tuple<std::uint16_t, int, std::uint64_t>;
    using End = std::pair<std::int64_t, std::uint64_t>;

    Rank rank(std::uint64_t slice) const {
        return {slices_.depth[slice], -std::countr_zero(slices_.mask[slice]), slice};
    }

    void advance(std::int64_t to) {
        while (!ends_.empty() && ends_.top().first <= to) close_next();
        emit(to);
    }

    void close_next() {
        const auto [end, slice] = ends_.top();
        emit(end);
        ends_.pop();
        open_.erase(rank(slice));
    }

    void emit(std::int64_t until) {
        if (until <= now_) return;
        if (!open_.empty()) {
            const std::uint64_t shown = std::get<2>(*open_.rbegin());
            if (!segments_.empty() && segments_.back().slice == shown &&
                segments_.back().end_ns == now_)
                segments_.back().end_ns = until;
            else
                segments_.push_back({now_, until, shown});
        }
        now_ = until;
    }

    const trace::Slices& slices_;
    std::vector<Segment>& segments_;
    std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
    std::set<Rank> open_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

std::int64_t lane_end_ns(const trace::Run& run, const trace::Lane& lane) {
    if (lane.exit_ns != trace::kUnknownTime) return lane.exit_ns;
    std::int64_t end = lane.enter_ns;
    for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice)
        end = std::max(end, run.slices.start_ns[slice] + run.slices.duration_ns[slice]);
    return end;
}

void flatten_lane(const trace::Run& run, const trace::Lane& lane, std::vector<Segment>& segments) {
    segments.clear();
    LaneSweep sweep(run.slices, segments);
    for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice) sweep.open(slice);
    sweep.finish();
}

}  // namespace gwatch::report
