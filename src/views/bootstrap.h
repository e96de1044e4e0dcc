#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gwatch::views {

/// An interval that holds the true difference in 95 of 100 cases.
struct Interval {
    double low;
    double high;
    bool excludes_zero() const { return low > 0 || high < 0; }
};

/// How often each group is drawn in each of several resamples of a run; the same for the same seed
/// on every machine.
class Draws {
  public:
    Draws(std::size_t groups, std::size_t resamples, std::uint64_t seed);

    std::size_t resamples() const { return resamples_; }
    std::size_t groups() const { return groups_; }
    /// [group], of one resample.
    const std::uint32_t* weights(std::size_t resample) const {
        return weights_.data() + resample * groups_;
    }
    /// The sum of a figure of each group, in one resample.
    double sum(const std::vector<double>& figures, std::size_t resample) const;

  private:
    std::size_t groups_;
    std::size_t resamples_;
    std::vector<std::uint32_t> weights_;
};

/// Durations of one scope, ready for percentiles of resamples. Beyond 65,536 they are put into
/// bins of one thousandth of them each, which keeps percentiles right to a tenth of a percent of
/// rank.
class WeightedDurations {
  public:
    struct Item {
        std::int64_t duration_ns;
        std::uint32_t group;
    };

    WeightedDurations(std::vector<Item> items, std::size_t groups);

    /// Percentiles of one resample, for ascending fractions; NaN when it holds nothing.
    void percentiles(const std::uint32_t* weights, const std::vector<double>& fractions,
                     std::vector<double>& values) const;

  private:
    struct Bin {
        double first_ns;
        double last_ns;
    };

    void weigh(const std::uint32_t* weights, std::vector<std::uint64_t>& bins) const;

    std::vector<Bin> bins_;
    std::vector<std::uint32_t> group_of_bin_;  ///< when a bin is one duration
    std::vector<std::uint32_t> counts_;        ///< else [bin * groups + group]
    std::size_t groups_;
};

/// The 95 % interval of some resampled differences; nothing when one of them is not a number, or
/// there are none.
std::optional<Interval> interval_of(std::vector<double> differences);

}  // namespace gwatch::views
