#include "views/concurrency.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trace/statistics.h"
#include "views/overlap.h"
#include "views/segments.h"

namespace gwatch::views {

namespace {

/// Time in cells of equal length between two instants.
class TimeCells {
  public:
    TimeCells(std::int64_t begin_ns, std::int64_t end_ns, std::size_t cells)
        : begin_ns_(begin_ns),
          end_ns_(end_ns),
          cells_(cells),
          cell_ns_(static_cast<double>(end_ns - begin_ns) / static_cast<double>(cells)) {}

    double cell_ns() const { return cell_ns_; }

    /// Adds [from, to) as far as it lies between the two instants.
    void add(std::int64_t from, std::int64_t to, WarpsOverTime& row) const {
        from = std::max(from, begin_ns_);
        to = std::min(to, end_ns_);
        if (from >= to) return;
        row.time_ns += to - from;
        const double begin = static_cast<double>(from - begin_ns_) / cell_ns_;
        const double end = static_cast<double>(to - begin_ns_) / cell_ns_;
        const auto first = std::min(static_cast<std::size_t>(begin), cells_ - 1);
        const auto last = std::min(static_cast<std::size_t>(end), cells_ - 1);
        if (first == last) {
            row.cells[first] += end - begin;
            return;
        }
        row.cells[first] += static_cast<double>(first + 1) - begin;
        for (std::size_t cell = first + 1; cell < last; ++cell) row.cells[cell] += 1;
        row.cells[last] += end - static_cast<double>(last);
    }

    void finish(WarpsOverTime& row) const {
        row.mean = static_cast<double>(row.time_ns) / static_cast<double>(end_ns_ - begin_ns_);
    }

  private:
    std::int64_t begin_ns_;
    std::int64_t end_ns_;
    std::size_t cells_;
    double cell_ns_;
};

/// The warps of a run as rows of cells, and as pairs of scopes a block.
class ConcurrencyMaker {
  public:
    ConcurrencyMaker(const trace::Run& run, const TimeCells& cells, OverlapCounter& overlaps,
                     Concurrency& made)
        : run_(run), cells_(cells), overlaps_(overlaps), made_(made), segmenter_(run) {}

    void add_lane(std::uint32_t index, std::int64_t lifetime_ns) {
        const trace::Lane& lane = run_.lanes[index];
        const std::int64_t exit = lane.enter_ns + lifetime_ns;
        cells_.add(lane.enter_ns, exit, made_.alive);
        overlaps_.begin_lane(lane.block);
        std::int64_t now = lane.enter_ns;
        for (const report::Segment& segment : segmenter_.segments_of(lane)) {
            const std::uint32_t scope = run_.slices.scope[segment.slice];
            cells_.add(now, segment.start_ns, made_.in_no_scope);
            cells_.add(segment.start_ns, segment.end_ns, made_.scopes[scope]);
            overlaps_.add(segment.start_ns, segment.end_ns, scope);
            now = std::max(now, segment.end_ns);
        }
        cells_.add(now, exit, made_.in_no_scope);
    }

  private:
    const trace::Run& run_;
    const TimeCells& cells_;
    OverlapCounter& overlaps_;
    Concurrency& made_;
    Segmenter segmenter_;
};

/// The window: what was asked for, else all lives; never empty.
void set_window(const trace::Run& run, const std::vector<trace::LaneActivity>& lives,
                const ConcurrencyRequest& request, Concurrency& made) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const trace::LaneActivity& life : lives) {
        const std::int64_t enter = run.lanes[life.lane].enter_ns;
        first = std::min(first, enter);
        last = std::max(last, enter + life.lifetime_ns);
    }
    if (lives.empty()) first = last = 0;
    made.begin_ns = request.begin_ns.value_or(first);
    made.end_ns = std::max(request.end_ns.value_or(last), made.begin_ns + 1);
}

}  // namespace

Concurrency concurrency(const trace::Run& run, const ConcurrencyRequest& request) {
    Concurrency made;
    const std::vector<trace::LaneActivity> lives = trace::lane_activity(run);
    set_window(run, lives, request, made);
    const std::size_t cell_count = std::max<std::size_t>(request.cells, 1);
    const TimeCells cells(made.begin_ns, made.end_ns, cell_count);
    made.cell_ns = cells.cell_ns();
    made.scopes.resize(run.scopes.size());
    std::vector<WarpsOverTime*> rows{&made.in_no_scope, &made.alive};
    for (WarpsOverTime& row : made.scopes) rows.push_back(&row);
    for (WarpsOverTime* row : rows) row->cells.assign(cell_count, 0);

    OverlapCounter overlaps(run, made.begin_ns, made.end_ns);
    ConcurrencyMaker maker(run, cells, overlaps, made);
    for (const trace::LaneActivity& life : lives) maker.add_lane(life.lane, life.lifetime_ns);
    made.pairs = overlaps.take();
    for (WarpsOverTime* row : rows) cells.finish(*row);
    return made;
}

}  // namespace gwatch::views
