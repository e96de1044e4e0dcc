#include "trace/warnings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "trace/text.h"

namespace gwatch::trace {

namespace {

constexpr double kNotableUncertainty = 0.02;

std::uint64_t cold_chunks(const record::RawRecords& raw) {
    return raw.pool.size() / record::kChunkUnits;
}

std::uint64_t warps_without_chunk(const record::RawRecords& raw) {
    const std::uint32_t chunks = raw.plan.constants.pool_chunks;
    return raw.control.chunks_taken - std::min(raw.control.chunks_taken, chunks);
}

/// Chunks that would have held them: full ones, and a part of one for each lane that may have
/// dropped.
std::uint64_t chunks_lacking(const record::RawRecords& raw, std::uint32_t units_of_record) {
    const std::uint64_t dropped = units_of_record * raw.control.cold_misses;
    const std::uint64_t lanes = std::uint64_t{raw.plan.constants.region_count} * record::kLanes;
    return dropped / (record::kChunkUnits - 1) + std::min(dropped, lanes);
}

/// Most slots that an event takes, and a reading of the timer behind it.
std::uint64_t most_slots_of_event(const SiteActions& sites) {
    return record::series_slots(1) * (sites.has_timers() ? 2 : 1);
}

/// Slots of a region that would have held all records of any warp. A region is full when its
/// longest record would not fit, even if a shorter one would.
std::uint64_t region_slots_needed(const record::RawRecords& raw, const SiteActions& sites) {
    const auto most = std::max_element(raw.region_slots.begin(), raw.region_slots.end());
    const std::uint64_t kept = most == raw.region_slots.end() ? 0 : *most;
    const record::Control& control = raw.control;
    // Of kernels that count their drops at once nobody knows which warp's they are.
    const bool is_unknown = control.most_overflow == 0 && warps_without_chunk(raw) != 0;
    const std::uint64_t overflow = is_unknown ? control.dropped_events : control.most_overflow;
    return kept + most_slots_of_event(sites) * overflow +
           record::series_slots(record::kMaxSeriesSites) + most_slots_of_event(sites);
}

/// Chunks that would have held what regions had no room for: those there are, and full ones with a
/// part of one for each warp that may have dropped.
std::uint64_t hot_chunks_needed(const record::RawRecords& raw, const SiteActions& sites) {
    const std::uint64_t taken =
        std::min<std::uint64_t>(raw.control.chunks_taken, raw.plan.constants.pool_chunks);
    const std::uint64_t hot = taken - std::min(taken, cold_chunks(raw));
    if (warps_without_chunk(raw) == 0) return hot;
    const std::uint64_t slots_in_use = record::kHotChunkSlots - record::kExitSlots -
                                       record::series_slots(record::kMaxSeriesSites) -
                                       record::series_slots(1);
    return hot + raw.control.dropped_events * most_slots_of_event(sites) / slots_in_use +
           warps_without_chunk(raw);
}

std::string what_would_do(const Counts& counts) {
    if (counts.buffer_bytes_needed == 0) return "; record fewer warps with warps=....";
    return "; pass buffer_bytes=" + std::to_string(counts.buffer_bytes_needed) + ".";
}

void warn_of_drops(const Counts& counts, std::vector<std::string>* warnings) {
    if (counts.dropped_events == 0 && counts.dropped_records == 0) return;
    std::string text = count_of(counts.dropped_events, "event") + " (" +
                       count_of(counts.dropped_records, "record") +
                       ") were dropped: the buffer of " + with_commas(counts.buffer_bytes) +
                       " bytes was too small";
    warnings->push_back(text + what_would_do(counts));
}

void warn_of_lost_payloads(const Counts& counts, std::uint64_t lost,
                           std::vector<std::string>* warnings) {
    if (lost == 0) return;
    warnings->push_back(count_of(lost, "value") + " of 64 bits " + (lost == 1 ? "is" : "are") +
                        " missing from recorded events: the buffer of " +
                        with_commas(counts.buffer_bytes) +
                        " bytes had no room for the second half" + what_would_do(counts));
}

void warn_of_missing_warps(const Counts& counts, const record::RawRecords& raw,
                           std::vector<std::string>* warnings) {
    if (raw.plan.sampled) {
        warnings->push_back("Only " + with_commas(counts.blocks_selected) + " of " +
                            count_of(counts.blocks_in_grid, "block") +
                            " were recorded, evenly spaced over the grid: the " + "buffer of " +
                            with_commas(counts.buffer_bytes) +
                            " bytes has no room for all; pass a larger buffer_bytes.");
    }
    const std::uint64_t selected = raw.plan.constants.region_count;
    if (counts.warps_recorded < selected) {
        warnings->push_back(count_of(selected - counts.warps_recorded, "selected warp") +
                            " left no records: the launch ended before they began.");
    }
}

void warn_of_orphans(const Run& run, std::vector<std::string>* warnings) {
    if (run.counts.orphan_starts != 0) {
        warnings->push_back(
            count_of(run.counts.orphan_starts, "scope start") +
            " met no end: the scope is left by a way without scope_end (an early return, a "
            "break), or the end was dropped; they are kept as orphan_starts.");
    }
    if (run.counts.orphan_ends != 0) {
        warnings->push_back(
            count_of(run.counts.orphan_ends, "scope end") +
            " met no start: the scope is entered by a way without scope_start, or the start "
            "was dropped; they are kept as orphan_ends.");
    }
    const auto no_exit = static_cast<std::uint64_t>(
        std::count_if(run.lanes.begin(), run.lanes.end(),
                      [](const Lane& lane) { return lane.exit_ns == kUnknownTime; }));
    if (no_exit != 0) {
        warnings->push_back(
            count_of(no_exit, "warp") +
            " left no record of the exit: the kernel trapped or was stopped, or the record was "
            "dropped; their lifetime counts to their last record.");
    }
}

void warn_of_faults(const Faults& faults, std::vector<std::string>* warnings) {
    const auto warn = [&](std::uint64_t count, const char* noun, const char* what) {
        if (count != 0) warnings->push_back(count_of(count, noun) + what);
    };
    warn(faults.broken_chunks, "chunk",
         " of the pool named no recorded warp and were left out: the kernel may have written into "
         "the trace's "
         "memory.");
    warn(faults.stray_masks, "record",
         " named threads that their warp does not have and were left out: the kernel may have "
         "written into the "
         "trace's memory.");
    warn(faults.clocks_backwards, "record",
         " had an earlier clock than the one before and were moved to its time: the device may "
         "have been reset or "
         "the warp moved to another SM.");
    warn(faults.unsure_pauses, "pause",
         " of more than two seconds may stand one scope earlier or later than shown: a warp passed "
         "several markers around it, and their short clocks do not tell.");
    warn(faults.headless_regions, "region",
         " had records but no entry and were left out: the kernel may have written into the "
         "trace's memory.");
}

void warn_of_time(const ClockFit& fit, const Run& run, std::vector<std::string>* warnings) {
    if (run.lanes.empty()) return;
    char text[256];
    if (fit.rate_assumed) {
        std::snprintf(text, sizeof text,
                      "The launch was too short to measure the SM clock against the device's timer "
                      "(one tick is "
                      "%.0f ns): ns assume a clock of %.0f MHz.",
                      fit.tick_ns, 1000 / fit.ns_per_cycle);
        warnings->emplace_back(text);
    } else if (fit.rate_uncertainty > kNotableUncertainty) {
        std::snprintf(text, sizeof text,
                      "The launch was short against a tick of the device's timer (%.0f ns): the SM "
                      "clock, and with "
                      "it every duration, is known to %.0f %%.",
                      fit.tick_ns, std::ceil(100 * fit.rate_uncertainty));
        warnings->emplace_back(text);
    }
}

}  // namespace

std::uint64_t buffer_bytes_needed(const record::RawRecords& raw, const SiteActions& sites) {
    if (raw.control.dropped_records == 0 && raw.control.cold_misses == 0) return 0;
    const record::Plan& plan = raw.plan;
    const record::Need need{region_slots_needed(raw, sites), hot_chunks_needed(raw, sites),
                            cold_chunks(raw) + chunks_lacking(raw, sites.most_units())};
    record::PlanRequest request{raw.grid, raw.block};
    request.uses_lane_cursors = plan.lane_cursors_offset != 0;
    return record::bytes_for(need, plan, request);
}

std::vector<std::string> warnings_of(const Run& run, const record::RawRecords& raw,
                                     const Faults& faults, const ClockFit& fit) {
    std::vector<std::string> warnings;
    warn_of_drops(run.counts, &warnings);
    warn_of_lost_payloads(run.counts, faults.lost_payloads, &warnings);
    warn_of_missing_warps(run.counts, raw, &warnings);
    warn_of_orphans(run, &warnings);
    warn_of_faults(faults, &warnings);
    warn_of_time(fit, run, &warnings);
    return warnings;
}

}  // namespace gwatch::trace
