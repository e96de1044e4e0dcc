#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <protozero/pbf_builder.hpp>
#include <string>

#include "report/perfetto_fields.h"
#include "trace/output_file.h"
#include "trace/trace.h"

namespace gwatch::report::perfetto {

template <class Field>
using Message = protozero::pbf_builder<Field>;

/// Writes the packets of a trace to a file, one sequence after the other.
class PacketStream {
  public:
    explicit PacketStream(trace::OutputFile& file) : file_(file) {}
    PacketStream(const PacketStream&) = delete;
    PacketStream& operator=(const PacketStream&) = delete;

    /// Further packets belong to this sequence, which counts from 1.
    void use_sequence(std::uint32_t sequence) { sequence_ = sequence; }

    /// A packet that needs nothing that the sequence said before.
    template <class Fill>
    void packet(const Fill& fill) {
        {
            Message<Packet> packet(trace_, Trace::kPacket);
            packet.add_uint32(Packet::kSequenceId, sequence_);
            fill(packet);
        }
        flush_above(kPiece);
    }

    /// An event with times, names and tracks as the sequence said before. `time` is counted from
    /// the event before it.
    template <class Fill>
    void short_event(std::int64_t delta_ns, EventType type, const Fill& fill) {
        packet([&](Message<Packet>& packet) {
            packet.add_uint64(Packet::kTimestamp, static_cast<std::uint64_t>(delta_ns));
            packet.add_uint32(Packet::kSequenceFlags,
                              static_cast<unsigned>(SequenceFlag::kNeedsState));
            Message<TrackEvent> event(packet, Packet::kTrackEvent);
            event.add_enum(TrackEvent::kType, static_cast<int>(type));
            fill(event);
        });
    }

    /// An event at a time of the trace, on any track.
    template <class Fill>
    void event(std::int64_t time_ns, EventType type, std::uint64_t track, const Fill& fill) {
        packet([&](Message<Packet>& packet) {
            packet.add_uint64(Packet::kTimestamp, static_cast<std::uint64_t>(time_ns));
            packet.add_uint32(Packet::kTimestampClockId, kTraceClock);
            packet.add_uint32(Packet::kSequenceFlags,
                              static_cast<unsigned>(SequenceFlag::kNeedsState));
            Message<TrackEvent> event(packet, Packet::kTrackEvent);
            event.add_enum(TrackEvent::kType, static_cast<int>(type));
            event.add_uint64(TrackEvent::kTrackUuid, track);
            fill(event);
        });
    }

    void flush() { flush_above(0); }

  private:
    static constexpr std::size_t kPiece = 1 << 18;

    void flush_above(std::size_t size) {
        if (bytes_.size() <= size) return;
        file_.write(bytes_);
        bytes_.clear();
    }

    trace::OutputFile& file_;
    std::uint32_t sequence_ = 1;
    std::string bytes_;
    Message<Trace> trace_{bytes_};
};

/// Adds a JSON value to an annotation that has its name already.
void add_value(Message<Annotation>& annotation, const nlohmann::ordered_json& value);

/// Adds a payload to an annotation that has its name already.
void add_payload(Message<Annotation>& annotation, trace::PayloadKind kind, std::uint64_t bits);

/// Adds a payload as the value of a counter. Perfetto has no unsigned counters: above 2^63 it is
/// the nearest floating-point number.
void add_counter_value(Message<TrackEvent>& event, trace::PayloadKind kind, std::uint64_t bits);

/// Adds each entry of a JSON object to an event.
void annotate(Message<TrackEvent>& event, const nlohmann::ordered_json& facts);

}  // namespace gwatch::report::perfetto
