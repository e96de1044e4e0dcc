"""Traces for Perfetto, read back with its own protos."""

import gzip
import shutil
from random import Random

import pytest
from archives import Instant, Slice, Warp, archive, run
from payload_runs import tiles

from gwatch import libpygwatch
from gwatch.cli import main
from gwatch.common.format import write_trace

pytest.importorskip("perfetto", reason="needs the package perfetto")
from perfetto_reader import Perfetto

HOSTILE = [
    "<script>alert(1)</script>",
    "quotes \" ' ` \\ and \n new lines",
    "\u202egnp.exe",
    "emoji \U0001f525 and \u0000 nothing",
    "x" * 10_000,
]


@pytest.fixture
def perfetto(tmp_path):
    """Write an archive's text as a .pftrace and read that."""

    def write(text, name="trace.pftrace", **options):
        path = tmp_path / name
        write_trace(libpygwatch.from_json(text), path, **options)
        return Perfetto(path)

    return write


def found(track):
    return [(event.name, event.start, event.end, event.depth) for event in track.events]


def test_nested_slices_nest_with_exact_times(perfetto):
    warp = Warp(0, 0, 7, 1013, [Slice(10, 1001, 0), Slice(11, 500, 1, 1), Slice(500, 501, 1, 1)])
    trace = perfetto(archive(run([warp])))
    ((key, track),) = trace.threads().items()
    assert key == ("block 0 (0, 0, 0)", "warp 0")
    assert found(track) == [("load", 10, 1001, 0), ("dot", 11, 500, 1), ("dot", 500, 501, 1)]
    assert trace.children(track) == []


def test_slices_without_duration_keep_their_places(perfetto):
    slices = [Slice(5, 5, 0), Slice(5, 9, 1), Slice(9, 9, 0, 1), Slice(9, 9, 1)]
    trace = perfetto(archive(run([Warp(0, 0, 0, 9, slices)])))
    (track,) = trace.threads().values()
    assert [event[:3] for event in found(track)] == [
        ("load", 5, 5),
        ("dot", 5, 9),
        ("load", 9, 9),
        ("dot", 9, 9),
    ]


def test_overlapping_slices_get_tracks_of_their_own(perfetto):
    warp = Warp(0, 0, 0, 100, [Slice(0, 50, 0), Slice(20, 80, 1, 1), Slice(60, 70, 0)])
    trace = perfetto(archive(run([warp])))
    (track,) = trace.threads().values()
    (child,) = trace.children(track)
    assert found(track) == [("load", 0, 50, 0), ("load", 60, 70, 0)]
    assert found(child) == [("dot", 20, 80, 0)]
    assert child.descriptor.name == "warp 0, overlapping 1"


def test_slices_of_other_threads_do_not_nest(perfetto):
    low, high = 0xFFFF, 0xFFFF0000
    warp = Warp(0, 0, 0, 100, [Slice(0, 90, 0, 0, low), Slice(10, 20, 1, 0, high)])
    trace = perfetto(archive(run([warp])))
    (track,) = trace.threads().values()
    (child,) = trace.children(track)
    assert track.events[0].args == {"threads": low}
    assert child.events[0].args == {"threads": high}


def test_warps_with_all_threads_say_nothing_of_them(perfetto):
    trace = perfetto(archive(run([Warp(0, 0, 0, 9, [Slice(1, 2, 0)])])))
    (track,) = trace.threads().values()
    assert track.events[0].args == {}


def test_processes_are_blocks_or_sms(perfetto):
    warps = [
        Warp(0, 0, 0, 50, [Slice(1, 2, 0)], sm=3),
        Warp(0, 1, 2, 60, [Slice(3, 4, 0)], sm=3),
        Warp(1, 0, 10, 40, [Slice(11, 12, 0)], sm=3),
        Warp(2, 0, 60, 90, [Slice(70, 72, 0)], sm=3),
        Warp(3, 0, 5, 9, [], sm=1),
    ]
    text = archive(run(warps, launch={"grid": [2, 1, 2], "block": [64, 1, 1]}))
    by_block = perfetto(text)
    assert sorted(by_block.processes().values()) == [
        "block 0 (0, 0, 0)",
        "block 1 (1, 0, 0)",
        "block 2 (0, 0, 1)",
        "block 3 (1, 0, 1)",
    ]
    by_sm = perfetto(text, "sm.pftrace", by="sm")
    assert list(by_sm.processes().values()) == ["SM 1", "SM 3"]
    assert ("SM 3", "block 1 (1, 0, 0) warp 0") in by_sm.threads()
    (process,) = [
        track for track in by_sm.tracks.values() if track.descriptor.process.process_name == "SM 3"
    ]
    (second,) = by_sm.children(process)
    spans = [(event.args["block"], event.start, event.end) for event in process.events]
    assert spans == [(0, 0, 60), (2, 60, 90)]
    assert [(event.args["block"], event.start, event.end) for event in second.events] == [
        (1, 10, 40)
    ]


def test_marks_and_open_scopes_are_instants(perfetto):
    text = archive(
        run(
            [Warp(0, 0, 0, 100, [Slice(10, 90, 0)])],
            marks=[Instant(0, 50, 1, 0x3)],
            orphan_starts=[Instant(0, 95, 1)],
            orphan_ends=[Instant(0, 5, 0)],
        )
    )
    (track,) = perfetto(text).threads().values()
    assert [(e.name, e.start, e.category, e.args) for e in track.events] == [
        ("load: end without a start", 5, "unmatched", {}),
        ("load", 10, "", {}),
        ("dot", 50, "mark", {"threads": 3}),
        ("dot: start without an end", 95, "unmatched", {}),
    ]


def test_launch_facts_are_arguments_of_the_launch(perfetto):
    facts = {"dropped_events": 12, "dropped_records": 9}
    text = archive(
        run([Warp(0, 0, 0, 100)], counts=facts, warnings=["12 events were dropped."]), title="T"
    )
    trace = perfetto(text)
    (launch,) = trace.named("launch of _kernel").events
    assert (launch.start, launch.end) == (0, 100)
    assert launch.args["counts"]["dropped_events"] == 12
    assert launch.args["warnings"] == ["12 events were dropped."]
    assert launch.args["launch"]["block"] == [32, 1, 1]
    assert launch.args["compile"]["traced"]["registers"] == 121
    assert launch.args["scopes"]["load"] == "/home/user/kernel.py:10"
    (about,) = trace.named("about this trace").events
    assert about.name == "T"
    assert about.args["producer"].startswith("gwatch ")


def test_hostile_names_arrive_as_they_are(perfetto):
    slices = [Slice(10 * i, 10 * i + 5, i) for i in range(len(HOSTILE))]
    text = archive(
        run(
            [Warp(0, 0, 0, 99, slices)],
            HOSTILE,
            launch={"kernel_demangled": HOSTILE[0]},
        ),
        title=HOSTILE[1],
    )
    trace = perfetto(text)
    (track,) = trace.threads().values()
    assert [event.name for event in track.events] == HOSTILE
    assert trace.named("launch of " + HOSTILE[0]).events[0].name == HOSTILE[0]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("by", ["block", "sm"])
def test_any_slices_come_back_as_they_are(perfetto, seed, by):
    random = Random(seed)
    masks = (0, 0xFF, 0xF0, 0xFFFF, 1 << 31)
    warps, expected = [], []
    for number in range(6):
        start = random.randrange(100)
        warp = Warp(number // 2, number % 2, start, 2000, sm=random.randrange(2))
        for _ in range(random.randrange(40)):
            start += random.choice((0, 0, 1, 7))
            made = Slice(start, start + random.choice((0, 1, 5, 30)), random.randrange(2))
            made.mask = random.choice(masks)
            warp.slices.append(made)
            expected.append(
                (made.start_ns, made.end_ns, ("load", "dot")[made.scope], made.mask or None)
            )
        warps.append(warp)
    trace = perfetto(archive(run(warps)), by=by)
    tracks = [
        track for thread in trace.threads().values() for track in (thread, *trace.children(thread))
    ]
    seen = [
        (event.start, event.end, event.name, event.args.get("threads"))
        for track in tracks
        for event in track.events
    ]
    assert sorted(seen, key=str) == sorted(expected, key=str)


def test_trace_without_slices_and_without_runs(perfetto):
    trace = perfetto(archive(run([])))
    assert trace.threads() == {}
    assert [event.name for event in trace.named("launch of _kernel").events] == ["_kernel"]
    assert len(perfetto(archive(), "none.pftrace").tracks) == 1


def test_runs_of_one_host_are_on_one_axis(perfetto):
    def of(rank, start, host="a"):
        return run(
            [Warp(0, 0, 0, 50, [Slice(10, 20, 0)])],
            launch={"rank": rank, "host": host, "device_index": rank},
            time={"start_globaltimer_ns": start},
        )

    text = archive(of(0, 10**18 + 700), of(1, 10**18), of(2, 5, "b"))
    trace = perfetto(text)
    starts = {key[0]: track.events[0].start for key, track in trace.threads().items()}
    assert starts == {
        "run 1, rank 0: block 0 (0, 0, 0)": 710,
        "run 2, rank 1: block 0 (0, 0, 0)": 10,
        "run 3, rank 2: block 0 (0, 0, 0)": 10,
    }
    (about,) = trace.named("about this trace").events
    assert any("2 hosts" in note for note in about.args["notes"])
    assert any("timers" in note for note in about.args["notes"])


def test_gzip_holds_the_same(perfetto, tmp_path):
    text = archive(run([Warp(0, 0, 0, 50, [Slice(10, 20, 0)])]))
    perfetto(text)
    perfetto(text, "trace.pftrace.gz")
    packed = (tmp_path / "trace.pftrace.gz").read_bytes()
    assert packed[:2] == b"\x1f\x8b"
    assert gzip.decompress(packed) == (tmp_path / "trace.pftrace").read_bytes()


def test_command_writes_one_run(tmp_path, capsys):
    runs = [run([Warp(0, 0, 0, 50, [Slice(10, 20, scope)])]) for scope in (0, 1)]
    source, target = tmp_path / "t.json", tmp_path / "t.pftrace"
    source.write_text(archive(*runs))
    assert main(["export", str(source), "-o", str(target), "--run", "2"]) == 0
    (track,) = Perfetto(target).threads().values()
    assert track.events[0].name == "dot"
    assert str(target) in capsys.readouterr().out
    assert main(["export", str(source), "-o", str(target), "--run", "3"]) == 1
    assert "the trace has 2 runs" in capsys.readouterr().err


@pytest.fixture
def query(tmp_path):
    """Run SQL over an archive's text as trace_processor reads it."""
    binary = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if binary is None:
        pytest.skip("no package registry has the binary of trace_processor")
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    opened = []

    def run_query(text, sql):
        path = tmp_path / f"t{len(opened)}.pftrace"
        write_trace(libpygwatch.from_json(text), path)
        config = TraceProcessorConfig(bin_path=binary)
        opened.append(TraceProcessor(trace=str(path), config=config))
        errors = "select name from stats where severity = 'error' and value > 0"
        assert [row.name for row in opened[-1].query(errors)] == []
        return list(opened[-1].query(sql))

    yield run_query
    for processor in opened:
        processor.close()


def test_query_slices(query):
    warps = [Warp(0, 0, 0, 50, [Slice(10, 40, 0), Slice(15, 20, 1, 1)])]
    rows = query(
        archive(run(warps)),
        "select s.name, s.ts, s.dur, s.depth from slice s join thread_track t on "
        "s.track_id = t.id order by s.ts",
    )
    assert [(row.name, row.ts, row.dur, row.depth) for row in rows] == [
        ("load", 10, 30, 0),
        ("dot", 15, 5, 1),
    ]


def test_query_payloads(query):
    rows = query(
        archive(tiles()),
        "select s.ts, a.int_value from slice s join args a using (arg_set_id) "
        "where a.key = 'debug.payload' and s.name = 'tile' order by s.ts, s.id",
    )
    tiles_of_steps = [step % 4 for step in range(7) for _ in range(2)]
    assert [row.int_value for row in rows] == tiles_of_steps


def test_query_counters(query):
    rows = query(
        archive(tiles()),
        "select c.ts, c.value from counter c join track t on c.track_id = t.id "
        "where t.name = 'fill' order by c.ts, c.id",
    )
    assert [(row.ts, row.value) for row in rows] == [
        (1000 * step + 500, step - 2) for step in range(8) for _ in range(2)
    ]
