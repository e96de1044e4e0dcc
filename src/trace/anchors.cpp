#include "trace/anchors.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace gwatch::trace {

namespace {

constexpr std::size_t kMostAnchors = 8192;
/// Timers further from the first entry than this (a year) are no readings.
constexpr std::uint64_t kFarthestNs = 1ull << 55;
constexpr double kFirstRingNs = 2e9;
constexpr double kHalfLowWordNs = 2147483648.0;
/// How far an assumed rate may be off, relative: clocks run from 0.9 to 2.4 GHz.
constexpr double kAssumedRateMiss = 0.6;

/// A rate that entries and exits tell so far.
struct KnownRate {
    double ns_per_cycle;
    double uncertainty;  ///< relative

    /// Whether it puts a low word of the timer into the right one of the spans that it repeats in.
    bool places(double elapsed_ns) const { return elapsed_ns * uncertainty < kHalfLowWordNs; }
};

/// Keeps every anchor at first, then every second one, every fourth and so on.
class ThinnedAnchors {
  public:
    void add(const Anchor& anchor) {
        if (seen_++ % step_ != 0) return;
        if (anchors_.size() >= kMostAnchors) thin();
        anchors_.push_back(anchor);
    }
    std::vector<Anchor> take() { return std::move(anchors_); }
    const std::vector<Anchor>& anchors() const { return anchors_; }

  private:
    void thin() {
        for (std::size_t i = 0; i < anchors_.size() / 2; ++i) anchors_[i] = anchors_[2 * i];
        anchors_.resize(anchors_.size() / 2);
        step_ *= 2;
    }

    std::vector<Anchor> anchors_;
    std::uint64_t seen_ = 0;
    std::uint64_t step_ = 1;
};

/// Readings of one SM. In late ones the timer was read a memory access after the clock: the record
/// took a chunk in between, or fetched a lane cursor.
struct SmReadings {
    ThinnedAnchors prompt;
    ThinnedAnchors late;
};

std::uint64_t last_clock(const std::vector<Anchor>& anchors) {
    std::uint64_t last = 0;
    for (const Anchor& anchor : anchors) last = std::max(last, anchor.clock);
    return last;
}

/// The prompt ones; the late ones too when they reach more than twice as far.
std::vector<Anchor> best_of(SmReadings* readings) {
    std::vector<Anchor> anchors = readings->prompt.take();
    const std::vector<Anchor> late = readings->late.take();
    if (late.empty()) return anchors;
    std::uint64_t first = late.front().clock;
    for (const Anchor& anchor : anchors) first = std::min(first, anchor.clock);
    const std::uint64_t reach = anchors.empty() ? 0 : last_clock(anchors) - first;
    if ((last_clock(late) - first) / 2 > reach) {
        anchors.insert(anchors.end(), late.begin(), late.end());
    }
    return anchors;
}

class Collector {
  public:
    Collector(const RawWarps& raw, const SiteActions& sites) : raw_(raw), sites_(sites) {}

    SmAnchors run() {
        find_origin();
        number_sms();
        for (std::size_t i = 0; i < raw_.warps.size(); ++i) add_full_readings(i);
        for (const TimerReading& reading : raw_.readings) {
            const std::uint64_t entry = raw_.warps[reading.warp].header.clock;
            add(reading.warp, unwrap_clock(reading.clock48, entry), reading.timer);
        }
        if (!raw_.cold_runs.empty()) add_low_words();
        for (SmReadings& readings : readings_) result_.of_sm.push_back(best_of(&readings));
        return std::move(result_);
    }

  private:
    void find_origin() {
        if (raw_.warps.empty()) return;
        result_.origin = raw_.warps.front().header.globaltimer;
        for (const WarpRecords& warp : raw_.warps) {
            result_.origin = std::min(result_.origin, warp.header.globaltimer);
        }
    }

    void number_sms() {
        std::unordered_map<std::uint32_t, std::uint32_t> numbers;
        for (const WarpRecords& warp : raw_.warps) {
            const auto next = static_cast<std::uint32_t>(numbers.size());
            result_.sm_of_warp.push_back(numbers.try_emplace(warp.header.sm, next).first->second);
        }
        readings_.resize(numbers.size());
    }

    void add(std::size_t warp, std::uint64_t clock, std::uint64_t timer, bool late = false) {
        if (timer < result_.origin || timer - result_.origin > kFarthestNs || clock == 0) return;
        SmReadings& readings = readings_[result_.sm_of_warp[warp]];
        (late ? readings.late : readings.prompt)
            .add({clock, static_cast<std::int64_t>(timer - result_.origin), late});
    }

    /// The entry and the hot exits, which hold all 64 bits of the timer.
    void add_full_readings(std::size_t index) {
        const WarpRecords& warp = raw_.warps[index];
        add(index, warp.header.clock, warp.header.globaltimer);
        const std::size_t count = warp.slots.size();
        if (!warp.ends_with_exit) return;
        const std::uint64_t clock =
            unwrap_clock(clock48_of(warp.slots[count - 2]), warp.header.clock);
        add(index, clock, warp.slots[count - 1]);
    }

    /// The last record of each chunk, if it is an exit. A low word tells the time only when the
    /// rate tells it to 2.1 s, so the nearest to their entry come first, and each ring out to four
    /// times the time refines the rate.
    void add_low_words() {
        double from = 0;
        for (double to = kFirstRingNs; from < static_cast<double>(kFarthestNs); to *= 4) {
            const KnownRate rate = rate_so_far();
            bool any_farther = false;
            for (std::size_t i = 0; i < raw_.warps.size(); ++i) {
                for (const ColdRun& run : raw_.cold_of(raw_.warps[i])) {
                    if (!ends_with_exit(run)) continue;
                    any_farther |=
                        add_low_word(i, run.units.back(), run.units.size() == 1, rate, from, to);
                }
            }
            if (!any_farther) return;
            from = to;
        }
    }

    bool ends_with_exit(const ColdRun& run) const {
        if (run.units.empty()) return false;
        const std::uint16_t site = run.units.back().site;
        return site != record::kPayloadHighSite && sites_.is_exit(site);
    }

    /// Of all timers with this low word, the one nearest to where the entry and the rate put the
    /// record; if that is in [from, to) ns after the entry. Returns whether it is farther.
    bool add_low_word(std::size_t index, const record::Unit& unit, bool took_chunk,
                      const KnownRate& rate, double from, double to) {
        const record::RegionHeader& header = raw_.warps[index].header;
        const std::uint64_t clock = unwrap_clock(clock48_of(unit), header.clock);
        if (clock == 0) return false;
        const double elapsed = static_cast<double>(clock - header.clock) * rate.ns_per_cycle;
        if (elapsed < from || elapsed >= to) return elapsed >= to;
        if (!rate.places(elapsed)) return false;
        const std::uint64_t expected = header.globaltimer + static_cast<std::uint64_t>(elapsed);
        const auto ahead =
            static_cast<std::int32_t>(unit.word - static_cast<std::uint32_t>(expected));
        add(index, clock, expected + static_cast<std::uint64_t>(static_cast<std::int64_t>(ahead)),
            took_chunk || sites_.in_function(unit.site));
        return false;
    }

    KnownRate rate_so_far() const {
        std::vector<std::vector<Anchor>> all;
        for (const SmReadings& readings : readings_) {
            all.push_back(readings.prompt.anchors());
            all.back().insert(all.back().end(), readings.late.anchors().begin(),
                              readings.late.anchors().end());
        }
        const ClockFit fit = fit_clocks(all, result_.origin);
        return {fit.ns_per_cycle, fit.rate_assumed ? kAssumedRateMiss : fit.rate_uncertainty};
    }

    const RawWarps& raw_;
    const SiteActions& sites_;
    SmAnchors result_;
    std::vector<SmReadings> readings_;
};

}  // namespace

SmAnchors collect_anchors(const RawWarps& raw, const SiteActions& sites) {
    return Collector(raw, sites).run();
}

}  // namespace gwatch::trace
