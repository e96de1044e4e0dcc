#include "fidelity/regions.h"

namespace gwatch::fidelity {

namespace {

using instrument::Action;
using instrument::ActionKind;

Boundary boundary_of(const instrument::Site& site, std::uint32_t scope) {
    Boundary boundary;
    bool is_first = true;
    for (const Action& action : site.actions) {
        const bool concerns = action.kind == ActionKind::kStart || action.kind == ActionKind::kEnd;
        if (!concerns || action.scope != scope) continue;
        if (is_first) boundary.ends = action.kind == ActionKind::kEnd;
        boundary.starts = action.kind == ActionKind::kStart;
        is_first = false;
    }
    return boundary;
}

using Edges = std::vector<std::vector<std::uint32_t>>;

/// The steps that a walk from `first` meets. It enters the steps of `last`, but does not leave
/// them.
std::vector<bool> walk(const Edges& edges, std::vector<std::uint32_t> waiting,
                       const std::vector<bool>& last) {
    std::vector<bool> met(edges.size());
    while (!waiting.empty()) {
        const std::uint32_t at = waiting.back();
        waiting.pop_back();
        if (met[at]) continue;
        met[at] = true;
        if (!last[at]) waiting.insert(waiting.end(), edges[at].begin(), edges[at].end());
    }
    return met;
}

/// Where a walk begins that has just left the steps of `left`.
std::vector<std::uint32_t> behind(const Edges& edges, const std::vector<bool>& left) {
    std::vector<std::uint32_t> steps;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (left[i]) steps.insert(steps.end(), edges[i].begin(), edges[i].end());
    }
    return steps;
}

Edges reversed(const Edges& edges) {
    Edges back(edges.size());
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        for (const std::uint32_t next : edges[i]) back[next].push_back(i);
    }
    return back;
}

}  // namespace

std::vector<Boundary> boundaries_of(const instrument::SiteTable& sites, std::uint32_t scope) {
    std::vector<Boundary> boundaries(1);
    for (const instrument::Site& site : sites.sites) boundaries.push_back(boundary_of(site, scope));
    return boundaries;
}

Region region_of(const Code& code, const std::vector<Boundary>& boundaries) {
    const std::size_t size = code.steps.size();
    Edges edges;
    std::vector<bool> starts(size);
    std::vector<bool> ends(size);
    Region region;
    for (std::size_t i = 0; i < size; ++i) {
        edges.push_back(code.steps[i].next);
        const Boundary& boundary = boundaries[code.steps[i].clock_site];
        starts[i] = boundary.starts;
        ends[i] = boundary.ends;
        region.starts += boundary.starts;
    }
    // A way that never meets an end is no part of the scope: such a start is an orphan.
    const std::vector<bool> from_start = walk(edges, behind(edges, starts), ends);
    const Edges back = reversed(edges);
    const std::vector<bool> to_end = walk(back, behind(back, ends), starts);
    region.inside.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        region.ends += ends[i] && from_start[i];
        region.inside[i] = from_start[i] && to_end[i] && !ends[i];
    }
    return region;
}

}  // namespace gwatch::fidelity
