#include "views/select.h"

#include <algorithm>
#include <unordered_set>

#include "report/payload.h"

namespace gwatch::views {

namespace {

constexpr std::uint32_t kLeftOut = ~0u;

template <class Value>
void append(const std::vector<Value>& from, std::uint64_t first, std::uint64_t end,
            std::vector<Value>& to) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(end));
}

/// Those of the rows [first, end), as rows of a table that goes on at `to_row`.
void append_payloads(const trace::Payloads& from, std::uint64_t first, std::uint64_t end,
                     std::uint64_t to_row, trace::Payloads& to) {
    const auto begin = std::lower_bound(from.row.begin(), from.row.end(), first);
    auto at = static_cast<std::size_t>(begin - from.row.begin());
    for (; at < from.size() && from.row[at] < end; ++at) {
        to.row.push_back(to_row + from.row[at] - first);
        to.bits.push_back(from.bits[at]);
    }
}

void append_lane(const trace::Run& run, trace::Lane lane, trace::Run& kept) {
    const std::uint64_t first = lane.first_slice;
    const std::uint64_t end = lane.end_slice;
    lane.first_slice = kept.slices.size();
    append(run.slices.start_ns, first, end, kept.slices.start_ns);
    append(run.slices.duration_ns, first, end, kept.slices.duration_ns);
    append(run.slices.scope, first, end, kept.slices.scope);
    append(run.slices.depth, first, end, kept.slices.depth);
    append(run.slices.mask, first, end, kept.slices.mask);
    append_payloads(run.slices.payloads, first, end, lane.first_slice, kept.slices.payloads);
    lane.end_slice = kept.slices.size();
    kept.lanes.push_back(lane);
}

trace::Instants select_instants(const trace::Instants& all,
                                const std::vector<std::uint32_t>& kept) {
    trace::Instants selected;
    report::PayloadCursor payloads(all.payloads);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (kept[all.lane[i]] == kLeftOut) continue;
        if (const std::uint64_t* payload = payloads.of(i)) {
            selected.payloads.row.push_back(selected.size());
            selected.payloads.bits.push_back(*payload);
        }
        selected.lane.push_back(kept[all.lane[i]]);
        selected.time_ns.push_back(all.time_ns[i]);
        selected.scope.push_back(all.scope[i]);
        selected.mask.push_back(all.mask[i]);
    }
    return selected;
}

trace::Run facts_of(const trace::Run& run) {
    trace::Run facts;
    facts.launch = run.launch;
    facts.compile = run.compile;
    facts.scopes = run.scopes;
    facts.sites = run.sites;
    facts.counts = run.counts;
    facts.time = run.time;
    facts.stage_seconds = run.stage_seconds;
    facts.warnings = run.warnings;
    facts.fidelity = run.fidelity;
    return facts;
}

}  // namespace

trace::Run select_warps(const trace::Run& run, const report::WarpFilter& filter) {
    const std::unordered_set<std::uint64_t> blocks(filter.blocks.begin(), filter.blocks.end());
    const std::unordered_set<std::uint32_t> warps(filter.warps.begin(), filter.warps.end());
    trace::Run kept = facts_of(run);
    std::vector<std::uint32_t> place(run.lanes.size(), kLeftOut);
    for (std::size_t index = 0; index < run.lanes.size(); ++index) {
        const trace::Lane& lane = run.lanes[index];
        if (!blocks.empty() && !blocks.contains(lane.block)) continue;
        if (!warps.empty() && !warps.contains(lane.warp)) continue;
        place[index] = static_cast<std::uint32_t>(kept.lanes.size());
        append_lane(run, lane, kept);
    }
    kept.marks = select_instants(run.marks, place);
    kept.orphan_starts = select_instants(run.orphan_starts, place);
    kept.orphan_ends = select_instants(run.orphan_ends, place);
    return kept;
}

}  // namespace gwatch::views
