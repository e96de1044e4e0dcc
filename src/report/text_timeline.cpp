#include "report/text_timeline.h"

#include <algorithm>
#include <cmath>

#include "report/flatten.h"

namespace gwatch::report {

namespace {

struct Axis {
    double begin_ns;
    double cell_ns;
    std::size_t cells;

    double end_ns() const { return begin_ns + cell_ns * static_cast<double>(cells); }
    double cell_begin(std::size_t cell) const {
        return begin_ns + cell_ns * static_cast<double>(cell);
    }
    std::size_t cell_of(double time_ns) const {
        const double cell = std::floor((time_ns - begin_ns) / cell_ns);
        return static_cast<std::size_t>(std::clamp(cell, 0.0, static_cast<double>(cells - 1)));
    }
};

/// Time held in one cell, a holder each.
class CellShares {
  public:
    void add(std::int32_t holder, double time_ns) {
        for (auto& [known, total] : shares_) {
            if (known == holder) {
                total += time_ns;
                return;
            }
        }
        shares_.emplace_back(holder, time_ns);
    }

    double total() const {
        double sum = 0;
        for (const auto& share : shares_) sum += share.second;
        return sum;
    }

    /// What held most; of equals the earliest.
    std::int32_t winner() const {
        return std::max_element(
                   shares_.begin(), shares_.end(),
                   [](const auto& left, const auto& right) { return left.second < right.second; })
            ->first;
    }

  private:
    std::vector<std::pair<std::int32_t, double>> shares_;
};

double overlap(double begin, double end, double from, double to) {
    return std::max(0.0, std::min(end, to) - std::max(begin, from));
}

/// Fills the cells of one row and adds its time to the totals.
class RowPainter {
  public:
    RowPainter(const trace::Run& run, const Axis& axis, TextTimeline& totals)
        : run_(run), axis_(axis), totals_(totals), shares_(axis.cells) {}

    TimelineRow paint(std::uint32_t index) {
        const trace::Lane& lane = run_.lanes[index];
        std::vector<Segment> segments;
        flatten_lane(run_, lane, segments);
        for (const Segment& segment : segments) add_segment(segment);
        const auto enter = static_cast<double>(lane.enter_ns);
        const auto exit = static_cast<double>(lane_end_ns(run_, lane));
        totals_.gap_ns += std::llround(
            std::max(0.0, overlap(axis_.begin_ns, axis_.end_ns(), enter, exit) - in_scopes_));
        return {lane.warp, lane.sm, cells(enter, exit)};
    }

  private:
    void add_segment(const Segment& segment) {
        const auto start = static_cast<double>(segment.start_ns);
        const auto end = static_cast<double>(segment.end_ns);
        const double shown = overlap(axis_.begin_ns, axis_.end_ns(), start, end);
        if (shown <= 0) return;
        const std::uint32_t scope = run_.slices.scope[segment.slice];
        totals_.innermost_ns[scope] += std::llround(shown);
        in_scopes_ += shown;
        for (std::size_t cell = axis_.cell_of(start); cell <= axis_.cell_of(end); ++cell) {
            const double part =
                overlap(axis_.cell_begin(cell), axis_.cell_begin(cell + 1), start, end);
            if (part > 0) shares_[cell].add(static_cast<std::int32_t>(scope), part);
        }
    }

    std::vector<std::int32_t> cells(double enter, double exit) {
        std::vector<std::int32_t> row(axis_.cells, kOutsideCell);
        for (std::size_t cell = 0; cell < axis_.cells; ++cell) {
            const double begin = axis_.cell_begin(cell);
            const double end = axis_.cell_begin(cell + 1);
            const double lived = overlap(begin, end, enter, exit);
            const bool entered_here = enter >= begin && enter < end;
            const double gap = lived - shares_[cell].total();
            if (gap > 0 || entered_here) shares_[cell].add(kGapCell, std::max(0.0, gap));
            if (shares_[cell].total() > 0 || entered_here) row[cell] = shares_[cell].winner();
        }
        return row;
    }

    const trace::Run& run_;
    const Axis& axis_;
    TextTimeline& totals_;
    std::vector<CellShares> shares_;
    double in_scopes_ = 0;
};

struct Span {
    std::int64_t begin_ns;
    std::int64_t end_ns;
};

Span life_of(const trace::Run& run, const ChosenBlock& block) {
    Span span{run.lanes[block.lanes.front()].enter_ns, run.lanes[block.lanes.front()].enter_ns};
    for (const std::uint32_t index : block.lanes) {
        span.begin_ns = std::min(span.begin_ns, run.lanes[index].enter_ns);
        span.end_ns = std::max(span.end_ns, lane_end_ns(run, run.lanes[index]));
    }
    return span;
}

std::vector<Span> axes_of(const trace::Run& run, const std::vector<ChosenBlock>& blocks,
                          const TimelineRequest& request) {
    std::vector<Span> spans;
    for (const ChosenBlock& block : blocks) {
        const Span life = life_of(run, block);
        spans.push_back(
            {request.begin_ns.value_or(life.begin_ns), request.end_ns.value_or(life.end_ns)});
    }
    return spans;
}

}  // namespace

TextTimeline text_timeline(const trace::Run& run, const TimelineRequest& request) {
    TextTimeline timeline;
    timeline.lanes_in_run = run.lanes.size();
    timeline.innermost_ns.assign(run.scopes.size(), 0);
    const std::vector<ChosenBlock> blocks = choose_blocks(run, request.filter, request.max_rows);
    const std::vector<Span> spans = axes_of(run, blocks, request);
    const std::size_t width = std::max<std::size_t>(request.width, 1);
    std::int64_t longest = 1;
    for (const Span& span : spans) longest = std::max(longest, span.end_ns - span.begin_ns);
    timeline.cell_ns = static_cast<double>(longest) / static_cast<double>(width);
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        const Axis axis{static_cast<double>(spans[index].begin_ns), timeline.cell_ns, width};
        TimelineBlock shown{blocks[index].block, blocks[index].reason, spans[index].begin_ns, {}};
        for (const std::uint32_t lane : blocks[index].lanes)
            shown.rows.push_back(RowPainter(run, axis, timeline).paint(lane));
        timeline.blocks.push_back(std::move(shown));
    }
    return timeline;
}

}  // namespace gwatch::report
