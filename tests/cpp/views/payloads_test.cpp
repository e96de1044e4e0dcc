#include "views/payloads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "random_run.h"
#include "report/payload.h"
#include "views/select.h"

namespace gwatch::views {
namespace {

using testing::below;
using testing::random_run;
using trace::PayloadKind;

/// Gives about two of three slices a payload, and makes marks, half of them with one.
trace::Run run_with_payloads(std::uint32_t seed) {
    trace::Run run = random_run(seed, false);
    std::mt19937 random(seed + 1000);
    const PayloadKind kinds[] = {PayloadKind::kSigned32, PayloadKind::kFloat32, PayloadKind::kNone};
    for (std::size_t scope = 0; scope < 3; ++scope) run.scopes[scope].payload = kinds[scope];
    const auto value = [&] { return static_cast<std::uint32_t>(below(random, 7) - 3); };
    for (std::uint64_t row = 0; row < run.slices.size(); ++row) {
        if (random() % 3 == 0) continue;
        run.slices.payloads.row.push_back(row);
        run.slices.payloads.bits.push_back(value());
    }
    for (std::uint32_t mark = 0; mark < 60; ++mark) {
        run.marks.lane.push_back(mark % static_cast<std::uint32_t>(run.lanes.size()));
        run.marks.time_ns.push_back(mark);
        run.marks.scope.push_back(mark % 3);
        run.marks.mask.push_back(1);
        if (random() % 2) continue;
        run.marks.payloads.row.push_back(mark);
        run.marks.payloads.bits.push_back(value());
    }
    return run;
}

double percentile(const std::vector<std::int64_t>& sorted, double fraction) {
    const double rank = fraction * static_cast<double>(sorted.size() - 1);
    const auto below_rank = static_cast<std::size_t>(rank);
    const double low = static_cast<double>(sorted[below_rank]);
    if (below_rank + 1 == sorted.size()) return low;
    return low + (rank - static_cast<double>(below_rank)) *
                     (static_cast<double>(sorted[below_rank + 1]) - low);
}

TEST(Payloads, FiguresAreThoseOfEachValue) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const trace::Run run = run_with_payloads(seed);
        std::map<std::int32_t, std::vector<std::int64_t>> durations;
        std::uint64_t without = 0;
        report::PayloadCursor payloads(run.slices.payloads);
        for (std::uint64_t row = 0; row < run.slices.size(); ++row) {
            if (run.slices.scope[row] != 0) continue;
            if (const std::uint64_t* found = payloads.of(row))
                durations[static_cast<std::int32_t>(*found)].push_back(run.slices.duration_ns[row]);
            else
                ++without;
        }
        const PayloadSummary summary = summarise_payloads(run, 100);
        ASSERT_EQ(summary.slices.size(), 2u);  // the third scope has no payloads
        const ScopePayloads& found = summary.slices[0];
        EXPECT_EQ(found.without, without);
        ASSERT_EQ(found.values.size(), durations.size());
        EXPECT_EQ(found.distinct, durations.size());
        std::size_t place = 0;
        std::int64_t total_of_all = 0;
        for (auto& [value, taken] : durations) {
            std::sort(taken.begin(), taken.end());
            const PayloadValue& entry = found.values[place++];
            EXPECT_EQ(static_cast<std::int32_t>(entry.bits), value);
            EXPECT_EQ(entry.count, taken.size());
            EXPECT_EQ(entry.p50_ns, percentile(taken, 0.5));
            EXPECT_EQ(entry.p95_ns, percentile(taken, 0.95));
            EXPECT_EQ(entry.max_ns, taken.back());
            std::int64_t total = 0;
            for (const std::int64_t duration : taken) total += duration;
            EXPECT_EQ(entry.total_ns, total);
            total_of_all += total;
        }
        EXPECT_EQ(found.total_ns, total_of_all);
        EXPECT_EQ(static_cast<std::int32_t>(found.least), durations.begin()->first);
        EXPECT_EQ(static_cast<std::int32_t>(found.most), durations.rbegin()->first);
    }
}

TEST(Payloads, TooManyValuesLeaveThoseWithMostTotal) {
    const trace::Run run = run_with_payloads(3);
    const ScopePayloads all = summarise_payloads(run, 100).slices[0];
    const ScopePayloads some = summarise_payloads(run, 3).slices[0];
    ASSERT_EQ(some.values.size(), 3u);
    EXPECT_EQ(some.distinct, all.distinct);
    std::vector<std::int64_t> totals;
    for (const PayloadValue& value : all.values) totals.push_back(value.total_ns);
    std::sort(totals.rbegin(), totals.rend());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(some.values[i].total_ns, totals[i]);
}

TEST(Payloads, MarksAreCounted) {
    trace::Run run = random_run(1, true);
    run.scopes[1].payload = PayloadKind::kSigned64;
    run.marks.lane = {0, 0, 1, 2, 2};
    run.marks.time_ns = {1, 2, 3, 4, 5};
    run.marks.scope = {1, 1, 1, 1, 1};
    run.marks.mask = {1, 1, 1, 1, 1};
    run.marks.payloads = {{0, 1, 3, 4}, {5, ~0ull, 5, 9}};
    const PayloadSummary summary = summarise_payloads(run, 2);
    EXPECT_TRUE(summary.slices.empty());
    ASSERT_EQ(summary.marks.size(), 1u);
    const ScopePayloads& found = summary.marks[0];
    EXPECT_EQ(found.count, 4u);
    EXPECT_EQ(found.without, 1u);
    EXPECT_EQ(found.distinct, 3u);
    EXPECT_EQ(found.least, ~0ull);  // -1
    EXPECT_EQ(found.median, 5u);
    EXPECT_EQ(found.most, 9u);
    ASSERT_EQ(found.values.size(), 2u);
    EXPECT_EQ(found.values[0].bits, 5u);
    EXPECT_EQ(found.values[0].count, 2u);
}

TEST(Payloads, StayWithTheirRowsWhenWarpsAreSelected) {
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        const trace::Run run = run_with_payloads(seed);
        const trace::Run kept = select_warps(run, {{1, 3}, {0, 2}});
        const auto pairs = [](const trace::Run& of, bool all) {
            std::vector<std::pair<std::int64_t, std::uint64_t>> found;
            report::PayloadCursor slices(of.slices.payloads);
            for (const trace::Lane& lane : of.lanes) {
                const bool is_in = all || ((lane.block & 1) && lane.warp != 1);
                for (std::uint64_t row = lane.first_slice; is_in && row < lane.end_slice; ++row)
                    if (const std::uint64_t* bits = slices.of(row))
                        found.emplace_back(of.slices.start_ns[row], *bits);
            }
            report::PayloadCursor marks(of.marks.payloads);
            for (std::size_t row = 0; row < of.marks.size(); ++row) {
                const trace::Lane& lane = of.lanes[of.marks.lane[row]];
                const std::uint64_t* bits = marks.of(row);
                if (bits && (all || ((lane.block & 1) && lane.warp != 1)))
                    found.emplace_back(of.marks.time_ns[row], *bits);
            }
            return found;
        };
        EXPECT_EQ(pairs(kept, true), pairs(run, false));
        EXPECT_FALSE(kept.slices.payloads.row.empty());
        EXPECT_FALSE(kept.marks.payloads.row.empty());
    }
}

}  // namespace
}  // namespace gwatch::views
