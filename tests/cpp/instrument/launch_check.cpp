#include "launch_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "record/layout.h"

namespace gwatch::testing {

namespace {

using instrument::ActionKind;
using instrument::Placement;
using trace::kUnknownTime;

/// Cycles between the readings of the timer and of the clock, as ns.
constexpr double kReadingNs = 10;
/// Of alignment; an instruction of the kernel's own takes 500 ns.
constexpr double kSureNs = 100;
constexpr double kFitNs = 5;  // the line of an SM's clock lies anywhere between its readings
constexpr std::int64_t kSecondNs = 1'000'000'000;

bool is_zero(const std::vector<std::uint8_t>& memory, std::uint64_t from, std::uint64_t to) {
    return std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(from),
                       memory.begin() + static_cast<std::ptrdiff_t>(to),
                       [](std::uint8_t byte) { return byte == 0; });
}

/// Behind the first 16 bytes that are zero there is nothing.
void expect_gapless(const std::vector<std::uint8_t>& memory, std::uint64_t from, std::uint64_t to) {
    while (from < to && !is_zero(memory, from, from + sizeof(record::Unit)))
        from += sizeof(record::Unit);
    EXPECT_TRUE(is_zero(memory, from, to));
}

std::uint32_t threads_of(const std::array<std::uint32_t, 3>& block, std::uint32_t warp) {
    const std::uint32_t threads = block[0] * block[1] * block[2] - 32 * warp;
    return threads >= 32 ? 0xffffffff : (1u << threads) - 1;
}

bool is_same_kind(const ThreadEvent& a, const ThreadEvent& b) {
    return a.kind == b.kind && a.scope == b.scope && a.payload == b.payload;
}

/// By row of a table.
std::map<std::uint64_t, std::uint64_t> by_row(const trace::Payloads& payloads) {
    std::map<std::uint64_t, std::uint64_t> bits;
    for (std::size_t i = 0; i < payloads.size(); ++i) bits[payloads.row[i]] = payloads.bits[i];
    return bits;
}

std::optional<std::uint64_t> value_at(const std::map<std::uint64_t, std::uint64_t>& bits,
                                      std::uint64_t row) {
    const auto found = bits.find(row);
    return found == bits.end() ? std::nullopt : std::optional(found->second);
}

bool is_within(double ns, const ThreadEvent& event) {
    return ns >= event.earliest_ns - kFitNs && ns <= event.latest_ns + kFitNs;
}

std::string text_of_times(const std::vector<ThreadEvent>& passed, const ThreadEvent& like) {
    std::string text = "; the thread passed it at";
    for (const ThreadEvent& event : passed) {
        if (!is_same_kind(event, like)) continue;
        text +=
            " [" + std::to_string(event.earliest_ns) + ", " + std::to_string(event.latest_ns) + "]";
    }
    return text;
}

/// The one that an event is the record of, or its count of them. A record stands right behind the
/// earliest time that it may have.
std::size_t find_passed(const std::vector<ThreadEvent>& passed, const std::vector<bool>& is_taken,
                        const ThreadEvent& event, bool timed) {
    std::size_t best = passed.size();
    for (std::size_t i = 0; i < passed.size(); ++i) {
        if (is_taken[i] || !is_same_kind(passed[i], event)) continue;
        if (timed && !is_within(event.earliest_ns, passed[i])) continue;
        if (best == passed.size() || passed[i].earliest_ns > passed[best].earliest_ns) best = i;
    }
    return best;
}

/// Those of `passed` that were recorded, in the same order. A failure for one recorded that was not
/// passed.
std::vector<ThreadEvent> find_recorded(const std::vector<ThreadEvent>& passed,
                                       const std::vector<ThreadEvent>& recorded, bool timed) {
    std::vector<bool> is_taken(passed.size(), false);
    for (const ThreadEvent& event : recorded) {
        const std::size_t own = find_passed(passed, is_taken, event, timed);
        if (own == passed.size()) {
            ADD_FAILURE() << "an event of " << event.scope << ", kind "
                          << static_cast<int>(event.kind) << ", at " << event.earliest_ns
                          << " ns, which nobody passed" << text_of_times(passed, event);
            return {};
        }
        is_taken[own] = true;
    }
    std::vector<ThreadEvent> found;
    for (std::size_t i = 0; i < passed.size(); ++i) {
        if (is_taken[i]) found.push_back(passed[i]);
    }
    return found;
}

struct Span {
    ThreadEvent start, end;
};

/// An end belongs to the last start of its scope that has none.
std::vector<Span> spans_of(const std::vector<ThreadEvent>& events) {
    std::map<std::string, std::vector<ThreadEvent>> open;
    std::vector<Span> spans;
    for (const ThreadEvent& event : events) {
        auto& starts = open[event.scope];
        if (event.kind == ActionKind::kStart) starts.push_back(event);
        if (event.kind != ActionKind::kEnd || starts.empty()) continue;
        spans.push_back({starts.back(), event});
        starts.pop_back();
    }
    return spans;
}

}  // namespace

bool lost_values(const trace::Run& run) {
    return std::any_of(run.warnings.begin(), run.warnings.end(), [](const std::string& warning) {
        return warning.find("missing from recorded events") != std::string::npos;
    });
}

void expect_rest_untouched(const record::Plan& plan, const record::RawRecords& raw,
                           const std::vector<std::uint8_t>& memory) {
    const record::LaunchConstants& constants = plan.constants;
    const std::uint64_t region_bytes = constants.region_slots * sizeof(record::Slot);
    EXPECT_TRUE(
        is_zero(memory, plan.control_offset + sizeof(record::Control), plan.regions_offset));
    std::uint64_t at = plan.regions_offset;
    for (std::uint32_t region = 0; region < constants.region_count; ++region) {
        expect_gapless(memory, at + sizeof(record::RegionHeader), at + region_bytes);
        at += region_bytes;
    }
    const bool has_cursors = plan.lane_cursors_offset != 0;
    EXPECT_TRUE(is_zero(memory, at, has_cursors ? plan.lane_cursors_offset : plan.pool_offset));
    const std::uint64_t taken =
        std::min<std::uint64_t>(raw.control.chunks_taken, constants.pool_chunks);
    at = plan.pool_offset;
    for (std::uint64_t chunk = 0; chunk < taken; ++chunk) {
        expect_gapless(memory, at + sizeof(record::ChunkHeader), at + record::kChunkBytes);
        at += record::kChunkBytes;
    }
    EXPECT_TRUE(is_zero(memory, at, memory.size()));
}

LaunchCheck::LaunchCheck(const RandomKernel& kernel, const instrument::Instrumented& instrumented,
                         const Witness& witness, const record::RawRecords& raw,
                         const trace::Run& run)
    : kernel_(kernel), instrumented_(instrumented), witness_(witness), raw_(raw), run_(run) {
    gather();
}

void LaunchCheck::gather() {
    for (const auto& [key, seen] : witness_.warps()) {
        if (!is_recorded(key.first, key.second)) continue;
        const std::uint32_t threads = threads_of(kernel_.block, key.second);
        expect_proven_alike(seen, threads);
        recorded_[key] = as_recorded(seen, threads);
    }
}

bool LaunchCheck::is_recorded(std::uint64_t block, std::uint32_t warp) const {
    const record::LaunchConstants& constants = raw_.plan.constants;
    return block % constants.block_stride == 0 &&
           block / constants.block_stride < constants.block_count &&
           (constants.warp_mask >> warp & 1) != 0;
}

/// Of a proven site, all lanes are recorded when lane 0 passes it.
LaunchCheck::Seen LaunchCheck::as_recorded(const Seen& seen, std::uint32_t threads) const {
    Seen recorded;
    for (Witnessed one : seen) {
        if (instrumented_.sites.sites[one.site - 1].placement == Placement::kProven) {
            if ((one.lanes & 1) == 0) continue;
            one.lanes = threads;
        }
        recorded.push_back(std::move(one));
    }
    return recorded;
}

void LaunchCheck::expect_proven_alike(const Seen& seen, std::uint32_t threads) const {
    std::map<std::uint16_t, std::array<std::uint32_t, 32>> passes;
    for (const Witnessed& one : seen) {
        if (instrumented_.sites.sites[one.site - 1].placement != Placement::kProven) continue;
        for (std::uint32_t thread = 0; thread < 32; ++thread)
            passes[one.site][thread] += one.lanes >> thread & 1;
    }
    for (const auto& [site, counts] : passes) {
        for (std::uint32_t thread = 0; thread < 32; ++thread) {
            if ((threads >> thread & 1) == 0) continue;
            EXPECT_EQ(counts[thread], counts[0]) << "proven site " << site;
        }
    }
}

bool LaunchCheck::times_are_sure() const {
    if (run_.time.alignment_ns > kSureNs) return false;
    // Seconds behind the last reading of the timer the rate that short launches tell is not enough.
    if (run_.counts.dropped_records != 0 && run_.time.span_ns > kSecondNs) return false;
    return std::none_of(run_.warnings.begin(), run_.warnings.end(), [](const std::string& warning) {
        return warning.find("assume a clock") != std::string::npos ||
               warning.find("is known to") != std::string::npos ||
               warning.find("may stand one scope") != std::string::npos ||
               warning.find("left no record of the exit") != std::string::npos;
    });
}

void LaunchCheck::expect_counts(bool groups) const {
    EXPECT_EQ(run_.lanes.size(), raw_.plan.constants.region_count);
    if (!groups) return;
    const auto& sites = instrumented_.sites.sites;
    std::vector<std::uint64_t> passes(sites.size());
    std::uint64_t most_missing = 0;
    for (const trace::Lane& lane : run_.lanes) {
        std::uint64_t events = 0;
        const auto found = recorded_.find({lane.block, lane.warp});
        ASSERT_NE(found, recorded_.end());
        for (const Witnessed& one : found->second) {
            ++passes[one.site - 1];
            events += one.markers.size();
        }
        ASSERT_LE(lane.events, events);
        most_missing = std::max(most_missing, events - lane.events);
    }
    std::uint64_t least_records = 0, most_records = 0, dropped_events = 0;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        if (run_.sites[i].actions == std::vector<std::string>{"timer"}) continue;
        ASSERT_LE(run_.sites[i].records, passes[i]) << "site " << i + 1;
        const std::uint64_t missing = passes[i] - run_.sites[i].records;
        const bool is_proven = sites[i].placement == Placement::kProven;
        dropped_events += missing * sites[i].markers;
        least_records += missing * (is_proven ? sites[i].markers : 1);
        most_records += missing * std::max(1u, sites[i].markers);
        if (is_proven && sites[i].markers == 0) {
            EXPECT_EQ(missing, 0u) << "an exit of the whole warp";
        }
    }
    EXPECT_EQ(run_.counts.dropped_events, dropped_events);
    // Of fused unknown markers whole warps count each, other lanes their record.
    EXPECT_GE(run_.counts.dropped_records, least_records);
    EXPECT_LE(run_.counts.dropped_records, most_records);
    EXPECT_LE(raw_.control.most_overflow, most_missing);
    if (!found_no_chunk()) {
        EXPECT_EQ(most_missing, 0u) << "dropped beside a free chunk";
    }
}

bool LaunchCheck::found_no_chunk() const {
    return raw_.control.cold_misses != 0 ||
           raw_.control.chunks_taken > raw_.plan.constants.pool_chunks;
}

void LaunchCheck::expect_values() const {
    std::map<std::pair<std::uint32_t, std::string>, std::set<std::uint64_t>> had;
    for (std::uint32_t lane = 0; lane < run_.lanes.size(); ++lane) {
        for (const Witnessed& one : recorded_.at({run_.lanes[lane].block, run_.lanes[lane].warp})) {
            for (const std::uint32_t index : one.markers) {
                const RandomMarker& marker = kernel_.markers[index];
                if (marker.payload == record::PayloadKind::kNone) continue;
                had[{lane, marker.scope}].insert(one.payloads.begin(), one.payloads.end());
            }
        }
    }
    const auto expect = [&](std::uint32_t lane, std::uint32_t scope, std::uint64_t bits) {
        const std::string& name = run_.scopes[scope].name;
        EXPECT_TRUE((had[{lane, name}].count(bits))) << bits << " of " << name;
    };
    std::uint32_t lane = 0;
    for (const auto& [row, bits] : by_row(run_.slices.payloads)) {
        while (row >= run_.lanes[lane].end_slice) ++lane;
        expect(lane, run_.slices.scope[row], bits);
    }
    for (const trace::Instants* instants : {&run_.marks, &run_.orphan_starts}) {
        for (const auto& [row, bits] : by_row(instants->payloads))
            expect(instants->lane[row], instants->scope[row], bits);
    }
}

void LaunchCheck::expect_threads(bool timed, bool groups) const {
    for (std::uint32_t lane = 0; lane < run_.lanes.size(); ++lane) {
        SCOPED_TRACE(::testing::Message()
                     << "block " << run_.lanes[lane].block << " warp " << run_.lanes[lane].warp);
        expect_warp(lane, timed, groups && !lost_values(run_));
        if (::testing::Test::HasFailure()) return;
    }
}

/// With `groups`, values are compared, too.
void LaunchCheck::expect_warp(std::uint32_t lane, bool timed, bool groups) const {
    const trace::Lane& warp = run_.lanes[lane];
    const Seen& seen = recorded_.at({warp.block, warp.warp});
    const std::uint32_t threads = threads_of(kernel_.block, warp.warp);
    for (std::uint32_t thread = 0; thread < 32; ++thread) {
        auto decoded = decoded_of(lane, thread);
        if ((threads >> thread & 1) == 0) {
            EXPECT_TRUE(decoded.empty()) << "thread " << thread << " does not exist";
            continue;
        }
        SCOPED_TRACE(::testing::Message() << "thread " << thread);
        auto passed = expected_of(seen, thread);
        if (!groups) {
            for (ThreadEvent& event : decoded) event.payload.reset();
            for (ThreadEvent& event : passed) event.payload.reset();
        }
        const auto recorded = find_recorded(passed, decoded, timed);
        if (::testing::Test::HasFailure()) return;
        if (run_.counts.dropped_events == 0) {
            EXPECT_EQ(decoded.size(), passed.size());
        }
        if (timed) expect_slices(lane, thread, recorded);
    }
    if (timed) expect_exit(lane, seen);
}

/// The value of the lane that writes: the lowest.
std::optional<std::uint64_t> LaunchCheck::payload_of(const Witnessed& one,
                                                     const RandomMarker& marker) {
    if (marker.payload == record::PayloadKind::kNone) return std::nullopt;
    return one.payloads[static_cast<std::size_t>(std::countr_zero(one.lanes))];
}

std::vector<ThreadEvent> LaunchCheck::expected_of(const Seen& seen, std::uint32_t thread) const {
    std::vector<ThreadEvent> events;
    for (const Witnessed& one : seen) {
        if ((one.lanes >> thread & 1) == 0) continue;
        const auto [from, to] = times_of(one);
        for (const std::uint32_t index : one.markers) {
            const RandomMarker& marker = kernel_.markers[index];
            const auto payload = payload_of(one, marker);
            switch (marker.verb) {
                case instrument::Verb::kStart:
                    events.push_back({ActionKind::kStart, marker.scope, from, to, payload});
                    break;
                case instrument::Verb::kEnd:
                    events.push_back({ActionKind::kEnd, marker.scope, from, to});
                    break;
                case instrument::Verb::kSwitch:
                    events.push_back({ActionKind::kEnd, marker.scope, from, to});
                    events.push_back({ActionKind::kStart, marker.next_scope, from, to});
                    break;
                case instrument::Verb::kMark:
                    events.push_back({ActionKind::kMark, marker.scope, from, to, payload});
            }
        }
    }
    return events;
}

std::vector<ThreadEvent> LaunchCheck::decoded_of(std::uint32_t lane, std::uint32_t thread) const {
    std::vector<ThreadEvent> events;
    const auto add = [&](ActionKind kind, std::uint32_t scope, std::int64_t ns,
                         std::optional<std::uint64_t> payload) {
        const auto time = static_cast<double>(ns);
        events.push_back({kind, run_.scopes[scope].name, time, time, payload});
    };
    const trace::Slices& slices = run_.slices;
    const auto values = by_row(slices.payloads);
    for (std::uint64_t i = run_.lanes[lane].first_slice; i < run_.lanes[lane].end_slice; ++i) {
        if ((slices.mask[i] >> thread & 1) == 0) continue;
        add(ActionKind::kStart, slices.scope[i], slices.start_ns[i], value_at(values, i));
        add(ActionKind::kEnd, slices.scope[i], slices.start_ns[i] + slices.duration_ns[i], {});
    }
    const auto add_instants = [&](ActionKind kind, const trace::Instants& instants) {
        const auto own_values = by_row(instants.payloads);
        for (std::size_t i = 0; i < instants.size(); ++i) {
            if (instants.lane[i] == lane && (instants.mask[i] >> thread & 1) != 0)
                add(kind, instants.scope[i], instants.time_ns[i], value_at(own_values, i));
        }
    };
    add_instants(ActionKind::kMark, run_.marks);
    add_instants(ActionKind::kStart, run_.orphan_starts);
    add_instants(ActionKind::kEnd, run_.orphan_ends);
    std::stable_sort(events.begin(), events.end(), [](const ThreadEvent& a, const ThreadEvent& b) {
        return a.earliest_ns < b.earliest_ns;
    });
    return events;
}

void LaunchCheck::expect_slices(std::uint32_t lane, std::uint32_t thread,
                                const std::vector<ThreadEvent>& recorded) const {
    std::vector<Span> spans = spans_of(recorded);
    const trace::Slices& slices = run_.slices;
    for (std::uint64_t i = run_.lanes[lane].first_slice; i < run_.lanes[lane].end_slice; ++i) {
        if ((slices.mask[i] >> thread & 1) == 0) continue;
        const auto start = static_cast<double>(slices.start_ns[i]);
        const double end = start + static_cast<double>(slices.duration_ns[i]);
        const auto found = std::find_if(spans.begin(), spans.end(), [&](const Span& span) {
            return span.start.scope == run_.scopes[slices.scope[i]].name &&
                   is_within(start, span.start) && is_within(end, span.end);
        });
        if (found == spans.end()) {
            ADD_FAILURE() << "a slice of " << run_.scopes[slices.scope[i]].name << " from " << start
                          << " to " << end << " ns that is none";
            return;
        }
        spans.erase(found);
    }
    for (const Span& span : spans) {
        ADD_FAILURE() << "no slice of " << span.start.scope << " from " << span.start.latest_ns
                      << " to " << span.end.latest_ns << " ns";
    }
}

void LaunchCheck::expect_exit(std::uint32_t lane, const Seen& seen) const {
    const trace::Lane& warp = run_.lanes[lane];
    const Witnessed* last = nullptr;
    for (const Witnessed& one : seen) {
        if (one.markers.empty()) last = &one;
    }
    ASSERT_NE(last, nullptr);
    if (warp.exit_ns == kUnknownTime) {
        EXPECT_TRUE(found_no_chunk()) << "the exit is missing";
        return;
    }
    const auto [from, to] = times_of(*last);
    const ThreadEvent exit{ActionKind::kExit, "", from, to};
    EXPECT_TRUE(is_within(static_cast<double>(warp.exit_ns), exit)) << warp.exit_ns;
}

/// The simulator's timer counts every second cycle from 10^12 ns on. The run claims to be as exact
/// as its alignment.
std::pair<double, double> LaunchCheck::times_of(const Witnessed& one) const {
    const double zero = 1e12 - static_cast<double>(run_.time.start_globaltimer_ns);
    const double tolerance = run_.time.alignment_ns + kReadingNs;
    return {zero + static_cast<double>(one.earliest) / 2 - tolerance,
            zero + static_cast<double>(one.latest) / 2 + tolerance};
}

}  // namespace gwatch::testing
