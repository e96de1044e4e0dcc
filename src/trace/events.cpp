#include "trace/events.h"

#include <algorithm>
#include <utility>

#include "trace/hot_records.h"

namespace gwatch::trace {

namespace {

/// Converts clocks that mostly ascend: keeps the piece of the line that holds.
class Converter {
  public:
    Converter(const ClockLine& line, std::uint64_t first_clock) : line_(line) {
        enter(first_clock);
    }

    std::int64_t ns(std::uint64_t clock) {
        if (clock >= next_clock_) enter(clock);
        const double ns =
            knot_.ns +
            knot_.rate * static_cast<double>(static_cast<std::int64_t>(clock - knot_.clock));
        return whole_ns(ns);
    }

  private:
    void enter(std::uint64_t clock) {
        const std::size_t piece = line_.piece_at(clock);
        knot_ = line_.knots()[piece];
        next_clock_ = piece + 1 < line_.knots().size() ? line_.knots()[piece + 1].clock : ~0ull;
    }

    const ClockLine& line_;
    ClockKnot knot_{};
    std::uint64_t next_clock_ = 0;
};

}  // namespace

const std::vector<Event>& EventReader::read(const WarpRecords& warp, const ClockLine& line,
                                            std::int64_t enter_ns) {
    payloads_.clear();
    if (warp.cold_run_count == 0) {
        read_hot(warp, line, enter_ns);
        return events_;
    }
    gathered_.clear();
    run_ends_.clear();
    const std::optional<std::uint64_t> open_since = gather_hot(warp);
    const std::span<const ColdRun> runs = raw_.cold_of(warp);
    for (std::size_t i = 0; i < runs.size(); ++i) gather_cold(warp, runs.subspan(i));
    merge_runs();
    if (open_since && gathered_.back().clock >= *open_since + kLongPause) ++faults_.unsure_pauses;
    time_gathered(line, enter_ns);
    return events_;
}

/// The common case in one pass: hot records of one warp ascend, and all of its threads took part.
void EventReader::read_hot(const WarpRecords& warp, const ClockLine& line, std::int64_t enter_ns) {
    // A slot holds at most two sites' clocks.
    const std::size_t most = 2 * warp.slots.size();
    if (events_.size() < most) events_.resize(most);
    Converter converter(line, warp.header.clock);
    Event* to = events_.data();
    const auto visit = [&](std::uint32_t site, std::uint64_t clock, const std::uint64_t* payload) {
        if (payload != nullptr)
            payloads_.push_back({static_cast<std::uint32_t>(to - events_.data()),
                                 sites_.cut_payload(site, *payload)});
        *to++ = {std::max(converter.ns(clock), enter_ns), site, warp.threads};
    };
    for_each_hot(warp, sites_, &faults_, visit);
    events_.resize(static_cast<std::size_t>(to - events_.data()));
}

/// As for_each_hot(): a pause behind the last hot record may only show by a cold one.
std::optional<std::uint64_t> EventReader::gather_hot(const WarpRecords& warp) {
    const auto visit = [&](std::uint32_t site, std::uint64_t clock, const std::uint64_t* payload) {
        gathered_.push_back({clock, site, warp.threads});
        if (payload == nullptr) return;
        const std::uint64_t bits = sites_.cut_payload(site, *payload);
        gathered_.push_back({clock, kLowWord, static_cast<std::uint32_t>(bits)});
        gathered_.push_back({clock, kHighWord, static_cast<std::uint32_t>(bits >> 32)});
    };
    const auto open_since = for_each_hot(warp, sites_, &faults_, visit);
    end_run(0);
    return open_since;
}

/// The second unit of a 64-bit payload: right behind the first one, or, where that ends its chunk,
/// at the head of a later chunk of the lane. A lane may fill two chunks by turns, one from the
/// entry and one from device functions.
const record::Unit* EventReader::high_half_of(std::span<const ColdRun> runs, std::size_t unit) {
    const std::span<const record::Unit> units = runs.front().units;
    const record::Unit& low = units[unit];
    const auto is_other_half = [&](const record::Unit& high) {
        return high.site == record::kPayloadHighSite && high.clock_low == low.clock_low &&
               high.clock_high == low.clock_high && high.mask == low.mask;
    };
    if (unit + 1 < units.size()) return is_other_half(units[unit + 1]) ? &units[unit + 1] : nullptr;
    for (const ColdRun& run : runs.subspan(1)) {
        if (run.lane != runs.front().lane) break;
        if (!run.units.empty() && is_other_half(run.units.front())) return &run.units.front();
    }
    return nullptr;
}

void EventReader::gather_payload(std::span<const ColdRun> runs, std::size_t unit) {
    const record::Unit& low = runs.front().units[unit];
    if (!sites_.has_payload(low.site)) return;
    const std::uint64_t clock = gathered_.back().clock;
    gathered_.push_back({clock, kLowWord, low.word});
    if (sites_.payload_bits(low.site) != 64) return;
    if (const record::Unit* high = high_half_of(runs, unit))
        gathered_.push_back({clock, kHighWord, high->word});
}

/// The first of the runs; the others may have halves of its payloads.
void EventReader::gather_cold(const WarpRecords& warp, std::span<const ColdRun> runs) {
    const std::size_t first = gathered_.size();
    const bool has_payloads = sites_.has_payloads();
    std::uint64_t last_clock = warp.header.clock;
    for (std::size_t i = 0; i < runs.front().units.size(); ++i) {
        const record::Unit& unit = runs.front().units[i];
        if (has_payloads && unit.site == record::kPayloadHighSite) continue;
        const std::uint64_t clock = unwrap_clock(clock48_of(unit), warp.header.clock);
        faults_.clocks_backwards += clock < last_clock ? 1 : 0;
        last_clock = std::max(clock, last_clock);
        const std::uint32_t mask = unit.mask & warp.threads;
        if (mask == 0) {
            ++faults_.stray_masks;
            continue;
        }
        gathered_.push_back({last_clock, unit.site, mask});
        if (has_payloads) gather_payload(runs, i);
    }
    end_run(first);
}

/// What was gathered from `first` on is a run; it goes on the one before when it begins after that
/// one's end.
void EventReader::end_run(std::size_t first) {
    if (first == gathered_.size()) return;
    if (!run_ends_.empty() && gathered_[first - 1].clock <= gathered_[first].clock)
        run_ends_.pop_back();
    run_ends_.push_back(gathered_.size());
}

/// Merges neighbouring runs until there is one. Of equal clocks the earlier run's come first, so
/// the words of a payload stay behind their record.
void EventReader::merge_runs() {
    const auto by_clock = [](const Gathered& a, const Gathered& b) { return a.clock < b.clock; };
    while (run_ends_.size() > 1) {
        merged_.resize(gathered_.size());
        std::vector<std::size_t> ends;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < run_ends_.size(); i += 2) {
            const std::size_t middle = run_ends_[i];
            const std::size_t end = i + 1 < run_ends_.size() ? run_ends_[i + 1] : middle;
            std::merge(gathered_.data() + begin, gathered_.data() + middle,
                       gathered_.data() + middle, gathered_.data() + end, merged_.data() + begin,
                       by_clock);
            ends.push_back(end);
            begin = end;
        }
        gathered_.swap(merged_);
        run_ends_ = std::move(ends);
    }
}

void EventReader::time_gathered(const ClockLine& line, std::int64_t enter_ns) {
    events_.resize(gathered_.size());
    if (gathered_.empty()) return;
    Converter converter(line, gathered_.front().clock);
    Event* to = events_.data();
    for (std::size_t i = 0; i < gathered_.size(); ++i) {
        const Gathered& one = gathered_[i];
        if (one.site >= kLowWord) {
            add_word(i, static_cast<std::uint32_t>(to - events_.data() - 1));
            continue;
        }
        *to++ = {std::max(converter.ns(one.clock), enter_ns), one.site, one.mask};
    }
    events_.resize(static_cast<std::size_t>(to - events_.data()));
}

/// A payload of 64 bits needs both its words.
void EventReader::add_word(std::size_t index, std::uint32_t event) {
    const Gathered& word = gathered_[index];
    const bool has_high = index + 1 < gathered_.size() && gathered_[index + 1].site == kHighWord;
    if (word.site == kHighWord) {
        payloads_.back().bits |= std::uint64_t{word.mask} << 32;
    } else if (has_high || sites_.payload_bits(events_[event].site) == 32) {
        payloads_.push_back({event, word.mask});
    } else {
        ++faults_.lost_payloads;
    }
}

}  // namespace gwatch::trace
