#include "views/overlap.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gwatch::views {

namespace {

constexpr std::size_t kMostPlaces = 16;
constexpr std::uint32_t kNone = ~0u;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Scopes with slices, most time first, as many as are counted.
std::vector<std::uint32_t> busiest_scopes(const trace::Run& run) {
    std::vector<std::uint64_t> totals(run.scopes.size(), 0);
    for (std::size_t i = 0; i < run.slices.size(); ++i)
        totals[run.slices.scope[i]] += static_cast<std::uint64_t>(run.slices.duration_ns[i]);
    std::vector<std::uint32_t> scopes(run.scopes.size());
    std::iota(scopes.begin(), scopes.end(), 0);
    std::erase_if(scopes, [&](std::uint32_t scope) { return totals[scope] == 0; });
    std::stable_sort(scopes.begin(), scopes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return totals[a] > totals[b]; });
    scopes.resize(std::min(scopes.size(), kMostPlaces));
    std::sort(scopes.begin(), scopes.end());
    return scopes;
}

}  // namespace

OverlapCounter::OverlapCounter(const trace::Run& run, std::int64_t begin_ns, std::int64_t end_ns)
    : begin_ns_(begin_ns),
      end_ns_(end_ns),
      counted_(busiest_scopes(run)),
      place_of_(run.scopes.size(), kNone),
      warps_in_(counted_.size(), 0),
      time_by_set_(std::size_t{1} << counted_.size(), 0) {
    for (std::uint32_t place = 0; place < counted_.size(); ++place)
        place_of_[counted_[place]] = place;
}

void OverlapCounter::begin_lane(std::uint64_t block) {
    if (lanes_ > 0 && block != block_) finish_block();
    block_ = block;
    if (changes_.size() == lanes_) changes_.emplace_back();
    changes_[lanes_++].clear();
}

void OverlapCounter::add(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t scope) {
    start_ns = std::max(start_ns, begin_ns_);
    end_ns = std::min(end_ns, end_ns_);
    if (start_ns >= end_ns) return;
    std::vector<Change>& changes = changes_[lanes_ - 1];
    if (!changes.empty() && changes.back().time_ns == start_ns) changes.pop_back();
    changes.push_back({start_ns, place_of_[scope]});
    changes.push_back({end_ns, kNone});
}

std::int64_t OverlapCounter::apply(Reader& reader, std::int64_t time_ns) {
    while (reader.next != reader.end && reader.next->time_ns <= time_ns) {
        if (reader.place != kNone && --warps_in_[reader.place] == 0)
            active_ &= ~(1u << reader.place);
        reader.place = reader.next->place;
        if (reader.place != kNone && warps_in_[reader.place]++ == 0) active_ |= 1u << reader.place;
        ++reader.next;
    }
    return reader.next != reader.end ? reader.next->time_ns : kNever;
}

/// Merges the lanes of the block: at each change of any of them, adds the time since the last.
void OverlapCounter::finish_block() {
    std::vector<Reader> readers;
    std::vector<std::int64_t> next_ns;  // of each reader; beside each other, for many look-ups
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const std::vector<Change>& changes = changes_[lane];
        if (changes.empty()) continue;
        readers.push_back({changes.data(), changes.data() + changes.size(), kNone});
        next_ns.push_back(changes.front().time_ns);
    }
    lanes_ = 0;
    std::int64_t before = 0;
    while (true) {
        std::int64_t now = kNever;
        for (const std::int64_t next : next_ns) now = std::min(now, next);
        if (now == kNever) return;
        if (active_ != 0) time_by_set_[active_] += now - before;
        for (std::size_t i = 0; i < readers.size(); ++i)
            if (next_ns[i] <= now) next_ns[i] = apply(readers[i], now);
        before = now;
    }
}

std::vector<ScopeOverlap> OverlapCounter::take() {
    finish_block();
    std::vector<ScopeOverlap> pairs;
    const auto places = static_cast<std::uint32_t>(counted_.size());
    for (std::uint32_t first = 0; first < places; ++first) {
        for (std::uint32_t second = first + 1; second < places; ++second) {
            ScopeOverlap pair{counted_[first], counted_[second], 0, 0, 0};
            for (std::size_t set = 1; set < time_by_set_.size(); ++set) {
                const bool has_first = (set >> first & 1) != 0;
                const bool has_second = (set >> second & 1) != 0;
                if (has_first) pair.first_ns += time_by_set_[set];
                if (has_second) pair.second_ns += time_by_set_[set];
                if (has_first && has_second) pair.both_ns += time_by_set_[set];
            }
            if (pair.both_ns > 0) pairs.push_back(pair);
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const ScopeOverlap& a, const ScopeOverlap& b) {
        return a.both_ns > b.both_ns;
    });
    return pairs;
}

}  // namespace gwatch::views
