#include "views/diff.h"

#include <algorithm>
#include <map>
#include <memory>

#include "trace/statistics.h"

namespace gwatch::views {

namespace {

/// Groups with slices of a scope, below which its figures get no interval.
constexpr std::size_t kFewestGroups = 5;
const std::vector<double> kFractions{0.50, 0.95};

/// What resamples of one scope give, [resample].
struct ScopeResamples {
    std::vector<double> p50_ns;
    std::vector<double> p95_ns;
    std::vector<double> total_ns;
    std::vector<double> share;
};

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/// One of the two runs with its statistics and its resamples.
class Side {
  public:
    Side(const trace::Run& run, SamplingUnit unit, std::size_t resamples, std::uint64_t seed)
        : run_(run),
          groups_(sampling_groups(run, unit)),
          draws_(groups_.groups, resamples, seed),
          summary_(trace::pipeline_summary(run, 0)),
          statistics_(run.scopes.size()) {
        for (const trace::ScopeStatistics& scope : trace::scope_statistics(run))
            statistics_[scope.scope] = scope;
        if (groups_.groups > 0) split_by_scope();
    }

    const trace::ScopeStatistics& statistics(std::uint32_t scope) const {
        return statistics_[scope];
    }

    double lifetime_ns() const { return static_cast<double>(summary_.lifetime_ns); }
    double gap_ns() const { return static_cast<double>(summary_.gap_ns); }
    double warps() const { return static_cast<double>(summary_.warps); }

    /// Of the mean lifetime of a warp.
    std::vector<double> lifetimes() const {
        return each([&](std::size_t resample) {
            return ratio(draws_.sum(groups_.lifetime_ns, resample),
                         draws_.sum(groups_.warps, resample));
        });
    }

    std::vector<double> gap_shares() const {
        return each([&](std::size_t resample) {
            return ratio(draws_.sum(groups_.gap_ns, resample),
                         draws_.sum(groups_.lifetime_ns, resample));
        });
    }

    /// Nothing when too few groups have slices of the scope.
    std::optional<ScopeResamples> resample(std::uint32_t scope) {
        if (groups_.groups == 0) return std::nullopt;
        std::vector<double> totals(groups_.groups, 0);
        std::vector<bool> has_slices(groups_.groups, false);
        std::size_t groups_with_slices = 0;
        for (const WeightedDurations::Item& item : items_[scope]) {
            totals[item.group] += static_cast<double>(item.duration_ns);
            if (!has_slices[item.group]) ++groups_with_slices;
            has_slices[item.group] = true;
        }
        if (groups_with_slices < kFewestGroups) return std::nullopt;
        return resample_items(std::move(items_[scope]), totals);
    }

  private:
    void split_by_scope() {
        items_.resize(run_.scopes.size());
        for (std::uint32_t scope = 0; scope < items_.size(); ++scope)
            items_[scope].reserve(statistics_[scope].count);
        for (std::size_t i = 0; i < run_.slices.size(); ++i)
            items_[run_.slices.scope[i]].push_back(
                {run_.slices.duration_ns[i], groups_.group_of_slice[i]});
    }

    ScopeResamples resample_items(std::vector<WeightedDurations::Item> items,
                                  const std::vector<double>& totals) const {
        const WeightedDurations durations(std::move(items), groups_.groups);
        ScopeResamples made;
        std::vector<double> values;
        for (std::size_t resample = 0; resample < draws_.resamples(); ++resample) {
            durations.percentiles(draws_.weights(resample), kFractions, values);
            made.p50_ns.push_back(values[0]);
            made.p95_ns.push_back(values[1]);
            const double total = draws_.sum(totals, resample);
            made.total_ns.push_back(total);
            made.share.push_back(ratio(total, draws_.sum(groups_.lifetime_ns, resample)));
        }
        return made;
    }

    template <class Figure>
    std::vector<double> each(const Figure& figure) const {
        std::vector<double> values;
        for (std::size_t resample = 0; resample < draws_.resamples(); ++resample)
            values.push_back(figure(resample));
        return values;
    }

    const trace::Run& run_;
    SamplingGroups groups_;
    Draws draws_;
    trace::PipelineSummary summary_;
    std::vector<trace::ScopeStatistics> statistics_;
    std::vector<std::vector<WeightedDurations::Item>> items_;  ///< [scope]
};

std::optional<Interval> difference(const std::vector<double>& before,
                                   const std::vector<double>& after) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
    return interval_of(std::move(differences));
}

/// The n-th scope of a name.
using Key = std::pair<std::string, std::size_t>;

std::map<Key, std::uint32_t> by_key(const trace::Run& run, std::vector<Key>& order) {
    std::map<std::string, std::size_t> seen;
    std::map<Key, std::uint32_t> places;
    for (std::uint32_t scope = 0; scope < run.scopes.size(); ++scope) {
        const std::string& name = run.scopes[scope].name;
        order.emplace_back(name, seen[name]++);
        places[order.back()] = scope;
    }
    return places;
}

std::vector<ScopeChange> matched_scopes(const trace::Run& before, const trace::Run& after) {
    std::vector<Key> keys_before;
    std::vector<Key> keys_after;
    const std::map<Key, std::uint32_t> places_before = by_key(before, keys_before);
    const std::map<Key, std::uint32_t> places_after = by_key(after, keys_after);
    std::vector<ScopeChange> scopes;
    for (const Key& key : keys_before) {
        ScopeChange change;
        change.name = key.first;
        change.before = places_before.at(key);
        const auto found = places_after.find(key);
        if (found != places_after.end()) change.after = found->second;
        scopes.push_back(change);
    }
    for (const Key& key : keys_after) {
        if (places_before.contains(key)) continue;
        ScopeChange change;
        change.name = key.first;
        change.after = places_after.at(key);
        scopes.push_back(change);
    }
    return scopes;
}

/// Fills the figures of one side: `half` is &Change::before or &Change::after.
void fill_half(const Side& side, const trace::ScopeStatistics& scope, double Change::* half,
               ScopeChange& change) {
    change.p50_ns.*half = scope.p50_ns;
    change.p95_ns.*half = scope.p95_ns;
    change.total_ns.*half = static_cast<double>(scope.total_ns);
    change.share.*half = ratio(change.total_ns.*half, side.lifetime_ns());
}

void fill_figures(const Side& before, const Side& after, ScopeChange& change) {
    if (change.before) {
        const trace::ScopeStatistics& scope = before.statistics(*change.before);
        change.count_before = scope.count;
        fill_half(before, scope, &Change::before, change);
    }
    if (change.after) {
        const trace::ScopeStatistics& scope = after.statistics(*change.after);
        change.count_after = scope.count;
        fill_half(after, scope, &Change::after, change);
    }
}

void fill_intervals(Side& before, Side& after, ScopeChange& change) {
    if (!change.before || !change.after) return;
    const std::optional<ScopeResamples> first = before.resample(*change.before);
    const std::optional<ScopeResamples> second = after.resample(*change.after);
    if (!first || !second) return;
    change.p50_ns.difference = difference(first->p50_ns, second->p50_ns);
    change.p95_ns.difference = difference(first->p95_ns, second->p95_ns);
    change.total_ns.difference = difference(first->total_ns, second->total_ns);
    change.share.difference = difference(first->share, second->share);
}

bool have_same_warps(const trace::Run& before, const trace::Run& after) {
    return std::equal(before.lanes.begin(), before.lanes.end(), after.lanes.begin(),
                      after.lanes.end(), [](const trace::Lane& a, const trace::Lane& b) {
                          return a.block == b.block && a.warp == b.warp;
                      });
}

}  // namespace

RunDiff diff_runs(const trace::Run& before, const trace::Run& after, const DiffOptions& options) {
    RunDiff diff;
    diff.unit = common_unit(before, after);
    diff.is_paired = diff.unit != SamplingUnit::kNone && diff.unit != SamplingUnit::kStretches &&
                     have_same_warps(before, after);
    Side first(before, diff.unit, options.resamples, 2 * options.seed);
    const std::uint64_t other_seed = 2 * options.seed + (diff.is_paired ? 0 : 1);
    Side second(after, diff.unit, options.resamples, other_seed);
    diff.lifetime_ns = {ratio(first.lifetime_ns(), first.warps()),
                        ratio(second.lifetime_ns(), second.warps())};
    diff.gap_share = {ratio(first.gap_ns(), first.lifetime_ns()),
                      ratio(second.gap_ns(), second.lifetime_ns())};
    if (diff.unit == SamplingUnit::kBlocks || diff.unit == SamplingUnit::kWarps) {
        diff.lifetime_ns.difference = difference(first.lifetimes(), second.lifetimes());
        diff.gap_share.difference = difference(first.gap_shares(), second.gap_shares());
    }
    diff.scopes = matched_scopes(before, after);
    for (ScopeChange& change : diff.scopes) {
        fill_figures(first, second, change);
        fill_intervals(first, second, change);
    }
    return diff;
}

}  // namespace gwatch::views
