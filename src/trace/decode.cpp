#include "trace/decode.h"

#include <algorithm>
#include <cmath>

#include "trace/anchors.h"
#include "trace/clock_fit.h"
#include "trace/events.h"
#include "trace/match.h"
#include "trace/site_actions.h"
#include "trace/text.h"
#include "trace/warnings.h"
#include "trace/warps.h"

namespace gwatch::trace {

namespace {

using instrument::ActionKind;

std::string action_text(const instrument::Action& action, const instrument::SiteTable& table) {
    switch (action.kind) {
        case ActionKind::kStart:
            return "start " + to_utf8(table.scopes[action.scope].name);
        case ActionKind::kEnd:
            return "end " + to_utf8(table.scopes[action.scope].name);
        case ActionKind::kMark:
            return "mark " + to_utf8(table.scopes[action.scope].name);
        case ActionKind::kTimer:
            return "timer";
        case ActionKind::kExit:
            break;
    }
    return "exit";
}

const char* placement_text(instrument::Placement placement) {
    switch (placement) {
        case instrument::Placement::kProven:
            return "proven";
        case instrument::Placement::kFunction:
            return "function";
        case instrument::Placement::kParted:
            return "parted";
        case instrument::Placement::kUnknown:
            break;
    }
    return "unknown";
}

void note_payloads(const instrument::Site& site, Run* run) {
    for (const instrument::Action& action : site.actions) {
        if (action.payload == PayloadKind::kNone || !has_scope(action.kind)) continue;
        PayloadKind& kind = run->scopes[action.scope].payload;
        kind = record::common_payload(kind, action.payload);
    }
}

void describe_sites(const instrument::SiteTable& table, const RawWarps& raw, Run* run) {
    for (const instrument::Scope& scope : table.scopes) {
        run->scopes.push_back(
            {to_utf8(scope.name), scope.id, to_utf8(scope.source.file), scope.source.line});
    }
    for (std::size_t i = 0; i < table.sites.size(); ++i) {
        const instrument::Site& site = table.sites[i];
        note_payloads(site, run);
        Site described{{},
                       placement_text(site.placement),
                       to_utf8(site.function),
                       to_utf8(site.source.file),
                       site.source.line,
                       raw.records_of_site[i]};
        for (const instrument::Action& action : site.actions) {
            described.actions.push_back(action_text(action, table));
        }
        run->sites.push_back(std::move(described));
    }
}

std::uint64_t product(const record::Dim3& size) {
    return std::uint64_t{size[0]} * size[1] * size[2];
}

void count(const record::RawRecords& raw, const RawWarps& warps, const SiteActions& sites,
           Run* run) {
    Counts& counts = run->counts;
    for (const Lane& lane : run->lanes) counts.events += lane.events;
    counts.records = warps.records;
    counts.dropped_events = raw.control.dropped_events;
    counts.dropped_records = raw.control.dropped_records;
    counts.orphan_starts = run->orphan_starts.size();
    counts.orphan_ends = run->orphan_ends.size();
    counts.blocks_in_grid = product(raw.grid);
    counts.warps_in_grid = counts.blocks_in_grid * raw.plan.warps_per_block;
    counts.warps_recorded = run->lanes.size();
    counts.blocks_selected = raw.plan.constants.block_count;
    counts.buffer_bytes = raw.plan.total_bytes;
    counts.buffer_bytes_needed = buffer_bytes_needed(raw, sites);
}

/// Makes the lanes and, warp by warp, all that lies on them.
class LaneDecoder {
  public:
    LaneDecoder(const RawWarps& raw, const SmAnchors& anchors, const ClockFit& fit,
                const SiteActions& sites, Run* run)
        : raw_(raw),
          anchors_(anchors),
          fit_(fit),
          sites_(sites),
          run_(run),
          reader_(raw, sites),
          matcher_(sites, count_starts(), run) {}

    void run() {
        run_->lanes.reserve(raw_.warps.size());
        for (std::size_t i = 0; i < raw_.warps.size(); ++i) decode_warp(i);
        matcher_.finish();
    }
    std::int64_t span_ns() const { return span_ns_; }
    /// Of all times behind the readings of the timer.
    double most_missed_ns() const { return most_missed_ns_; }
    const EventReader& reader() const { return reader_; }

  private:
    std::uint64_t count_starts() const {
        std::uint64_t starts = 0;
        for (std::uint32_t site = 1; site <= sites_.site_count(); ++site) {
            starts += sites_.starts(site) * raw_.records_of_site[site - 1];
        }
        return starts;
    }

    void decode_warp(std::size_t index) {
        const WarpRecords& warp = raw_.warps[index];
        const ClockLine& line = fit_.sms[anchors_.sm_of_warp[index]];
        Lane lane{warp.header.block,
                  warp.warp,
                  warp.header.sm,
                  warp.header.cluster_rank,
                  whole_ns(line.ns(warp.header.clock)),
                  kUnknownTime,
                  0,
                  matcher_.slices(),
                  0};
        const std::vector<Event>& events = reader_.read(warp, line, lane.enter_ns);
        note_exit(events, warp.threads, &lane);
        matcher_.match(events, reader_.payloads(), static_cast<std::uint32_t>(index));
        lane.end_slice = matcher_.slices();
        const std::int64_t last = events.empty() ? lane.enter_ns : events.back().time_ns;
        span_ns_ = std::max({span_ns_, last, lane.exit_ns});
        most_missed_ns_ = std::max(
            most_missed_ns_,
            fit_.miss_behind_readings(anchors_.sm_of_warp[index], static_cast<double>(last)));
        run_->lanes.push_back(lane);
    }

    /// The exit counts when every thread of the warp was seen to leave.
    void note_exit(const std::vector<Event>& events, std::uint32_t threads, Lane* lane) const {
        std::uint32_t left = 0;
        std::int64_t exit_ns = kUnknownTime;
        for (const Event& event : events) {
            lane->events += sites_.markers(event.site);
            if (!sites_.is_exit(event.site)) continue;
            left |= event.mask;
            exit_ns = event.time_ns;
        }
        if (left == threads) lane->exit_ns = exit_ns;
    }

    const RawWarps& raw_;
    const SmAnchors& anchors_;
    const ClockFit& fit_;
    const SiteActions& sites_;
    Run* run_;
    EventReader reader_;
    Matcher matcher_;
    std::int64_t span_ns_ = 0;
    double most_missed_ns_ = 0;
};

/// Lets 0 be the first entry; returns where that is from the anchors' origin.
double set_zero(const RawWarps& raw, const SmAnchors& anchors, ClockFit* fit) {
    double first = 0;
    for (std::size_t i = 0; i < raw.warps.size(); ++i) {
        const double enter = fit->sms[anchors.sm_of_warp[i]].ns(raw.warps[i].header.clock);
        first = i == 0 ? enter : std::min(first, enter);
    }
    for (ClockLine& line : fit->sms) line.shift(-first);
    return first;
}

TimeFacts time_facts(const ClockFit& fit, std::uint64_t start, std::int64_t span_ns,
                     double most_missed_ns) {
    TimeFacts time;
    time.clock_mhz = 1000 / fit.ns_per_cycle;
    // The model holds whole ns, so a faster clock does not show.
    time.resolution_ns = std::max(1.0, fit.ns_per_cycle);
    time.alignment_ns = fit.tick_ns + std::ceil(fit.residual_ns + most_missed_ns);
    time.span_ns = span_ns;
    time.timer_gap_ns = whole_ns(std::ceil(fit.longest_gap_ns));
    time.start_globaltimer_ns = start;
    return time;
}

}  // namespace

Result<Run> decode(const record::RawRecords& raw, const instrument::SiteTable& sites) {
    auto actions = SiteActions::make(sites);
    if (!actions) return actions.error();
    auto warps = sort_by_warp(raw, *actions);
    if (!warps) return warps.error();
    SmAnchors anchors = collect_anchors(*warps, *actions);
    ClockFit fit = fit_clocks(anchors.of_sm, anchors.origin);
    const double zero = set_zero(*warps, anchors, &fit);

    Run run;
    run.launch.grid = raw.grid;
    run.launch.block = raw.block;
    describe_sites(sites, *warps, &run);
    LaneDecoder decoder(*warps, anchors, fit, *actions, &run);
    decoder.run();
    count(raw, *warps, *actions, &run);
    if (!run.lanes.empty()) {
        const auto start = static_cast<std::uint64_t>(whole_ns(zero));
        run.time =
            time_facts(fit, anchors.origin + start, decoder.span_ns(), decoder.most_missed_ns());
    }
    warps->faults.clocks_backwards = decoder.reader().faults().clocks_backwards;
    warps->faults.stray_masks = decoder.reader().faults().stray_masks;
    warps->faults.unsure_pauses = decoder.reader().faults().unsure_pauses;
    warps->faults.lost_payloads = decoder.reader().faults().lost_payloads;
    run.warnings = warnings_of(run, raw, warps->faults, fit);
    return run;
}

}  // namespace gwatch::trace
