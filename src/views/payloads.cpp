#include "views/payloads.h"

#include <algorithm>
#include <tuple>

#include "report/payload.h"

namespace gwatch::views {

namespace {

struct Item {
    std::uint64_t rank;  ///< of the value
    std::int64_t duration_ns;

    bool operator<(const Item& other) const {
        return std::tie(rank, duration_ns) < std::tie(other.rank, other.duration_ns);
    }
};

/// Linear between ranks, of durations that ascend.
double percentile(const Item* first, std::uint64_t count, double fraction) {
    const double rank = fraction * static_cast<double>(count - 1);
    const auto below = static_cast<std::uint64_t>(rank);
    const auto low = static_cast<double>(first[below].duration_ns);
    if (below + 1 >= count) return low;
    const auto high = static_cast<double>(first[below + 1].duration_ns);
    return low + (rank - static_cast<double>(below)) * (high - low);
}

PayloadValue value_of(trace::PayloadKind kind, const Item* first, const Item* end) {
    const auto count = static_cast<std::uint64_t>(end - first);
    PayloadValue value{report::bits_of_rank(kind, first->rank), count};
    value.p50_ns = percentile(first, count, 0.50);
    value.p95_ns = percentile(first, count, 0.95);
    value.max_ns = end[-1].duration_ns;
    std::uint64_t total = 0;  // a damaged archive may make it wrap
    for (const Item* item = first; item != end; ++item)
        total += static_cast<std::uint64_t>(item->duration_ns);
    value.total_ns = static_cast<std::int64_t>(total);
    return value;
}

/// Leaves the `limit` values that weigh most, heaviest first, if there are more.
void keep_heaviest(std::vector<PayloadValue>& values, std::size_t limit) {
    if (values.size() <= limit) return;
    const auto weighs_more = [](const PayloadValue& left, const PayloadValue& right) {
        return std::tie(left.total_ns, left.count) > std::tie(right.total_ns, right.count);
    };
    std::stable_sort(values.begin(), values.end(), weighs_more);
    values.resize(limit);
}

ScopePayloads summary_of(std::uint32_t scope, trace::PayloadKind kind, std::vector<Item>& items,
                         std::size_t limit) {
    std::sort(items.begin(), items.end());
    ScopePayloads made{};
    made.scope = scope;
    made.kind = kind;
    made.count = items.size();
    made.least = report::bits_of_rank(kind, items.front().rank);
    made.median = report::bits_of_rank(kind, items[(items.size() - 1) / 2].rank);
    made.most = report::bits_of_rank(kind, items.back().rank);
    const Item* const end = items.data() + items.size();
    std::uint64_t total = 0;
    for (const Item* first = items.data(); first != end;) {
        const Item* next = first;
        while (next != end && next->rank == first->rank) ++next;
        made.values.push_back(value_of(kind, first, next));
        total += static_cast<std::uint64_t>(made.values.back().total_ns);
        first = next;
    }
    made.total_ns = static_cast<std::int64_t>(total);
    made.distinct = made.values.size();
    keep_heaviest(made.values, limit);
    return made;
}

/// Of slices or marks; duration_of(row) says how long a row took.
template <class Table, class DurationOf>
std::vector<ScopePayloads> summarise(const trace::Run& run, const Table& table, std::size_t limit,
                                     const DurationOf& duration_of) {
    std::vector<std::vector<Item>> items(run.scopes.size());
    report::for_each_payload(run, table, [&](std::uint64_t row, std::uint64_t bits) {
        const std::uint32_t scope = table.scope[row];
        items[scope].push_back(
            {report::payload_rank(run.scopes[scope].payload, bits), duration_of(row)});
    });
    std::vector<ScopePayloads> made;
    for (std::uint32_t scope = 0; scope < items.size(); ++scope) {
        if (items[scope].empty()) continue;
        made.push_back(summary_of(scope, run.scopes[scope].payload, items[scope], limit));
    }
    if (made.empty()) return made;
    std::vector<std::uint64_t> rows(run.scopes.size(), 0);
    for (const std::uint32_t scope : table.scope) ++rows[scope];
    for (ScopePayloads& summary : made) summary.without = rows[summary.scope] - summary.count;
    return made;
}

}  // namespace

PayloadSummary summarise_payloads(const trace::Run& run, std::size_t limit) {
    return {summarise(run, run.slices, limit,
                      [&](std::uint64_t row) { return run.slices.duration_ns[row]; }),
            summarise(run, run.marks, limit, [](std::uint64_t) { return std::int64_t{0}; })};
}

}  // namespace gwatch::views
