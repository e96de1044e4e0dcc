#include "views/segments.h"

#include <limits>

namespace gwatch::views {

const std::vector<report::Segment>& Segmenter::segments_of(const trace::Lane& lane) {
    if (!flatten_nested(lane)) report::flatten_lane(run_, lane, segments_);
    return segments_;
}

/// False as soon as a slice is not inside the one that is open around it.
bool Segmenter::flatten_nested(const trace::Lane& lane) {
    const trace::Slices& slices = run_.slices;
    segments_.clear();
    open_.clear();
    now_ns_ = std::numeric_limits<std::int64_t>::min();
    for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice) {
        const std::int64_t start = slices.start_ns[slice];
        const std::int64_t end = start + slices.duration_ns[slice];
        if (end <= start) continue;
        close_until(start);
        if (!open_.empty()) {
            const Open& around = open_.back();
            if (end > around.end_ns || slices.depth[slice] <= slices.depth[around.slice])
                return false;
            emit(start, around.slice);
        }
        now_ns_ = start;
        open_.push_back({end, slice});
    }
    close_until(std::numeric_limits<std::int64_t>::max());
    return true;
}

void Segmenter::close_until(std::int64_t time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) {
        emit(open_.back().end_ns, open_.back().slice);
        open_.pop_back();
    }
}

void Segmenter::emit(std::int64_t until_ns, std::uint64_t slice) {
    if (until_ns <= now_ns_) return;
    segments_.push_back({now_ns_, until_ns, slice});
    now_ns_ = until_ns;
}

}  // namespace gwatch::views
