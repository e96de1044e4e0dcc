#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/progress.h"
#include "report/payload.h"
#include "report/tracks.h"
#include "trace/trace.h"
#include "trace/warp_threads.h"

// The way through a run that the formats of trace viewers share.
namespace gwatch::report {

/// The instants of a run: marks, and starts or ends without their other half.
enum class InstantKind { kMark, kOrphanStart, kOrphanEnd };

/// What a start or mark carried; `bits` is null when it carried nothing.
struct Payload {
    trace::PayloadKind kind = trace::PayloadKind::kNone;
    const std::uint64_t* bits = nullptr;
};

inline Payload payload_of(const trace::Run& run, std::uint32_t scope, const std::uint64_t* bits) {
    const trace::PayloadKind kind = run.scopes[scope].payload;
    return kind == trace::PayloadKind::kNone ? Payload{} : Payload{kind, bits};
}

/// The threads of an event; `are_all` when they are all of the warp.
struct Threads {
    std::uint32_t mask;
    bool are_all;
};

inline Threads threads_of(const trace::Run& run, const trace::Lane& lane, std::uint32_t mask) {
    return {mask, mask == trace::warp_threads(run.launch.block, lane.warp)};
}

struct Instant {
    InstantKind kind;
    std::uint32_t lane;
    std::int64_t time_ns;
    std::uint32_t scope;
    Threads threads;
    Payload payload;
};

/// A number that a mark carried.
struct Sample {
    std::uint32_t lane;
    std::int64_t time_ns;
    std::uint32_t scope;
    trace::PayloadKind kind;
    std::uint64_t bits;
};

/// Indices of the lanes, those that entered first first.
inline std::vector<std::uint32_t> lanes_by_entry(const trace::Run& run) {
    std::vector<std::uint32_t> order(run.lanes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
        return run.lanes[left].enter_ns < run.lanes[right].enter_ns;
    });
    return order;
}

template <class Writer>
void walk_instants(const trace::Run& run, const trace::Instants& instants, InstantKind kind,
                   Writer& writer) {
    PayloadCursor payloads(instants.payloads);
    for (std::size_t i = 0; i < instants.size(); ++i) {
        const std::uint32_t lane = instants.lane[i];
        writer.write_instant({kind, lane, instants.time_ns[i], instants.scope[i],
                              threads_of(run, run.lanes[lane], instants.mask[i]),
                              payload_of(run, instants.scope[i], payloads.of(i))});
    }
}

/// Hands a run to a writer: write_group(group, name, position) for each process, write_slices(lane)
/// for each lane in order of entry, write_instant(instant), and write_sample(sample) for each
/// number that a mark carried. `prefix` stands in front of the names of processes.
template <class Writer>
void walk_run(const trace::Run& run, GroupBy by, const std::string& prefix, Writer& writer) {
    std::int32_t position = 0;
    for (const Group& group : group_lanes(run, by))
        writer.write_group(group, prefix + group.name, position++);
    for (const std::uint32_t lane : lanes_by_entry(run)) {
        writer.write_slices(lane);
        progress::advance(run.lanes[lane].end_slice - run.lanes[lane].first_slice);
    }
    walk_instants(run, run.marks, InstantKind::kMark, writer);
    walk_instants(run, run.orphan_starts, InstantKind::kOrphanStart, writer);
    walk_instants(run, run.orphan_ends, InstantKind::kOrphanEnd, writer);
    for_each_payload(run, run.marks, [&](std::uint64_t row, std::uint64_t bits) {
        const std::uint32_t scope = run.marks.scope[row];
        const trace::PayloadKind kind = run.scopes[scope].payload;
        if (!is_countable(kind, bits)) return;
        writer.write_sample({run.marks.lane[row], run.marks.time_ns[row], scope, kind, bits});
    });
}

}  // namespace gwatch::report
