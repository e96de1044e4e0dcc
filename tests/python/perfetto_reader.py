"""Reads a Perfetto trace as its viewer does: clocks, interned names, defaults and nesting."""

import gzip
import warnings
from dataclasses import dataclass, field
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

TRACE_CLOCK = 6
NEEDS_STATE = protos.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
CLEARS_STATE = protos.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED


@dataclass
class Event:
    name: str
    start: int
    end: int
    depth: int
    args: dict
    category: str = ""
    kinds: dict = field(default_factory=dict)
    """Which field of its annotation holds an argument."""
    value: float | None = None
    """Of a counter."""


@dataclass
class Track:
    descriptor: object
    events: list[Event] = field(default_factory=list)
    open: list[Event] = field(default_factory=list)


@dataclass
class Sequence:
    """What the packets of one sequence said before."""

    has_state: bool = False
    names: dict = field(default_factory=dict)
    annotation_names: dict = field(default_factory=dict)
    categories: dict = field(default_factory=dict)
    clock: int = TRACE_CLOCK
    track: int = 0
    offsets: dict = field(default_factory=dict)
    now: dict = field(default_factory=dict)


class Perfetto:
    """The tracks of a file, by uuid; ``events`` are in order of time, as on the screen."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        self.trace = protos.Trace.FromString(
            gzip.decompress(data) if str(path).endswith(".gz") else data
        )
        self.tracks: dict[int, Track] = {}
        self._sequences: dict[int, Sequence] = {}
        self._pending = []
        for packet in self.trace.packet:
            self._take(packet)
        for time, track, event, sequence in sorted(self._pending, key=lambda entry: entry[0]):
            self._place(time, track, event, sequence)
        assert not any(track.open for track in self.tracks.values()), "slices never end"

    def _take(self, packet):
        assert packet.trusted_packet_sequence_id != 0
        sequence = self._sequences.setdefault(packet.trusted_packet_sequence_id, Sequence())
        if packet.sequence_flags & CLEARS_STATE:
            sequence.has_state = True
        if packet.sequence_flags & NEEDS_STATE:
            assert sequence.has_state
        if packet.HasField("trace_packet_defaults"):
            sequence.clock = packet.trace_packet_defaults.timestamp_clock_id
            sequence.track = packet.trace_packet_defaults.track_event_defaults.track_uuid
        interned = packet.interned_data
        sequence.names |= {entry.iid: entry.name for entry in interned.event_names}
        sequence.annotation_names |= {
            entry.iid: entry.name for entry in interned.debug_annotation_names
        }
        sequence.categories |= {entry.iid: entry.name for entry in interned.event_categories}
        if packet.HasField("clock_snapshot"):
            self._take_clocks(packet.clock_snapshot, sequence)
        if packet.HasField("track_descriptor"):
            uuid = packet.track_descriptor.uuid
            assert uuid not in self.tracks
            self.tracks[uuid] = Track(packet.track_descriptor)
        if packet.HasField("track_event"):
            event = packet.track_event
            track = event.track_uuid if event.HasField("track_uuid") else sequence.track
            self._pending.append((self._time(packet, sequence), track, event, sequence))

    def _take_clocks(self, snapshot, sequence):
        clocks = {clock.clock_id: clock for clock in snapshot.clocks}
        reference = clocks[TRACE_CLOCK].timestamp
        for number, clock in clocks.items():
            if number == TRACE_CLOCK:
                continue
            assert clock.is_incremental
            before = sequence.offsets.get(number, (0, 0))[1]
            assert reference >= before, "the clock of a sequence went back"
            sequence.offsets[number] = (reference - clock.timestamp, reference)
            sequence.now[number] = clock.timestamp

    def _time(self, packet, sequence):
        clock = packet.timestamp_clock_id or sequence.clock
        if clock == TRACE_CLOCK:
            return packet.timestamp
        assert packet.timestamp < 1 << 63
        sequence.now[clock] += packet.timestamp
        return sequence.now[clock] + sequence.offsets[clock][0]

    def _place(self, time, number, event, sequence):
        track = self.tracks[number]
        if event.type == protos.TrackEvent.TYPE_SLICE_END:
            track.open.pop().end = time
            return
        name = sequence.names[event.name_iid] if event.name_iid else event.name
        args = {
            sequence.annotation_names.get(entry.name_iid, entry.name): value_of(entry)
            for entry in event.debug_annotations
        }
        kinds = {
            sequence.annotation_names.get(entry.name_iid, entry.name): entry.WhichOneof("value")
            for entry in event.debug_annotations
        }
        category = "".join(sequence.categories[iid] for iid in event.category_iids)
        placed = Event(name, time, time, len(track.open), args, category, kinds)
        if event.type == protos.TrackEvent.TYPE_COUNTER:
            assert track.descriptor.HasField("counter")
            placed.value = getattr(event, event.WhichOneof("counter_value_field"))
        track.events.append(placed)
        if event.type == protos.TrackEvent.TYPE_SLICE_BEGIN:
            track.open.append(placed)

    def processes(self):
        """Names of the processes, by pid."""
        descriptors = [track.descriptor for track in self.tracks.values()]
        return {
            entry.process.pid: entry.process.process_name
            for entry in descriptors
            if entry.HasField("process")
        }

    def threads(self):
        """(process name, thread name) of each thread track, and the track."""
        processes = self.processes()
        found = {}
        for track in self.tracks.values():
            if track.descriptor.HasField("thread"):
                thread = track.descriptor.thread
                key = (processes[thread.pid], thread.thread_name)
                assert key not in found
                found[key] = track
        return found

    def children(self, parent):
        """Tracks right below one, in order."""
        return [
            track
            for track in self.tracks.values()
            if track.descriptor.parent_uuid == parent.descriptor.uuid
        ]

    def named(self, name):
        """The one track of this name."""
        (track,) = [track for track in self.tracks.values() if track.descriptor.name == name]
        return track


def value_of(annotation):
    """What an annotation holds, as Python has it."""
    if annotation.dict_entries:
        return {entry.name: value_of(entry) for entry in annotation.dict_entries}
    if annotation.array_values:
        return [value_of(entry) for entry in annotation.array_values]
    kind = annotation.WhichOneof("value")
    return getattr(annotation, kind) if kind else None
