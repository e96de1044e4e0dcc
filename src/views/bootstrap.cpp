#include "views/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gwatch::views {

namespace {

constexpr std::size_t kMostSingleItems = 65536;
constexpr std::size_t kBins = 1000;
constexpr double kOutside = 0.025;  ///< share of resamples on each side of the interval

/// SplitMix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    /// Below `limit`, which is at most 2^32.
    std::uint32_t below(std::size_t limit) {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        mixed ^= mixed >> 31;
        return static_cast<std::uint32_t>(((mixed >> 32) * limit) >> 32);
    }

  private:
    std::uint64_t state_;
};

}  // namespace

Draws::Draws(std::size_t groups, std::size_t resamples, std::uint64_t seed)
    : groups_(groups), resamples_(groups == 0 ? 0 : resamples), weights_(groups * resamples_, 0) {
    Random random(seed);
    for (std::size_t resample = 0; resample < resamples_; ++resample)
        for (std::size_t drawn = 0; drawn < groups_; ++drawn)
            ++weights_[resample * groups_ + random.below(groups_)];
}

double Draws::sum(const std::vector<double>& figures, std::size_t resample) const {
    const std::uint32_t* weight = weights(resample);
    double sum = 0;
    for (std::size_t group = 0; group < groups_; ++group) sum += weight[group] * figures[group];
    return sum;
}

WeightedDurations::WeightedDurations(std::vector<Item> items, std::size_t groups)
    : groups_(groups) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        return a.duration_ns != b.duration_ns ? a.duration_ns < b.duration_ns : a.group < b.group;
    });
    const bool is_single = items.size() <= kMostSingleItems;
    const std::size_t bins = is_single ? items.size() : kBins;
    if (!is_single) counts_.assign(bins * groups, 0);
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const std::size_t first = items.size() * bin / bins;
        const std::size_t end = items.size() * (bin + 1) / bins;
        bins_.push_back({static_cast<double>(items[first].duration_ns),
                         static_cast<double>(items[end - 1].duration_ns)});
        if (is_single) group_of_bin_.push_back(items[first].group);
        for (std::size_t i = first; !is_single && i < end; ++i)
            ++counts_[bin * groups + items[i].group];
    }
}

void WeightedDurations::weigh(const std::uint32_t* weights,
                              std::vector<std::uint64_t>& bins) const {
    bins.resize(bins_.size());
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
        if (counts_.empty()) {
            bins[bin] = weights[group_of_bin_[bin]];
            continue;
        }
        const std::uint32_t* counts = counts_.data() + bin * groups_;
        std::uint64_t sum = 0;
        for (std::size_t group = 0; group < groups_; ++group)
            sum += std::uint64_t{counts[group]} * weights[group];
        bins[bin] = sum;
    }
}

void WeightedDurations::percentiles(const std::uint32_t* weights,
                                    const std::vector<double>& fractions,
                                    std::vector<double>& values) const {
    std::vector<std::uint64_t> bins;
    weigh(weights, bins);
    std::uint64_t total = 0;
    for (const std::uint64_t weight : bins) total += weight;
    values.assign(fractions.size(), std::numeric_limits<double>::quiet_NaN());
    if (total == 0) return;
    std::size_t bin = 0;
    std::uint64_t below = 0;  // weight in front of the bin
    for (std::size_t i = 0; i < fractions.size(); ++i) {
        const double rank = fractions[i] * static_cast<double>(total - 1);
        while (static_cast<double>(below + bins[bin]) <= rank) below += bins[bin++];
        const double inside = (rank - static_cast<double>(below)) / static_cast<double>(bins[bin]);
        values[i] = bins_[bin].first_ns + inside * (bins_[bin].last_ns - bins_[bin].first_ns);
    }
}

std::optional<Interval> interval_of(std::vector<double> differences) {
    const bool is_complete = std::all_of(differences.begin(), differences.end(),
                                         [](double value) { return std::isfinite(value); });
    if (differences.empty() || !is_complete) return std::nullopt;
    std::sort(differences.begin(), differences.end());
    const auto last = static_cast<double>(differences.size() - 1);
    return Interval{differences[static_cast<std::size_t>(std::floor(kOutside * last))],
                    differences[static_cast<std::size_t>(std::ceil((1 - kOutside) * last))]};
}

}  // namespace gwatch::views
