"""The C++ core of gwatch. Most users want gwatch.cuda.trace.do_trace."""

from __future__ import annotations

import collections.abc
import typing

__all__: list[str] = [
    "FORMAT_VERSION",
    "GAP_CELL",
    "NO_SCOPE",
    "OUTSIDE_CELL",
    "SLOW_FACTOR",
    "Assembled",
    "AutoFind",
    "AutoMarked",
    "Bubble",
    "BubbleKind",
    "Bubbles",
    "BuildFacts",
    "Candidate",
    "CaptureResult",
    "Change",
    "Column",
    "CompileFacts",
    "Concurrency",
    "Counts",
    "CriticalPaths",
    "CriticalWarp",
    "FailedLaunch",
    "FidelityFacts",
    "FunctionFacts",
    "Hello",
    "Instants",
    "Instrumented",
    "Interval",
    "KernelPtx",
    "KindCount",
    "Lane",
    "LaneActivity",
    "Lanes",
    "LaunchFacts",
    "LaunchInfo",
    "Marker",
    "MixRow",
    "Movement",
    "Occupancy",
    "Overhead",
    "PayloadRows",
    "PayloadSummary",
    "PayloadValue",
    "Payloads",
    "PipelineSummary",
    "PtxFacts",
    "RawCapture",
    "RawRecords",
    "Resources",
    "Run",
    "RunDiff",
    "Scope",
    "ScopeChange",
    "ScopeCheck",
    "ScopeOutliers",
    "ScopeOverlap",
    "ScopePayloads",
    "ScopeStatistics",
    "Site",
    "SiteTable",
    "SliceRows",
    "Slices",
    "SlowSlice",
    "TextTimeline",
    "TimeFacts",
    "TimeShares",
    "TimedLaunch",
    "TimelineBlock",
    "TimelineRow",
    "TimingResult",
    "Trace",
    "TracedLaunch",
    "WarpGroup",
    "WarpsOverTime",
    "advance_progress",
    "answer_message",
    "assemble",
    "begin_capture",
    "begin_part",
    "begin_progress",
    "begin_timing",
    "clock_warnings",
    "compare_builds",
    "concurrency",
    "critical_paths",
    "decode",
    "defines_entry",
    "diff_runs",
    "end_capture",
    "end_timing",
    "fidelity_warnings",
    "find_bubbles",
    "find_in_fatbin",
    "find_in_files",
    "find_outliers",
    "from_json",
    "hooks_are_initialized",
    "iket_to_markers",
    "init_cupti_hooks",
    "instrument",
    "instrument_matching",
    "lane_activity",
    "list_markers",
    "mark_automatically",
    "mark_payload",
    "matching_entries",
    "merge_archives",
    "new_remarks",
    "newest_ptx_version",
    "occupancy",
    "orders_message",
    "payload_kinds",
    "pipeline_summary",
    "progress",
    "ptx_facts",
    "read_archive",
    "read_message",
    "read_raw_capture",
    "restore_markers",
    "run_offsets_ns",
    "runs_on",
    "scope_statistics",
    "select_warps",
    "set_facts",
    "slice_payload",
    "strip_paths",
    "summarise_payloads",
    "text_timeline",
    "time_axis_notes",
    "time_next",
    "time_shares",
    "to_html",
    "to_json",
    "warp_groups",
    "write_archive",
    "write_chrome",
    "write_html",
    "write_perfetto",
    "write_raw_capture",
]

class PtxFacts:
    """What a PTX module says of itself."""
    @property
    def entries(self) -> list[str]:
        """Names of the kernels it defines."""
    @property
    def targets(self) -> list[str]: ...
    @property
    def version(self) -> str: ...

class Marker:
    """A marker as it stands in PTX text."""
    @property
    def file(self) -> str: ...
    @property
    def function(self) -> str: ...
    @property
    def in_entry(self) -> bool: ...
    @property
    def line(self) -> int:
        """Source line; 0 when unknown."""
    @property
    def next_scope(self) -> str:
        """For a switch, the scope that starts; else empty."""
    @property
    def payload(self) -> str:
        """Kind of the value that it records: s32, u32, f32, s64, u64, f64 or bits; else empty."""
    @property
    def placement(self) -> str: ...
    @property
    def placement_reason(self) -> str: ...
    @property
    def ptx_line(self) -> int: ...
    @property
    def scope(self) -> str:
        """The scope's name or digits; for a switch, the one that ends."""
    @property
    def site(self) -> int:
        """Fused markers share one."""
    @property
    def verb(self) -> str: ...

class SiteTable:
    """What the site number of each record means."""
    @staticmethod
    def from_json(text: str) -> SiteTable:
        """The table that to_json wrote."""
    def to_json(self) -> str:
        """The table as JSON text."""

class Instrumented:
    """An instrumented module."""
    @property
    def grid_counts_clusters(self) -> bool:
        """A kernel has .blocksareclusters."""
    @property
    def markers(self) -> list[Marker]:
        """Those of the entries and of the functions they may reach, in text order."""
    @property
    def parameter(self) -> tuple[int, int] | None:
        """Index, and offset in bytes (0 behind others: only the driver knows), of the parameter by which the kernel gets the launch constants; None: it reads the variable gwatch_launch."""
    @property
    def ptx(self) -> bytes: ...
    @property
    def sites(self) -> SiteTable: ...
    @property
    def uses_lane_cursors(self) -> bool:
        """Whether a device function has a record."""
    @property
    def variables(self) -> list[str]:
        """The module's .global and .const variables that the kernel names."""

class AutoFind:
    """A place of a PTX text that was put in a scope."""
    @property
    def end_ptx_line(self) -> int:
        """Of its last instruction."""
    @property
    def file(self) -> str: ...
    @property
    def function(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def line(self) -> int:
        """Source line; 0 when unknown."""
    @property
    def ptx_line(self) -> int:
        """Of its first instruction."""
    @property
    def scope(self) -> str: ...

class AutoMarked:
    """A PTX text with markers around what was found."""
    @property
    def finds(self) -> list[AutoFind]: ...
    @property
    def inserted(self) -> list[tuple[int, bytes]]:
        """Offsets into the original text, and what stands there now."""
    @property
    def ptx(self) -> bytes: ...

class Candidate:
    """One assembler that may be tried."""
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(
        self, path: str, origin: str, flags: collections.abc.Sequence[str] = []
    ) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def flags(self) -> list[str]:
        """What is passed besides -v and --gpu-name."""
    @flags.setter
    def flags(self, arg0: collections.abc.Sequence[str]) -> None: ...
    @property
    def origin(self) -> str:
        """Where it comes from: "triton", "PATH"."""
    @origin.setter
    def origin(self, arg0: str) -> None: ...
    @property
    def path(self) -> str:
        """Of a ptxas program."""
    @path.setter
    def path(self, arg0: str) -> None: ...

class Resources:
    """What ptxas -v says of a kernel; -1 where nothing."""
    @property
    def registers(self) -> int: ...
    @property
    def shared_bytes(self) -> int: ...
    @property
    def spill_load_bytes(self) -> int: ...
    @property
    def spill_store_bytes(self) -> int: ...
    @property
    def stack_bytes(self) -> int: ...

class Assembled:
    """A cubin and how it was made."""
    @property
    def cubin(self) -> bytes: ...
    @property
    def earlier_failures(self) -> str: ...
    @property
    def flags(self) -> list[str]: ...
    @property
    def log(self) -> str: ...
    @property
    def lowered_from(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def remarks(self) -> list[str]: ...
    @property
    def resources(self) -> Resources: ...
    @property
    def seconds(self) -> float: ...
    @property
    def version(self) -> str: ...

class Occupancy:
    """Of an SM by one build; -1 where unknown."""
    def __init__(self) -> None: ...
    @property
    def blocks_per_sm(self) -> int: ...
    @blocks_per_sm.setter
    def blocks_per_sm(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def limited_by(self) -> str:
        """Empty when unknown."""
    @limited_by.setter
    def limited_by(self, arg0: str) -> None: ...
    @property
    def max_warps_per_sm(self) -> int: ...
    @max_warps_per_sm.setter
    def max_warps_per_sm(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def warps_per_sm(self) -> int: ...
    @warps_per_sm.setter
    def warps_per_sm(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class MixRow:
    """How often a family of machine instructions occurs."""

    family: str
    def __init__(self) -> None: ...
    @property
    def original(self) -> int: ...
    @original.setter
    def original(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def own(self) -> int:
        """Of the traced ones, gwatch's own code."""
    @own.setter
    def own(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def traced(self) -> int: ...
    @traced.setter
    def traced(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class Overhead:
    """The kernel timed with and without its records."""
    def __init__(self) -> None: ...
    @property
    def original_ns(self) -> float:
        """Median."""
    @original_ns.setter
    def original_ns(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def pairs(self) -> int: ...
    @pairs.setter
    def pairs(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def ratio(self) -> float:
        """Median of traced / original of each pair."""
    @ratio.setter
    def ratio(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def ratio_p10(self) -> float: ...
    @ratio_p10.setter
    def ratio_p10(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def ratio_p90(self) -> float: ...
    @ratio_p90.setter
    def ratio_p90(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def traced_ns(self) -> float:
        """Median."""
    @traced_ns.setter
    def traced_ns(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...

class KindCount:
    """The key instructions of one kind in one scope."""

    kind: str
    def __init__(self) -> None: ...
    @property
    def added(self) -> int:
        """Of sass: the assembler's own."""
    @added.setter
    def added(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def gone(self) -> int:
        """Of ptx: in no machine code."""
    @gone.setter
    def gone(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def is_compared(self) -> bool:
        """False: what moved is not known."""
    @is_compared.setter
    def is_compared(self, arg0: bool) -> None: ...
    @property
    def moved_in(self) -> int: ...
    @moved_in.setter
    def moved_in(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def moved_out(self) -> int: ...
    @moved_out.setter
    def moved_out(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def ptx(self) -> int:
        """Between the markers in the PTX."""
    @ptx.setter
    def ptx(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def sass(self) -> int:
        """Between the timer reads in the machine code."""
    @sass.setter
    def sass(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def waits(self) -> bool:
        """The warp waits for it; else only its issue is timed."""
    @waits.setter
    def waits(self, arg0: bool) -> None: ...

class Movement:
    """Machine instructions that changed sides."""

    kind: str
    opcode: str
    def __init__(self) -> None: ...
    @property
    def count(self) -> int: ...
    @count.setter
    def count(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def file(self) -> str:
        """Empty when unknown."""
    @file.setter
    def file(self, arg0: str) -> None: ...
    @property
    def into(self) -> bool:
        """The scope; False: out of it."""
    @into.setter
    def into(self, arg0: bool) -> None: ...
    @property
    def line(self) -> int:
        """0 when unknown."""
    @line.setter
    def line(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def ptx_line(self) -> int:
        """In the original text."""
    @ptx_line.setter
    def ptx_line(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class ScopeCheck:
    """A scope's machine code against its PTX."""
    def __init__(self) -> None: ...
    @property
    def counts(self) -> list[KindCount]:
        """A copy: assign the changed list."""
    @counts.setter
    def counts(self, arg0: collections.abc.Sequence[KindCount]) -> None: ...
    @property
    def end_reads(self) -> int: ...
    @end_reads.setter
    def end_reads(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def movements(self) -> list[Movement]:
        """A copy: assign the changed list."""
    @movements.setter
    def movements(self, arg0: collections.abc.Sequence[Movement]) -> None: ...
    @property
    def scope(self) -> int:
        """Index into Run.scopes."""
    @scope.setter
    def scope(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def start_reads(self) -> int:
        """Timer reads that start it."""
    @start_reads.setter
    def start_reads(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def unknown(self) -> str:
        """Why it was not compared, or empty."""
    @unknown.setter
    def unknown(self, arg0: str) -> None: ...

class FidelityFacts:
    """What tracing did to a kernel."""

    original: Occupancy
    traced: Occupancy
    def __init__(self) -> None: ...
    @property
    def disassembler(self) -> str:
        """Its path; empty when there is none."""
    @disassembler.setter
    def disassembler(self, arg0: str) -> None: ...
    @property
    def mix(self) -> list[MixRow]:
        """A copy: assign the changed list."""
    @mix.setter
    def mix(self, arg0: collections.abc.Sequence[MixRow]) -> None: ...
    @property
    def new_remarks(self) -> list[str]:
        """Of the assembler, on the traced text alone."""
    @new_remarks.setter
    def new_remarks(self, arg0: collections.abc.Sequence[str]) -> None: ...
    @property
    def notes(self) -> list[str]:
        """A copy: assign the changed list."""
    @notes.setter
    def notes(self, arg0: collections.abc.Sequence[str]) -> None: ...
    @property
    def overhead(self) -> Overhead | None:
        """None when it was not measured."""
    @overhead.setter
    def overhead(self, arg0: Overhead | None) -> None: ...
    @property
    def scopes(self) -> list[ScopeCheck]:
        """A copy: assign the changed list."""
    @scopes.setter
    def scopes(self, arg0: collections.abc.Sequence[ScopeCheck]) -> None: ...
    @property
    def unknown(self) -> str:
        """Why mix and scopes are missing, or empty."""
    @unknown.setter
    def unknown(self, arg0: str) -> None: ...

class KernelPtx:
    """A kernel's PTX out of a fat binary."""
    def __init__(self, ptx: bytes, target: str, flags: str, cubin: bytes, where: str) -> None: ...
    @property
    def cubin(self) -> bytes:
        """The untraced build for the same target; empty when there is none."""
    @property
    def flags(self) -> str:
        """What nvcc passes to ptxas, as one line."""
    @property
    def ptx(self) -> bytes: ...
    @property
    def target(self) -> str:
        """That it was compiled for: "sm_90a"."""
    @property
    def where(self) -> str: ...

class LaunchFacts:
    """What was launched."""

    device: str
    dsl: str
    in_graph: bool
    kernel_demangled: str
    def __init__(self) -> None: ...
    @property
    def block(self) -> typing.Annotated[list[int], "FixedSize(3)"]:
        """In threads."""
    @block.setter
    def block(
        self,
        arg0: typing.Annotated[
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
        ],
    ) -> None: ...
    @property
    def cluster(self) -> typing.Annotated[list[int], "FixedSize(3)"]:
        """In blocks."""
    @cluster.setter
    def cluster(
        self,
        arg0: typing.Annotated[
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
        ],
    ) -> None: ...
    @property
    def device_index(self) -> int: ...
    @device_index.setter
    def device_index(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def dynamic_shared_bytes(self) -> int: ...
    @dynamic_shared_bytes.setter
    def dynamic_shared_bytes(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def grid(self) -> typing.Annotated[list[int], "FixedSize(3)"]:
        """In blocks."""
    @grid.setter
    def grid(
        self,
        arg0: typing.Annotated[
            collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
        ],
    ) -> None: ...
    @property
    def host(self) -> str | None:
        """Tells the machine from others; None when unknown."""
    @host.setter
    def host(self, arg0: str | None) -> None: ...
    @property
    def kernel(self) -> str:
        """Mangled name."""
    @kernel.setter
    def kernel(self, arg0: str) -> None: ...
    @property
    def max_clock_mhz(self) -> int | None:
        """The device's highest SM clock; None when unknown."""
    @max_clock_mhz.setter
    def max_clock_mhz(self, arg0: typing.SupportsInt | typing.SupportsIndex | None) -> None: ...
    @property
    def rank(self) -> int | None:
        """Of the process among those of a distributed job; None outside of one."""
    @rank.setter
    def rank(self, arg0: typing.SupportsInt | typing.SupportsIndex | None) -> None: ...
    @property
    def sm_count(self) -> int: ...
    @sm_count.setter
    def sm_count(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def stream(self) -> int: ...
    @stream.setter
    def stream(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class BuildFacts:
    """One build of the kernel; -1 where unknown."""
    def __init__(self) -> None: ...
    @property
    def local_bytes(self) -> int:
        """Per thread."""
    @local_bytes.setter
    def local_bytes(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def registers(self) -> int: ...
    @registers.setter
    def registers(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def spill_load_bytes(self) -> int: ...
    @spill_load_bytes.setter
    def spill_load_bytes(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def spill_store_bytes(self) -> int: ...
    @spill_store_bytes.setter
    def spill_store_bytes(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def static_shared_bytes(self) -> int: ...
    @static_shared_bytes.setter
    def static_shared_bytes(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class CompileFacts:
    """How the traced kernel was built."""

    assembler_origin: str
    assembler_version: str
    lowered_from: str
    original: BuildFacts
    ptx_target: str
    ptx_version: str
    traced: BuildFacts
    def __init__(self) -> None: ...
    @property
    def assembler(self) -> str:
        """Its path."""
    @assembler.setter
    def assembler(self, arg0: str) -> None: ...
    @property
    def assembler_flags(self) -> list[str]: ...
    @assembler_flags.setter
    def assembler_flags(self, arg0: collections.abc.Sequence[str]) -> None: ...
    @property
    def ptx_source(self) -> str:
        """Where the PTX came from, in words."""
    @ptx_source.setter
    def ptx_source(self, arg0: str) -> None: ...
    @property
    def remarks(self) -> list[str]: ...
    @remarks.setter
    def remarks(self, arg0: collections.abc.Sequence[str]) -> None: ...

class Counts:
    """How much was recorded, and what is missing."""
    def __init__(self) -> None: ...
    @property
    def blocks_in_grid(self) -> int: ...
    @blocks_in_grid.setter
    def blocks_in_grid(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def blocks_selected(self) -> int: ...
    @blocks_selected.setter
    def blocks_selected(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def buffer_bytes(self) -> int: ...
    @buffer_bytes.setter
    def buffer_bytes(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def buffer_bytes_needed(self) -> int:
        """Would have dropped nothing; 0 when nothing was dropped."""
    @buffer_bytes_needed.setter
    def buffer_bytes_needed(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def dropped_events(self) -> int: ...
    @dropped_events.setter
    def dropped_events(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def dropped_records(self) -> int: ...
    @dropped_records.setter
    def dropped_records(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def events(self) -> int: ...
    @events.setter
    def events(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def orphan_ends(self) -> int: ...
    @orphan_ends.setter
    def orphan_ends(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def orphan_starts(self) -> int: ...
    @orphan_starts.setter
    def orphan_starts(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def records(self) -> int: ...
    @records.setter
    def records(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def warps_in_grid(self) -> int: ...
    @warps_in_grid.setter
    def warps_in_grid(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def warps_recorded(self) -> int: ...
    @warps_recorded.setter
    def warps_recorded(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class TimeFacts:
    """How good the run's times are."""
    def __init__(self) -> None: ...
    @property
    def alignment_ns(self) -> float:
        """Between warps of different SMs."""
    @alignment_ns.setter
    def alignment_ns(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def clock_mhz(self) -> float: ...
    @clock_mhz.setter
    def clock_mhz(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def resolution_ns(self) -> float:
        """Of durations inside a warp."""
    @resolution_ns.setter
    def resolution_ns(self, arg0: typing.SupportsFloat | typing.SupportsIndex) -> None: ...
    @property
    def span_ns(self) -> int:
        """First entry to last exit or record."""
    @span_ns.setter
    def span_ns(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def start_globaltimer_ns(self) -> int: ...
    @start_globaltimer_ns.setter
    def start_globaltimer_ns(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def timer_gap_ns(self) -> int | None:
        """The longest time between two readings of the device's timer on an SM."""
    @timer_gap_ns.setter
    def timer_gap_ns(self, arg0: typing.SupportsInt | typing.SupportsIndex | None) -> None: ...

class Scope:
    """A marked region of the kernel."""

    name: str
    def __init__(self) -> None: ...
    @property
    def file(self) -> str:
        """Empty when unknown."""
    @file.setter
    def file(self, arg0: str) -> None: ...
    @property
    def id(self) -> int:
        """-1 when it was marked by name."""
    @id.setter
    def id(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def line(self) -> int:
        """0 when unknown."""
    @line.setter
    def line(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def payload(self) -> str:
        """Kind of the values that its starts and marks record: s32, u32, f32, s64, u64, f64 or bits; empty when they record none."""

class Site:
    """One static place of the kernel that records."""

    file: str
    function: str
    placement: str
    def __init__(self) -> None: ...
    @property
    def actions(self) -> list[str]: ...
    @actions.setter
    def actions(self, arg0: collections.abc.Sequence[str]) -> None: ...
    @property
    def line(self) -> int: ...
    @line.setter
    def line(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    @property
    def records(self) -> int: ...
    @records.setter
    def records(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...

class Lane:
    """One warp of one block."""
    @property
    def block(self) -> int:
        """Linear block id."""
    @property
    def cluster_rank(self) -> int: ...
    @property
    def end_slice(self) -> int:
        """One past its last slice."""
    @property
    def enter_ns(self) -> int: ...
    @property
    def events(self) -> int:
        """Markers recorded."""
    @property
    def exit_ns(self) -> int:
        """-1 when no exit was recorded."""
    @property
    def first_slice(self) -> int: ...
    @property
    def sm(self) -> int: ...
    @property
    def warp(self) -> int:
        """Linear thread id / 32."""

class Lanes:
    """The warps of a run, in order of block, then warp."""
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> Lane: ...
    def __iter__(self) -> collections.abc.Iterator[Lane]: ...
    def __len__(self) -> int: ...

class Column:
    """A column behind a memoryview."""

class Payloads:
    """The values that starts or marks recorded, as columns of equal length."""
    def __len__(self) -> int: ...
    @property
    def bits(self) -> memoryview:
        """To be read by the kind of the row's scope; 32-bit ones zero-extended."""
    @property
    def row(self) -> memoryview:
        """Rows of the table; they ascend."""

class Slices:
    """Slices of all lanes as columns of equal length."""
    def __len__(self) -> int: ...
    @property
    def depth(self) -> memoryview: ...
    @property
    def duration_ns(self) -> memoryview: ...
    @property
    def mask(self) -> memoryview:
        """Bit t: thread t was in it."""
    @property
    def payloads(self) -> Payloads:
        """Of their starts."""
    @property
    def scope(self) -> memoryview:
        """Indices into Run.scopes."""
    @property
    def start_ns(self) -> memoryview: ...

class Instants:
    """Single instants as columns of equal length."""
    def __len__(self) -> int: ...
    @property
    def lane(self) -> memoryview:
        """Indices into Run.lanes."""
    @property
    def mask(self) -> memoryview: ...
    @property
    def payloads(self) -> Payloads: ...
    @property
    def scope(self) -> memoryview: ...
    @property
    def time_ns(self) -> memoryview: ...

class Run:
    """What one traced launch showed. Times are ns from its first entry."""

    compile: CompileFacts
    counts: Counts
    launch: LaunchFacts
    time: TimeFacts
    def __init__(self) -> None: ...
    @property
    def fidelity(self) -> FidelityFacts | None:
        """What tracing did to the kernel; None when it was not compared."""
    @fidelity.setter
    def fidelity(self, arg0: FidelityFacts | None) -> None: ...
    @property
    def lanes(self) -> Lanes: ...
    @property
    def marks(self) -> Instants: ...
    @property
    def orphan_ends(self) -> Instants: ...
    @property
    def orphan_starts(self) -> Instants: ...
    @property
    def scopes(self) -> list[Scope]:
        """A copy: assign the changed list."""
    @scopes.setter
    def scopes(self, arg0: collections.abc.Sequence[Scope]) -> None: ...
    @property
    def sites(self) -> list[Site]:
        """A copy: assign the changed list."""
    @sites.setter
    def sites(self, arg0: collections.abc.Sequence[Site]) -> None: ...
    @property
    def slices(self) -> Slices: ...
    @property
    def stage_seconds(self) -> dict[str, float]:
        """A copy: assign the changed dictionary."""
    @stage_seconds.setter
    def stage_seconds(
        self, arg0: collections.abc.Mapping[str, typing.SupportsFloat | typing.SupportsIndex]
    ) -> None: ...
    @property
    def warnings(self) -> list[str]:
        """A copy: assign the changed list."""
    @warnings.setter
    def warnings(self, arg0: collections.abc.Sequence[str]) -> None: ...

class Trace:
    """Runs with a title: what an archive or a report holds."""

    title: str
    def __init__(self) -> None: ...
    def to_arrow(self) -> typing.Any:
        """A pyarrow table with a row a slice."""
    def to_pandas(self) -> typing.Any:
        """The same as a pandas DataFrame."""
    def to_polars(self) -> typing.Any:
        """The same as a Polars DataFrame."""
    @property
    def created(self) -> str:
        """ISO 8601, UTC."""
    @created.setter
    def created(self, arg0: str) -> None: ...
    @property
    def runs(self) -> list[Run]:
        """Assigning copies the runs."""
    @runs.setter
    def runs(self, arg1: collections.abc.Sequence[Run]) -> None: ...

class ScopeStatistics:
    """Durations of one scope's slices, in ns."""
    @property
    def count(self) -> int: ...
    @property
    def max_ns(self) -> int: ...
    @property
    def mean_ns(self) -> float: ...
    @property
    def min_ns(self) -> int: ...
    @property
    def p50_ns(self) -> float: ...
    @property
    def p95_ns(self) -> float: ...
    @property
    def scope(self) -> int:
        """Index into Run.scopes."""
    @property
    def total_ns(self) -> int: ...
    @property
    def warps(self) -> int:
        """Warps that had at least one slice."""

class LaneActivity:
    """How a warp spent its life."""
    @property
    def active_ns(self) -> int:
        """In at least one scope."""
    @property
    def gap_ns(self) -> int: ...
    @property
    def lane(self) -> int:
        """Index into Run.lanes."""
    @property
    def lifetime_ns(self) -> int: ...
    @property
    def longest_gap_ns(self) -> int: ...
    @property
    def longest_gap_start_ns(self) -> int: ...

class PipelineSummary:
    """How all warps spent their lives."""
    @property
    def active_ns(self) -> int: ...
    @property
    def active_ratio(self) -> float: ...
    @property
    def gap_ns(self) -> int: ...
    @property
    def lifetime_ns(self) -> int: ...
    @property
    def most_gap(self) -> list[LaneActivity]:
        """Warps with the most gap, most first."""
    @property
    def warps(self) -> int: ...

class RawRecords:
    """What a traced launch left in its memory."""
    @property
    def block(self) -> typing.Annotated[list[int], "FixedSize(3)"]: ...
    @property
    def buffer_bytes(self) -> int:
        """Size of that memory."""
    @property
    def grid(self) -> typing.Annotated[list[int], "FixedSize(3)"]: ...

class RawCapture:
    """Records with all that is needed to decode them."""
    @property
    def facts(self) -> str:
        """For set_facts()."""
    @property
    def records(self) -> RawRecords: ...
    @property
    def sites(self) -> SiteTable: ...

class LaunchInfo:
    """A kernel launch as its launch call shows it."""
    @property
    def block(self) -> tuple[int, int, int]: ...
    @property
    def cluster(self) -> tuple[int, int, int]: ...
    @property
    def compute_capability(self) -> int: ...
    @property
    def context(self) -> int: ...
    @property
    def device(self) -> int: ...
    @property
    def device_name(self) -> str: ...
    @property
    def dynamic_shared_bytes(self) -> int: ...
    @property
    def every_warp(self) -> bool: ...
    @property
    def function(self) -> int: ...
    @property
    def grid(self) -> tuple[int, int, int]: ...
    @property
    def image(self) -> bytes: ...
    @property
    def in_stream_capture(self) -> bool: ...
    @property
    def kernel(self) -> str: ...
    @property
    def kernel_demangled(self) -> str: ...
    @property
    def max_clock_khz(self) -> int:
        """Highest clock of the SMs; 0: the driver does not say."""
    @property
    def resolved_function(self) -> int: ...
    @property
    def sm_count(self) -> int: ...
    @property
    def stream(self) -> int: ...

class FunctionFacts:
    """Resources of one build; -1 where unknown."""
    @property
    def blocks_per_sm(self) -> int:
        """With the launch's block and dynamic shared memory."""
    @property
    def local_bytes(self) -> int: ...
    @property
    def registers(self) -> int: ...
    @property
    def static_shared_bytes(self) -> int: ...

class FailedLaunch:
    """A matching launch that was not traced, and why."""
    @property
    def error(self) -> typing.Any: ...
    @property
    def kernel(self) -> str: ...

class TracedLaunch:
    """A launch that was traced, and what it wrote."""
    @property
    def info(self) -> LaunchInfo: ...
    @property
    def original(self) -> FunctionFacts: ...
    @property
    def records(self) -> RawRecords: ...
    @property
    def stage_seconds(self) -> dict[str, float]: ...
    @property
    def token(self) -> int: ...
    @property
    def traced(self) -> FunctionFacts: ...

class TimedLaunch:
    """A launch that was timed on the device."""
    @property
    def duration_ns(self) -> float: ...
    @property
    def traced(self) -> bool: ...
    @property
    def turn(self) -> int:
        """Which time_next() it followed, from 0."""

class TimingResult:
    """What was timed."""
    @property
    def failures(self) -> list[FailedLaunch]: ...
    @property
    def launches(self) -> list[TimedLaunch]: ...

class CaptureResult:
    """What a capture saw and traced."""
    @property
    def failures(self) -> list[FailedLaunch]: ...
    @property
    def graph_launches(self) -> int:
        """Kernels of a graph are seen when it is captured."""
    @property
    def launches(self) -> list[TracedLaunch]: ...
    @property
    def matching_launches(self) -> int: ...
    @property
    def seen_kernels(self) -> dict[str, int]: ...
    @property
    def skipped_launches(self) -> int: ...

class Hello:
    """What a program under `gwatch run` says first."""
    @property
    def process_id(self) -> int: ...
    @property
    def program(self) -> str:
        """Its path."""

class TimelineRow:
    """The cells of one warp: a scope's index, or a constant."""
    @property
    def cells(self) -> list[int]: ...
    @property
    def sm(self) -> int: ...
    @property
    def warp(self) -> int: ...

class TimelineBlock:
    """The warps of one block, on an axis of their own."""
    @property
    def begin_ns(self) -> int: ...
    @property
    def block(self) -> int: ...
    @property
    def reason(self) -> str: ...
    @property
    def rows(self) -> list[TimelineRow]: ...

class TextTimeline:
    """A timeline as a grid of cells."""
    @property
    def blocks(self) -> list[TimelineBlock]: ...
    @property
    def cell_ns(self) -> float: ...
    @property
    def gap_ns(self) -> int: ...
    @property
    def innermost_ns(self) -> list[int]: ...
    @property
    def lanes_in_run(self) -> int: ...

class SliceRows:
    """What slices take from their warps, as columns: a row a slice."""
    @staticmethod
    def of_marks(run: Run) -> SliceRows:
        """What marks take from theirs; end_ns is their time."""
    def __init__(
        self,
        run: Run,
        first: typing.SupportsInt | typing.SupportsIndex,
        end: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    @property
    def block(self) -> memoryview: ...
    @property
    def block_x(self) -> memoryview: ...
    @property
    def block_y(self) -> memoryview: ...
    @property
    def block_z(self) -> memoryview: ...
    @property
    def cluster_rank(self) -> memoryview: ...
    @property
    def end_ns(self) -> memoryview: ...
    @property
    def sm(self) -> memoryview: ...
    @property
    def warp(self) -> memoryview: ...

class TimeShares:
    """How some warps spent their lives, in ns."""
    @property
    def gap_ns(self) -> int:
        """In no scope."""
    @property
    def lifetime_ns(self) -> int: ...
    @property
    def self_ns(self) -> list[int]:
        """By scope, while it was the innermost."""

class WarpGroup:
    """Warps that ran the same set of scopes."""
    @property
    def count(self) -> int: ...
    @property
    def is_rest(self) -> bool:
        """Several smaller groups together."""
    @property
    def scopes(self) -> list[int]:
        """Indices into Run.scopes."""
    @property
    def time(self) -> TimeShares: ...
    @property
    def warps(self) -> list[int]:
        """Their places in their blocks."""

class Bubble:
    """A stretch of a warp's life in no scope."""
    @property
    def after(self) -> int:
        """Scope that starts behind it, or NO_SCOPE."""
    @property
    def before(self) -> int:
        """Scope that ended there, or NO_SCOPE."""
    @property
    def duration_ns(self) -> int: ...
    @property
    def lane(self) -> int:
        """Index into Run.lanes."""
    @property
    def start_ns(self) -> int: ...

class BubbleKind:
    """All bubbles between the same two scopes."""
    @property
    def after(self) -> int: ...
    @property
    def before(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def longest_ns(self) -> int: ...
    @property
    def total_ns(self) -> int: ...

class Bubbles:
    """The bubbles of a run."""
    @property
    def count(self) -> int: ...
    @property
    def kinds(self) -> list[BubbleKind]:
        """Most total first."""
    @property
    def lifetime_ns(self) -> int:
        """Of all warps."""
    @property
    def longest(self) -> list[Bubble]:
        """Longest first."""
    @property
    def total_ns(self) -> int: ...

class SlowSlice:
    """An instance that took long."""
    @property
    def duration_ns(self) -> int: ...
    @property
    def lane(self) -> int:
        """Index into Run.lanes."""
    @property
    def slice(self) -> int:
        """Index into Run.slices."""
    @property
    def start_ns(self) -> int: ...

class ScopeOutliers:
    """One scope against its own median."""
    @property
    def count(self) -> int: ...
    @property
    def excess_ns(self) -> float:
        """Of the slow ones, beyond medians."""
    @property
    def p50_ns(self) -> float: ...
    @property
    def p95_ns(self) -> float: ...
    @property
    def scope(self) -> int: ...
    @property
    def slow_count(self) -> int:
        """Above SLOW_FACTOR medians."""
    @property
    def slowest(self) -> list[SlowSlice]:
        """Longest first."""
    @property
    def total_ns(self) -> int: ...

class CriticalWarp:
    """The longest warp of a block."""
    @property
    def block(self) -> int: ...
    @property
    def block_ns(self) -> int:
        """First entry to last exit."""
    @property
    def lane(self) -> int:
        """Index into Run.lanes."""
    @property
    def time(self) -> TimeShares: ...

class CriticalPaths:
    """The longest warps of all blocks."""
    @property
    def blocks(self) -> int: ...
    @property
    def led_blocks(self) -> list[int]:
        """By scope: blocks whose longest warp it held most."""
    @property
    def led_by_no_scope(self) -> int: ...
    @property
    def slowest(self) -> list[CriticalWarp]:
        """Blocks that took longest."""
    @property
    def time(self) -> TimeShares:
        """Summed over the longest warps."""

class WarpsOverTime:
    """How many warps something held."""
    @property
    def cells(self) -> list[float]:
        """Mean over each cell of time."""
    @property
    def mean(self) -> float: ...
    @property
    def time_ns(self) -> int:
        """Summed over warps."""

class ScopeOverlap:
    """Two scopes in different warps of a block, ns summed over blocks."""
    @property
    def both_ns(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def first_ns(self) -> int: ...
    @property
    def second(self) -> int: ...
    @property
    def second_ns(self) -> int: ...

class Concurrency:
    """Warps in each scope over time."""
    @property
    def alive(self) -> WarpsOverTime: ...
    @property
    def begin_ns(self) -> int: ...
    @property
    def cell_ns(self) -> float: ...
    @property
    def end_ns(self) -> int: ...
    @property
    def in_no_scope(self) -> WarpsOverTime: ...
    @property
    def pairs(self) -> list[ScopeOverlap]:
        """Most time together first."""
    @property
    def scopes(self) -> list[WarpsOverTime]:
        """By innermost scope."""

class Interval:
    """Holds the true difference in 95 of 100 cases."""
    @property
    def excludes_zero(self) -> bool: ...
    @property
    def high(self) -> float: ...
    @property
    def low(self) -> float: ...

class Change:
    """A figure before and after."""
    @property
    def after(self) -> float: ...
    @property
    def before(self) -> float: ...
    @property
    def difference(self) -> Interval | None:
        """Of after - before; None: not known."""

class ScopeChange:
    """One scope in two runs."""
    @property
    def after(self) -> int | None:
        """Its index there, or None."""
    @property
    def before(self) -> int | None:
        """Its index there, or None."""
    @property
    def count_after(self) -> int: ...
    @property
    def count_before(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def p50_ns(self) -> Change: ...
    @property
    def p95_ns(self) -> Change: ...
    @property
    def share(self) -> Change:
        """Of the warps' summed lifetimes."""
    @property
    def total_ns(self) -> Change: ...

class RunDiff:
    """Two runs compared."""
    @property
    def gap_share(self) -> Change: ...
    @property
    def is_paired(self) -> bool:
        """The same ones of both were drawn."""
    @property
    def lifetime_ns(self) -> Change:
        """Mean of a warp."""
    @property
    def resampled(self) -> str:
        """What was drawn again for the intervals: blocks, warps or stretches; empty: nothing."""
    @property
    def scopes(self) -> list[ScopeChange]: ...

class PayloadValue:
    """All slices or marks of a scope that carried one value."""
    @property
    def bits(self) -> int:
        """See ScopePayloads.value() and .text()."""
    @property
    def count(self) -> int: ...
    @property
    def max_ns(self) -> int: ...
    @property
    def p50_ns(self) -> float:
        """Of durations; 0 for marks."""
    @property
    def p95_ns(self) -> float: ...
    @property
    def total_ns(self) -> int: ...

class ScopePayloads:
    """What the slices, or the marks, of a scope carried."""
    def text(self, bits: typing.SupportsInt | typing.SupportsIndex) -> str:
        """The value behind bits, exactly."""
    def value(self, bits: typing.SupportsInt | typing.SupportsIndex) -> int | float | str:
        """The same as a number; text where JSON has no exact number for it."""
    @property
    def count(self) -> int:
        """Rows that carried a payload."""
    @property
    def distinct(self) -> int:
        """Values."""
    @property
    def kind(self) -> str:
        """'s32', 'u64', 'f32', ...; 'bits' for what is no number."""
    @property
    def least(self) -> int:
        """Bits."""
    @property
    def median(self) -> int:
        """Bits of the (lower) middle value."""
    @property
    def most(self) -> int:
        """Bits."""
    @property
    def scope(self) -> int:
        """Index into Run.scopes."""
    @property
    def total_ns(self) -> int: ...
    @property
    def values(self) -> list[PayloadValue]:
        """All in order of value, or those with most total when there are too many."""
    @property
    def without(self) -> int:
        """The other rows of the scope."""

class PayloadSummary:
    """The payloads of a run."""
    @property
    def marks(self) -> list[ScopePayloads]: ...
    @property
    def slices(self) -> list[ScopePayloads]:
        """One entry a scope that has any."""

class PayloadRows:
    """Payloads of slices as columns, each with a bit a row that tells whether it has a value; empty when no slice has a payload."""
    @staticmethod
    def of_marks(run: Run) -> PayloadRows:
        """Those of all marks."""
    def __init__(
        self,
        run: Run,
        first: typing.SupportsInt | typing.SupportsIndex,
        end: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    @property
    def as_float(self) -> tuple[memoryview, memoryview]: ...
    @property
    def as_signed(self) -> tuple[memoryview, memoryview]: ...
    @property
    def as_unsigned(self) -> tuple[memoryview, memoryview]:
        """Bits too."""
    @property
    def kind(self) -> tuple[memoryview, memoryview]:
        """Index into payload_kinds()."""

def advance_progress(steps: typing.SupportsInt | typing.SupportsIndex) -> None:
    """Steps of it are done."""

def answer_message(
    prepare: collections.abc.Callable[
        [LaunchInfo],
        tuple[
            bytes,
            bool,
            typing.SupportsInt | typing.SupportsIndex,
            list[str],
            bool,
            tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ]
            | None,
        ],
    ],
    launch: LaunchInfo,
) -> bytes:
    """The answer to LaunchInfo: what prepare(launch) returns, or the error it raises."""

def assemble(
    ptx: str | bytes,
    entry: str,
    candidates: collections.abc.Sequence[Candidate],
    target: str = "",
    keep_folder: str = "",
) -> Assembled:
    """Assembles with the first candidate that can; raises AssemblerError when none can."""

def begin_capture(
    kernel_pattern: str,
    prepare: collections.abc.Callable[
        [LaunchInfo],
        tuple[
            bytes,
            bool,
            typing.SupportsInt | typing.SupportsIndex,
            list[str],
            bool,
            tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ]
            | None,
        ],
    ],
    max_launches: typing.SupportsInt | typing.SupportsIndex = 1,
    buffer_bytes: typing.SupportsInt | typing.SupportsIndex = 0,
    warp_mask: typing.SupportsInt | typing.SupportsIndex = 0,
    blocks: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
    ] = [0, 1, 0],
) -> None:
    """Start to trace matching launches with the builds that prepare(LaunchInfo) returns."""

def begin_part(
    part: typing.SupportsInt | typing.SupportsIndex,
    parts: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """What begins next is one of several parts, from 0."""

def begin_progress(steps: typing.SupportsInt | typing.SupportsIndex) -> None:
    """Long work begins."""

def begin_timing(
    kernel_pattern: str,
    prepare: collections.abc.Callable[
        [LaunchInfo],
        tuple[
            bytes,
            bool,
            typing.SupportsInt | typing.SupportsIndex,
            list[str],
            bool,
            tuple[
                typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex
            ]
            | None,
        ],
    ],
    buffer_bytes: typing.SupportsInt | typing.SupportsIndex = 0,
    warp_mask: typing.SupportsInt | typing.SupportsIndex = 0,
    blocks: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
    ] = [0, 1, 0],
) -> None:
    """Start to time matching launches, one after each time_next()."""

def clock_warnings(run: Run) -> list[str]:
    """A warning when the SM clock was well below the highest of the device."""

def compare_builds(
    entry: str,
    original_cubin: bytes,
    traced_cubin: bytes,
    instrumented: Instrumented,
    disassemblers: collections.abc.Sequence[str],
    cubin_with_lines: bytes = b"",
) -> FidelityFacts:
    """Compares the machine code of a kernel's builds; never raises: the facts say what is unknown."""

def concurrency(
    run: Run,
    cells: typing.SupportsInt | typing.SupportsIndex = 60,
    begin_ns: typing.SupportsInt | typing.SupportsIndex | None = None,
    end_ns: typing.SupportsInt | typing.SupportsIndex | None = None,
) -> Concurrency:
    """Warps in each scope over time, and scopes that met."""

def critical_paths(run: Run, limit: typing.SupportsInt | typing.SupportsIndex) -> CriticalPaths:
    """Where the longest warp of each block spent its life."""

def decode(records: RawRecords, sites: SiteTable) -> Run:
    """Turns records into a run; launch, compile and stage_seconds are left for the caller."""

def defines_entry(ptx: str | bytes, kernel: str) -> bool:
    """Whether a PTX text defines a kernel."""

def diff_runs(
    before: Run,
    after: Run,
    resamples: typing.SupportsInt | typing.SupportsIndex = 500,
    seed: typing.SupportsInt | typing.SupportsIndex = 1,
) -> RunDiff:
    """Compare two runs, with bootstrap intervals."""

def end_capture() -> CaptureResult:
    """Stop, wait for the traced launches and read their records."""

def end_timing() -> TimingResult:
    """Stop, and wait for the timed launches."""

def fidelity_warnings(run: Run) -> list[str]:
    """What a reader must know of a run's fidelity, in plain words."""

def find_bubbles(
    run: Run,
    limit: typing.SupportsInt | typing.SupportsIndex,
    scopes: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [],
) -> Bubbles:
    """Stretches in no scope; with scopes, only those beside one of them."""

def find_in_fatbin(
    fatbin: bytes, kernel: str, compute_capability: typing.SupportsInt | typing.SupportsIndex
) -> KernelPtx:
    """The PTX of a kernel that suits a device best; raises SourceError."""

def find_in_files(
    paths: collections.abc.Sequence[str],
    kernel: str,
    compute_capability: typing.SupportsInt | typing.SupportsIndex,
    image: bytes = b"",
) -> KernelPtx:
    """The same for the fat binaries in ELF files, a program and its libraries; of those that hold the fat binary `image`, if one is given."""

def find_outliers(
    run: Run, limit: typing.SupportsInt | typing.SupportsIndex
) -> list[ScopeOutliers]:
    """One entry a scope that has slices, most excess first."""

def from_json(text: str, name: str = "<text>") -> Trace:
    """The trace of an archive's text; name stands in errors."""

def hooks_are_initialized() -> bool:
    """Whether init_cupti_hooks has succeeded."""

def iket_to_markers(ptx: str | bytes, name: str = "<ptx>") -> bytes:
    """The text with markers in the place of the events of IKET, the CuTe DSL's own annotations; unchanged without any."""

def init_cupti_hooks(cupti_paths: collections.abc.Sequence[str] | None = None) -> None:
    """Subscribe to CUPTI, once a process. Further calls do nothing."""

def instrument(
    ptx: str | bytes,
    entry: str,
    name: str = "<ptx>",
    block: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
    ] = [0, 0, 0],
    prove: bool = True,
    series: bool = True,
    every_warp: bool = False,
) -> Instrumented:
    """Puts the code that records every marker of one kernel into a PTX text; name stands in errors; block is the launch's; prove=False places no marker as proven; series=False makes a record of each, which holds no registers from one to the next."""

def instrument_matching(
    ptx: str | bytes,
    pattern: str,
    name: str = "<ptx>",
    block: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
    ] = [0, 0, 0],
) -> Instrumented:
    """The same for every kernel whose name a regular expression matches."""

def lane_activity(run: Run) -> list[LaneActivity]:
    """One entry a warp."""

def list_markers(
    ptx: str | bytes,
    pattern: str = "",
    name: str = "<ptx>",
    block: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
    ] = [0, 0, 0],
) -> list[Marker]:
    """The markers of the kernels that a regular expression matches and of what they call."""

def mark_automatically(
    ptx: str | bytes,
    entries: collections.abc.Sequence[str],
    kinds: collections.abc.Sequence[str],
    name: str = "<ptx>",
) -> AutoMarked:
    """Puts scopes of some kinds around the waits and phases of some kernels."""

def mark_payload(
    run: Run, mark: typing.SupportsInt | typing.SupportsIndex
) -> int | float | str | None:
    """What the mark carried; None: nothing."""

def matching_entries(ptx: str | bytes, pattern: str, name: str = "<ptx>") -> list[str]:
    """The kernels whose name a regular expression matches."""

def merge_archives(paths: collections.abc.Sequence[str]) -> Trace:
    """The runs of several archives as one trace."""

def new_remarks(
    original: collections.abc.Sequence[str], traced: collections.abc.Sequence[str]
) -> list[str]:
    """The remarks of the traced text's assembler that the original's has not."""

def newest_ptx_version(path: str) -> int:
    """The newest PTX version a ptxas takes, 95 for 9.5."""

def occupancy(
    compute_capability: typing.SupportsInt | typing.SupportsIndex,
    registers: typing.SupportsInt | typing.SupportsIndex,
    shared_bytes: typing.SupportsInt | typing.SupportsIndex,
    threads: typing.SupportsInt | typing.SupportsIndex,
    known_blocks: typing.SupportsInt | typing.SupportsIndex = -1,
) -> Occupancy:
    """Blocks and warps that an SM holds, and what limits them; known_blocks is the driver's answer."""

def orders_message(
    kernel_pattern: str,
    max_launches: typing.SupportsInt | typing.SupportsIndex,
    buffer_bytes: typing.SupportsInt | typing.SupportsIndex,
    warp_mask: typing.SupportsInt | typing.SupportsIndex,
    blocks: typing.Annotated[
        collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(3)"
    ],
    cupti_paths: collections.abc.Sequence[str],
) -> bytes:
    """The answer to Hello: what to trace."""

def payload_kinds() -> list[str]:
    """Names of the kinds; PayloadRows.kind counts them."""

def pipeline_summary(
    run: Run, most_gap_count: typing.SupportsInt | typing.SupportsIndex = 5
) -> PipelineSummary: ...
def progress() -> float:
    """How far the long work of another thread has come, from 0 to 1."""

def ptx_facts(ptx: str | bytes, name: str = "<ptx>") -> PtxFacts: ...
def read_archive(path: str) -> Trace:
    """Reads a trace.json or trace.json.gz."""

def read_message(message: bytes) -> Hello | LaunchInfo | CaptureResult:
    """What a program under `gwatch run` sent; raises the error that it met."""

def read_raw_capture(path: str) -> RawCapture:
    """Reads what write_raw_capture() wrote."""

def restore_markers(ptx: str | bytes) -> bytes:
    """Puts back the marker comments that nvcc drops from PTX in a program."""

def run_offsets_ns(trace: Trace) -> list[int]:
    """When each run began, from the first one of its host; 0 for one that does not tell."""

def runs_on(
    architecture: typing.SupportsInt | typing.SupportsIndex,
    variant: str,
    compute_capability: typing.SupportsInt | typing.SupportsIndex,
) -> bool:
    """Whether PTX for sm_90a (90, "a") runs on a device."""

def scope_statistics(run: Run) -> list[ScopeStatistics]:
    """One entry a scope that has slices."""

def select_warps(
    run: Run,
    blocks: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    warps: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
) -> Run:
    """The run with only these blocks and warps of blocks; empty lists mean all."""

def set_facts(run: Run, facts: str) -> None:
    """Gives a run the facts of a raw capture."""

def slice_payload(
    run: Run, slice: typing.SupportsInt | typing.SupportsIndex
) -> int | float | str | None:
    """What the slice's start carried; None: nothing."""

def strip_paths(trace: Trace) -> None:
    """Leave only the last part of every path, and numbers in place of host names."""

def summarise_payloads(
    run: Run, limit: typing.SupportsInt | typing.SupportsIndex
) -> PayloadSummary:
    """What scopes did for each value that markers carried."""

def text_timeline(
    run: Run,
    width: typing.SupportsInt | typing.SupportsIndex = 80,
    max_rows: typing.SupportsInt | typing.SupportsIndex = 16,
    blocks: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [],
    warps: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [],
    begin_ns: typing.SupportsInt | typing.SupportsIndex | None = None,
    end_ns: typing.SupportsInt | typing.SupportsIndex | None = None,
) -> TextTimeline:
    """The timeline of a run as a grid of cells; see report/text_timeline.h."""

def time_axis_notes(trace: Trace) -> list[str]:
    """What a reader of runs on common time axes must know."""

def time_next(traced: bool) -> None:
    """Time the next matching launch, as its traced build or as it is."""

def time_shares(run: Run) -> TimeShares:
    """How all warps spent their lives."""

def to_html(
    trace: Trace, viewer_script: str, viewer_style: str, producer: str, embed_source: bool = True
) -> str:
    """One self-contained page."""

def to_json(trace: Trace, producer: str) -> str:
    """The archive's text."""

def warp_groups(run: Run, limit: typing.SupportsInt | typing.SupportsIndex = 6) -> list[WarpGroup]:
    """Warps by the set of scopes that they ran."""

def write_archive(trace: Trace, producer: str, path: str) -> None:
    """Writes trace.json, or through gzip when the path ends in .gz."""

def write_chrome(trace: Trace, path: str, producer: str, by: str = "block") -> None:
    """Write Chrome's trace event JSON; like write_perfetto()."""

def write_html(
    trace: Trace,
    path: str,
    viewer_script: str,
    viewer_style: str,
    producer: str,
    embed_source: bool = True,
) -> None:
    """Write one self-contained page; FileError when it cannot."""

def write_perfetto(trace: Trace, path: str, producer: str, by: str = "block") -> None:
    """Write a trace for Perfetto, with a process for each 'block' or 'sm'; FileError when it cannot."""

def write_raw_capture(path: str, records: RawRecords, sites: SiteTable, run: Run) -> None:
    """Writes a launch's records with the launch and compile facts of its run to a file."""

FORMAT_VERSION: int = 1
GAP_CELL: int = -1
NO_SCOPE: int = 4294967295
OUTSIDE_CELL: int = -2
SLOW_FACTOR: float = 2.0
