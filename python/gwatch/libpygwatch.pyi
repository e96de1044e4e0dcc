"""The C++ core of gwatch. Most users want gwatch.cuda.trace.do_trace."""

from __future__ import annotations

import collections.abc
import typing

__all__: list[str] = [
    "FORMAT_VERSION",
    "GAP_CELL",
    "OUTSIDE_CELL",
    "Assembled",
    "BuildFacts",
    "Candidate",
    "CaptureResult",
    "Column",
    "CompileFacts",
    "Counts",
    "FailedLaunch",
    "FunctionFacts",
    "Instants",
    "Instrumented",
    "Lane",
    "LaneActivity",
    "Lanes",
    "LaunchFacts",
    "LaunchInfo",
    "Marker",
    "PipelineSummary",
    "PtxFacts",
    "RawCapture",
    "RawRecords",
    "Resources",
    "Run",
    "Scope",
    "ScopeStatistics",
    "Site",
    "SiteTable",
    "Slices",
    "TextTimeline",
    "TimeFacts",
    "TimelineBlock",
    "TimelineRow",
    "Trace",
    "TracedLaunch",
    "assemble",
    "begin_capture",
    "decode",
    "end_capture",
    "from_json",
    "hooks_are_initialized",
    "init_cupti_hooks",
    "instrument",
    "instrument_matching",
    "lane_activity",
    "list_markers",
    "newest_ptx_version",
    "pipeline_summary",
    "ptx_facts",
    "read_archive",
    "read_raw_capture",
    "scope_statistics",
    "set_facts",
    "text_timeline",
    "to_html",
    "to_json",
    "write_archive",
    "write_html",
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
    def variables(self) -> list[str]:
        """Names of its .global and .const variables."""
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
    def ptx(self) -> bytes: ...
    @property
    def sites(self) -> SiteTable: ...
    @property
    def uses_lane_cursors(self) -> bool:
        """Whether a device function has a record."""

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
    def kernel(self) -> str:
        """Mangled name."""
    @kernel.setter
    def kernel(self, arg0: str) -> None: ...
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
    def unplaced_warps(self) -> int: ...
    @unplaced_warps.setter
    def unplaced_warps(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
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
    def resolved_function(self) -> int: ...
    @property
    def sm_count(self) -> int: ...
    @property
    def stream(self) -> int: ...

class FunctionFacts:
    """Resources of one build; -1 where unknown."""
    @property
    def local_bytes(self) -> int: ...
    @property
    def registers(self) -> int: ...
    @property
    def static_shared_bytes(self) -> int: ...

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

class FailedLaunch:
    """A matching launch that was not traced, and why."""
    @property
    def error(self) -> typing.Any: ...
    @property
    def kernel(self) -> str: ...

class CaptureResult:
    """What a capture saw and traced."""
    @property
    def failures(self) -> list[FailedLaunch]: ...
    @property
    def launches(self) -> list[TracedLaunch]: ...
    @property
    def matching_launches(self) -> int: ...
    @property
    def seen_kernels(self) -> dict[str, int]: ...
    @property
    def skipped_launches(self) -> int: ...

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
        [LaunchInfo], tuple[bytes, bool, typing.SupportsInt | typing.SupportsIndex, list[str], bool]
    ],
    max_launches: typing.SupportsInt | typing.SupportsIndex = 1,
    buffer_bytes: typing.SupportsInt | typing.SupportsIndex = 0,
    warp_mask: typing.SupportsInt | typing.SupportsIndex = 0,
) -> None:
    """Start to trace matching launches with the builds that prepare(LaunchInfo) returns."""

def decode(records: RawRecords, sites: SiteTable) -> Run:
    """Turns records into a run; launch, compile and stage_seconds are left for the caller."""

def end_capture() -> CaptureResult:
    """Stop, wait for the traced launches and read their records."""

def from_json(text: str, name: str = "<text>") -> Trace:
    """The trace of an archive's text; name stands in errors."""

def hooks_are_initialized() -> bool:
    """Whether init_cupti_hooks has succeeded."""

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
) -> Instrumented:
    """Puts the code that records every marker of one kernel into a PTX text; name stands in errors; block is the launch's; prove=False places no marker as proven."""

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

def newest_ptx_version(path: str) -> int:
    """The newest PTX version a ptxas takes, 95 for 9.5."""

def pipeline_summary(
    run: Run, most_gap_count: typing.SupportsInt | typing.SupportsIndex = 5
) -> PipelineSummary: ...
def ptx_facts(ptx: str | bytes, name: str = "<ptx>") -> PtxFacts: ...
def read_archive(path: str) -> Trace:
    """Reads a trace.json or trace.json.gz."""

def read_raw_capture(path: str) -> RawCapture:
    """Reads what write_raw_capture() wrote."""

def scope_statistics(run: Run) -> list[ScopeStatistics]:
    """One entry a scope that has slices."""

def set_facts(run: Run, facts: str) -> None:
    """Gives a run the facts of a raw capture."""

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

def to_html(trace: Trace, viewer_script: str, viewer_style: str, producer: str) -> str:
    """One self-contained page."""

def to_json(trace: Trace, producer: str) -> str:
    """The archive's text."""

def write_archive(trace: Trace, producer: str, path: str) -> None:
    """Writes trace.json, or through gzip when the path ends in .gz."""

def write_html(
    trace: Trace, path: str, viewer_script: str, viewer_style: str, producer: str
) -> None:
    """Write one self-contained page; FileError when it cannot."""

def write_raw_capture(path: str, records: RawRecords, sites: SiteTable, run: Run) -> None:
    """Writes a launch's records with the launch and compile facts of its run to a file."""

FORMAT_VERSION: int = 1
GAP_CELL: int = -1
OUTSIDE_CELL: int = -2
