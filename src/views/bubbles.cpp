#include "views/bubbles.h"

#include <algorithm>
#include <map>

#include "trace/statistics.h"
#include "views/longest.h"

namespace gwatch::views {

namespace {

bool is_longer(const Bubble& a, const Bubble& b) {
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return a.lane != b.lane ? a.lane < b.lane : a.start_ns < b.start_ns;
}

/// Adds up the bubbles of all lanes.
class BubbleFinder {
  public:
    BubbleFinder(const trace::Run& run, std::size_t limit, const std::vector<std::uint32_t>& scopes)
        : run_(run), longest_(limit, &is_longer), is_wanted_(run.scopes.size(), scopes.empty()) {
        for (const std::uint32_t scope : scopes) is_wanted_[scope] = true;
        wants_all_ = scopes.empty();
    }

    void add_lane(std::uint32_t index, std::int64_t end_ns) {
        const trace::Lane& lane = run_.lanes[index];
        std::int64_t covered_to = lane.enter_ns;
        std::uint32_t before = kNoScope;
        for (std::uint64_t slice = lane.first_slice; slice < lane.end_slice; ++slice) {
            const std::int64_t start = run_.slices.start_ns[slice];
            const std::int64_t end = start + run_.slices.duration_ns[slice];
            add({index, covered_to, start - covered_to, before, run_.slices.scope[slice]});
            if (end > covered_to || (end == covered_to && before == kNoScope))
                before = run_.slices.scope[slice];
            covered_to = std::max(covered_to, end);
        }
        add({index, covered_to, end_ns - covered_to, before, kNoScope});
    }

    Bubbles take() {
        for (const auto& entry : kinds_) result_.kinds.push_back(entry.second);
        std::stable_sort(
            result_.kinds.begin(), result_.kinds.end(),
            [](const BubbleKind& a, const BubbleKind& b) { return a.total_ns > b.total_ns; });
        result_.longest = longest_.take();
        return std::move(result_);
    }

  private:
    bool is_wanted(std::uint32_t scope) const { return scope != kNoScope && is_wanted_[scope]; }

    void add(const Bubble& bubble) {
        if (bubble.duration_ns <= 0) return;
        if (!wants_all_ && !is_wanted(bubble.before) && !is_wanted(bubble.after)) return;
        const std::uint64_t key = (std::uint64_t{bubble.before} << 32) | bubble.after;
        BubbleKind& kind =
            kinds_.try_emplace(key, BubbleKind{bubble.before, bubble.after, 0, 0, 0}).first->second;
        ++kind.count;
        kind.total_ns += bubble.duration_ns;
        kind.longest_ns = std::max(kind.longest_ns, bubble.duration_ns);
        ++result_.count;
        result_.total_ns += bubble.duration_ns;
        longest_.offer(bubble);
    }

    const trace::Run& run_;
    FirstOf<Bubble, bool (*)(const Bubble&, const Bubble&)> longest_;
    std::vector<bool> is_wanted_;
    bool wants_all_ = true;
    std::map<std::uint64_t, BubbleKind> kinds_;
    Bubbles result_;
};

}  // namespace

Bubbles find_bubbles(const trace::Run& run, std::size_t limit,
                     const std::vector<std::uint32_t>& scopes) {
    BubbleFinder finder(run, limit, scopes);
    std::int64_t lifetime = 0;
    for (const trace::LaneActivity& activity : trace::lane_activity(run)) {
        lifetime += activity.lifetime_ns;
        finder.add_lane(activity.lane, run.lanes[activity.lane].enter_ns + activity.lifetime_ns);
    }
    Bubbles bubbles = finder.take();
    bubbles.lifetime_ns = lifetime;
    return bubbles;
}

}  // namespace gwatch::views
