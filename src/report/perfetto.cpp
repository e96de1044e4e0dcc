#include "report/perfetto.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "report/perfetto_packets.h"
#include "report/run_facts.h"
#include "report/run_walk.h"
#include "trace/text.h"
#include "trace/time_axis.h"

namespace gwatch::report {

namespace {

using namespace perfetto;  // NOLINT: the messages of the format

/// Names of annotations: which threads of the warp, and what the marker carried.
enum AnnotationIid : std::uint64_t { kThreadsName = 1, kPayloadName };
enum Category : std::uint64_t { kMark = 1, kUnmatched };

/// Numbers that no two processes, threads or tracks of the trace share.
struct Numbers {
    std::uint64_t next_track = 2;  ///< 1 is the header's
    std::int32_t next_process_or_thread = 1;
};

/// Where a lane's events go.
struct LaneTracks {
    std::int32_t pid = 0;
    std::int32_t tid = 0;
    std::uint64_t track = 0;
};

/// Writes one run as one sequence of packets.
class RunWriter {
  public:
    RunWriter(PacketStream& out, const trace::Run& run, GroupBy by, std::int64_t offset_ns,
              Numbers& numbers)
        : out_(out),
          run_(run),
          by_(by),
          offset_ns_(offset_ns),
          numbers_(numbers),
          tracks_(run.lanes.size()) {}

    /// Comes first.
    void write_head(const std::string& name) {
        write_names();
        write_launch(name);
    }

    void write_group(const Group& group, const std::string& name, std::int32_t position) {
        const std::int32_t pid = numbers_.next_process_or_thread++;
        const std::uint64_t process_track = add_track([&](Message<Track>& track) {
            Message<Process> process(track, Track::kProcess);
            process.add_int32(Process::kPid, pid);
            process.add_int32(Process::kSortIndex, position);
            process.add_string(Process::kName, name);
            if (by_ == GroupBy::kBlock && !group.blocks.empty()) {
                process.add_string(Process::kLabels,
                                   "SM " + std::to_string(group.blocks.front().sm));
            }
        });
        write_blocks(group, process_track);
        for (const std::uint32_t lane : group.lanes) add_lane(lane, pid);
    }

    /// Clocks must not go back in a sequence: lanes come in order of entry.
    void write_slices(std::uint32_t index) {
        const trace::Lane& lane = run_.lanes[index];
        if (lane.first_slice == lane.end_slice) return;
        const std::uint32_t count = lay_out_slices(run_, lane, &track_of_slice_);
        for (std::uint32_t number = 0; number < count; ++number) {
            const std::uint64_t track =
                number == 0 ? tracks_[index].track
                            : add_child_track(tracks_[index].track,
                                              "warp " + std::to_string(lane.warp) +
                                                  ", overlapping " + std::to_string(number));
            begin_track(track, lane.enter_ns);
            write_track(lane, number);
        }
    }

    void write_instant(const Instant& instant) {
        const auto variant = static_cast<unsigned>(instant.kind);
        out_.event(offset_ns_ + instant.time_ns, EventType::kInstant, tracks_[instant.lane].track,
                   [&](Message<TrackEvent>& event) {
                       event.add_uint64(TrackEvent::kNameIid, name_iid(instant.scope, variant));
                       event.add_uint64(TrackEvent::kCategoryIids,
                                        instant.kind == InstantKind::kMark ? kMark : kUnmatched);
                       add_arguments(event, instant.threads, instant.payload);
                   });
    }

    /// A counter for each warp and scope, below the warp.
    void write_sample(const Sample& sample) {
        std::uint64_t& track = counters_[std::uint64_t{sample.lane} << 32 | sample.scope];
        if (track == 0)
            track = add_counter(tracks_[sample.lane].track, run_.scopes[sample.scope].name);
        out_.event(offset_ns_ + sample.time_ns, EventType::kCounter, track,
                   [&](Message<TrackEvent>& event) {
                       add_counter_value(event, sample.kind, sample.bits);
                   });
    }

  private:
    /// A scope has three names: its own, of a start without an end, of an end without a start.
    std::uint64_t name_iid(std::uint32_t scope, unsigned variant = 0) const {
        return 1 + scope + variant * run_.scopes.size();
    }

    static void add_name(Message<InternedData>& data, InternedData list, std::uint64_t iid,
                         const std::string& name) {
        Message<InternedName> entry(data, list);
        entry.add_uint64(InternedName::kIid, iid);
        entry.add_string(InternedName::kName, name);
    }

    void write_names() {
        out_.packet([&](Message<Packet>& packet) {
            packet.add_uint32(Packet::kSequenceFlags,
                              static_cast<unsigned>(SequenceFlag::kStateCleared));
            Message<InternedData> data(packet, Packet::kInternedData);
            add_name(data, InternedData::kCategories, kMark, "mark");
            add_name(data, InternedData::kCategories, kUnmatched, "unmatched");
            for (std::uint32_t scope = 0; scope < run_.scopes.size(); ++scope) {
                const std::string name = trace::to_utf8(run_.scopes[scope].name);
                const auto add = [&](unsigned variant, const std::string& text) {
                    add_name(data, InternedData::kEventNames, name_iid(scope, variant), text);
                };
                add(0, name);
                add(1, name + ": start without an end");
                add(2, name + ": end without a start");
            }
            add_name(data, InternedData::kAnnotationNames, kThreadsName, "threads");
            add_name(data, InternedData::kAnnotationNames, kPayloadName, "payload");
        });
    }

    /// Adds a track; `fill` says whose it is.
    template <class Fill>
    std::uint64_t add_track(const Fill& fill) {
        const std::uint64_t uuid = numbers_.next_track++;
        out_.packet([&](Message<Packet>& packet) {
            Message<Track> track(packet, Packet::kTrackDescriptor);
            track.add_uint64(Track::kUuid, uuid);
            fill(track);
        });
        return uuid;
    }

    std::uint64_t add_child_track(std::uint64_t parent, const std::string& name) {
        return add_track([&](Message<Track>& track) {
            track.add_uint64(Track::kParentUuid, parent);
            track.add_string(Track::kName, name);
            track.add_enum(Track::kSiblingMergeBehavior, kNeverMerge);
        });
    }

    /// The launch as one slice, with all facts.
    void write_launch(const std::string& name) {
        const std::uint64_t launches = add_track(
            [&](Message<Track>& track) { track.add_string(Track::kName, "launch of " + name); });
        const std::int64_t end = std::max<std::int64_t>(run_.time.span_ns, 0);
        out_.event(offset_ns_, EventType::kSliceBegin, launches, [&](Message<TrackEvent>& event) {
            event.add_string(TrackEvent::kName, name);
            annotate(event, facts_of(run_));
        });
        out_.event(offset_ns_ + end, EventType::kSliceEnd, launches, [](auto&) {});
    }

    void write_blocks(const Group& group, std::uint64_t process_track) {
        std::vector<std::uint64_t> rows = {process_track};
        while (rows.size() < group.rows) {
            rows.push_back(
                add_child_track(process_track, "blocks " + std::to_string(rows.size() + 1)));
        }
        for (const BlockSpan& span : group.blocks) {
            const std::uint64_t track = rows[span.row];
            out_.event(offset_ns_ + span.begin_ns, EventType::kSliceBegin, track,
                       [&](Message<TrackEvent>& event) {
                           event.add_string(TrackEvent::kName, block_name(run_, span.block));
                           annotate(event, {{"block", span.block},
                                            {"sm", span.sm},
                                            {"cluster_rank", span.cluster_rank}});
                       });
            out_.event(offset_ns_ + span.end_ns, EventType::kSliceEnd, track, [](auto&) {});
        }
    }

    void add_lane(std::uint32_t index, std::int32_t pid) {
        const trace::Lane& lane = run_.lanes[index];
        LaneTracks& own = tracks_[index];
        own.pid = pid;
        own.tid = numbers_.next_process_or_thread++;
        own.track = add_track([&](Message<Track>& track) {
            Message<Thread> thread(track, Track::kThread);
            thread.add_int32(Thread::kPid, pid);
            thread.add_int32(Thread::kTid, own.tid);
            thread.add_int32(Thread::kSortIndex, static_cast<std::int32_t>(lane.warp));
            thread.add_string(Thread::kName, lane_name(run_, lane, by_));
        });
    }

    /// Further short events are on this track, from this time on.
    void begin_track(std::uint64_t track, std::int64_t time_ns) {
        out_.packet([&](Message<Packet>& packet) {
            {
                Message<Defaults> defaults(packet, Packet::kDefaults);
                defaults.add_uint32(Defaults::kTimestampClockId, kDeltaClock);
                Message<TrackEventDefaults> event(defaults, Defaults::kTrackEvent);
                event.add_uint64(TrackEventDefaults::kTrackUuid, track);
            }
            Message<Snapshot> snapshot(packet, Packet::kClockSnapshot);
            for (const unsigned id : {kTraceClock, kDeltaClock}) {
                Message<Clock> clock(snapshot, Snapshot::kClocks);
                clock.add_uint32(Clock::kId, id);
                clock.add_uint64(Clock::kTimestamp,
                                 static_cast<std::uint64_t>(offset_ns_ + time_ns));
                if (id == kDeltaClock) clock.add_bool(Clock::kIsIncremental, true);
            }
        });
        now_ns_ = time_ns;
    }

    std::int64_t step_to(std::int64_t time_ns) {
        const std::int64_t delta = time_ns - now_ns_;
        now_ns_ = time_ns;
        return delta;
    }

    void write_track(const trace::Lane& lane, std::uint32_t number) {
        PayloadCursor payloads(run_.slices.payloads, lane.first_slice);
        for (std::uint64_t i = lane.first_slice; i < lane.end_slice; ++i) {
            if (track_of_slice_[i - lane.first_slice] != number) continue;
            const std::int64_t start = run_.slices.start_ns[i];
            end_slices_until(start);
            out_.short_event(
                step_to(start), EventType::kSliceBegin, [&](Message<TrackEvent>& event) {
                    event.add_uint64(TrackEvent::kNameIid, name_iid(run_.slices.scope[i]));
                    add_arguments(event, threads_of(run_, lane, run_.slices.mask[i]),
                                  payload_of(run_, run_.slices.scope[i], payloads.of(i)));
                });
            open_ends_.push_back(start + run_.slices.duration_ns[i]);
        }
        end_slices_until(std::numeric_limits<std::int64_t>::max());
    }

    void end_slices_until(std::int64_t time_ns) {
        while (!open_ends_.empty() && open_ends_.back() <= time_ns) {
            out_.short_event(step_to(open_ends_.back()), EventType::kSliceEnd, [](auto&) {});
            open_ends_.pop_back();
        }
    }

    static void add_arguments(Message<TrackEvent>& event, const Threads& threads,
                              const Payload& payload) {
        if (!threads.are_all) {
            Message<Annotation> annotation(event, TrackEvent::kDebugAnnotations);
            annotation.add_uint64(Annotation::kNameIid, kThreadsName);
            annotation.add_uint64(Annotation::kPointer, threads.mask);
        }
        if (payload.bits) {
            Message<Annotation> annotation(event, TrackEvent::kDebugAnnotations);
            annotation.add_uint64(Annotation::kNameIid, kPayloadName);
            add_payload(annotation, payload.kind, *payload.bits);
        }
    }

    std::uint64_t add_counter(std::uint64_t parent, const std::string& name) {
        return add_track([&](Message<Track>& track) {
            track.add_uint64(Track::kParentUuid, parent);
            track.add_string(Track::kName, trace::to_utf8(name));
            track.add_message(Track::kCounter, std::string());
        });
    }

    PacketStream& out_;
    const trace::Run& run_;
    GroupBy by_;
    std::int64_t offset_ns_;
    Numbers& numbers_;
    std::vector<LaneTracks> tracks_;             ///< of each lane
    std::vector<std::uint32_t> track_of_slice_;  ///< of one lane
    std::vector<std::int64_t> open_ends_;        ///< of the slices that are open on one track
    std::int64_t now_ns_ = 0;                    ///< of the event before
    std::unordered_map<std::uint64_t, std::uint64_t> counters_;  ///< tracks, by lane and scope
};

/// What is said of the whole file, in a sequence of its own.
void write_header(PacketStream& out, const trace::Trace& trace, std::string_view producer,
                  const std::vector<std::string>& notes) {
    constexpr std::uint64_t kTrack = 1;
    out.packet([](Message<Packet>& packet) {
        packet.add_uint32(Packet::kSequenceFlags,
                          static_cast<unsigned>(SequenceFlag::kStateCleared));
        Message<Snapshot> snapshot(packet, Packet::kClockSnapshot);
        snapshot.add_enum(Snapshot::kPrimaryTraceClock, static_cast<int>(kTraceClock));
        Message<Clock> clock(snapshot, Snapshot::kClocks);
        clock.add_uint32(Clock::kId, kTraceClock);
        clock.add_uint64(Clock::kTimestamp, 0);
    });
    out.packet([](Message<Packet>& packet) {
        Message<Track> track(packet, Packet::kTrackDescriptor);
        track.add_uint64(Track::kUuid, kTrack);
        track.add_string(Track::kName, "about this trace");
    });
    out.event(0, EventType::kInstant, kTrack, [&](Message<TrackEvent>& event) {
        const std::string title = trace::to_utf8(trace.title);
        event.add_string(TrackEvent::kName, title.empty() ? "gwatch" : title);
        annotate(event, {{"title", title},
                         {"created", trace::to_utf8(trace.created)},
                         {"producer", trace::to_utf8(producer)},
                         {"notes", notes}});
    });
}

}  // namespace

Result<void> write_perfetto(const trace::Trace& trace, std::string_view producer,
                            const std::string& path, GroupBy by) {
    Result<trace::OutputFile> file = trace::OutputFile::create(path);
    if (!file) return file.error();
    PacketStream out(*file);
    const trace::TimeAxes axes = trace::time_axes(trace);
    write_header(out, trace, producer, axes.notes);
    Numbers numbers;
    progress::begin(count_slices(trace));
    for (std::size_t i = 0; i < trace.runs.size(); ++i) {
        out.use_sequence(static_cast<std::uint32_t>(i + 2));
        RunWriter writer(out, trace.runs[i], by, axes.runs[i].offset_ns, numbers);
        writer.write_head(run_name(trace, i));
        walk_run(trace.runs[i], by, process_prefix(trace, i), writer);
    }
    out.flush();
    return file->close();
}

}  // namespace gwatch::report
