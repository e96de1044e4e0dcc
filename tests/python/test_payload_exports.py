"""Payloads in Chrome's JSON, Perfetto, Arrow and Parquet."""

import json
import re
from pathlib import Path

import pytest
from archives import archive, run
from payload_runs import BIG, float32, float64, of_kind, tiles

from gwatch import libpygwatch
from gwatch.cli import main
from gwatch.common.format import write_trace

EXPORT = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")


def trace_of(*runs):
    return libpygwatch.from_json(archive(*runs))


KINDS = [
    ("s32", 0xFFFFFFFF, -1),
    ("u32", 0xFFFFFFFF, 2**32 - 1),
    ("f32", float32(0.1), 0.1),
    ("s64", 2**64 - 5, -5),
    ("u64", 7, 7),
    ("f64", float64(-2.5), -2.5),
]


@pytest.fixture
def chrome(tmp_path):
    def write(made, **options):
        path = tmp_path / "t.trace.json"
        write_trace(trace_of(made), path, **options)
        return json.loads(path.read_text("utf-8"))["traceEvents"]

    return write


@pytest.mark.parametrize(("kind", "bits", "value"), KINDS)
def test_chrome_has_them_as_arguments_and_counters(chrome, kind, bits, value):
    events = chrome(of_kind(kind, bits))
    (slice_,) = [event for event in events if event["name"] == "work"]
    (mark,) = [event for event in events if event["name"] == "fill"]
    (counter,) = [event for event in events if event["ph"] == "C"]
    assert slice_["args"] == mark["args"] == {"payload": value}
    assert counter["name"] == "fill, warp 0"
    assert counter["args"] == {"value": value}
    assert counter["ts"] * 1000 == pytest.approx(70)
    assert counter["pid"] == mark["pid"]


def test_chrome_keeps_what_no_number_of_json_holds_as_text(chrome):
    def payloads(made):
        return [event["args"]["payload"] for event in chrome(made) if event["name"] == "work"]

    assert payloads(of_kind("u64", BIG)) == [str(BIG)]
    assert payloads(of_kind("bits", 0xABC)) == ["0xabc"]
    assert payloads(of_kind("f64", float64(float("inf")))) == ["inf"]


def test_chrome_keeps_threads_beside_payloads(chrome):
    made = of_kind("u32", 3)
    made["slices"]["mask"] = [5]
    (slice_,) = [event for event in chrome(made) if event["name"] == "work"]
    assert slice_["args"] == {"threads": "0x5", "payload": 3}


def test_chrome_says_nothing_where_nothing_was_carried(chrome):
    events = chrome(tiles())
    carried = [event.get("args", {}).get("payload") for event in events if event["name"] == "tile"]
    assert carried == [0, 1, 2, 3, 0, 1, 2, None] * 2
    assert all("args" not in event for event in events if event["name"] == "plain")


@pytest.fixture
def perfetto(tmp_path):
    pytest.importorskip("perfetto", reason="needs the package perfetto")
    from perfetto_reader import Perfetto

    def write(made, **options):
        path = tmp_path / "t.pftrace"
        write_trace(trace_of(made), path, **options)
        return Perfetto(path)

    return write


@pytest.mark.parametrize(("kind", "bits", "value"), [*KINDS, ("bits", BIG, BIG), ("u64", BIG, BIG)])
def test_perfetto_has_them_as_annotations(perfetto, kind, bits, value):
    (track,) = perfetto(of_kind(kind, bits)).threads().values()
    slice_, mark = track.events
    assert slice_.args == mark.args == {"payload": pytest.approx(value)}
    assert slice_.kinds == {
        "payload": {"s": "int_value", "u": "uint_value", "f": "double_value", "b": "pointer_value"}[
            kind[0]
        ]
    }


@pytest.mark.parametrize(("kind", "bits", "value"), [*KINDS, ("u64", BIG, float(BIG))])
def test_perfetto_draws_numbers_of_marks_as_counters(perfetto, kind, bits, value):
    trace = perfetto(of_kind(kind, bits))
    (track,) = trace.threads().values()
    (counter,) = trace.children(track)
    assert counter.descriptor.HasField("counter")
    assert counter.descriptor.name == "fill"
    assert [(sample.start, sample.value) for sample in counter.events] == [
        (70, pytest.approx(value))
    ]


def test_perfetto_has_a_counter_for_each_warp_and_scope(perfetto):
    for by in ("block", "sm"):
        trace = perfetto(tiles(), by=by)
        for track in trace.threads().values():
            (counter,) = trace.children(track)
            assert [(sample.start, sample.value) for sample in counter.events] == [
                (1000 * step + 500, step - 2) for step in range(8)
            ]


def test_perfetto_draws_no_counter_of_what_is_no_number(perfetto):
    for made in (of_kind("bits", 5), of_kind("f32", float32(float("nan")))):
        trace = perfetto(made)
        (track,) = trace.threads().values()
        assert trace.children(track) == []
        assert "payload" in track.events[1].args


def test_perfetto_without_payloads_has_no_annotation(perfetto):
    trace = perfetto(tiles())
    (first, _) = trace.threads().values()
    assert [event.args.get("payload") for event in first.events if event.name == "tile"] == [
        *[0, 1, 2, 3, 0, 1, 2],
        None,
    ]
    assert [event.args for event in first.events if event.name == "plain"] == [{}]


def columns(trace):
    table = trace.to_arrow()
    return {name: table[name].to_pylist() for name in table.schema.names if "payload" in name}


@pytest.mark.parametrize(
    ("kind", "bits", "column", "value"),
    [
        ("s32", 0xFFFFFFFF, "payload_int", -1),
        ("s64", 2**63, "payload_int", -(2**63)),
        ("u32", 2**32 - 1, "payload_uint", 2**32 - 1),
        ("u64", BIG, "payload_uint", BIG),
        ("bits", BIG, "payload_uint", BIG),
        ("f64", float64(0.1), "payload_float", 0.1),
        ("f32", float32(0.5), "payload_float", 0.5),
    ],
)
def test_arrow_puts_a_value_into_the_column_of_its_type(kind, bits, column, value):
    pytest.importorskip("pyarrow", reason="needs the package pyarrow")
    found = columns(trace_of(of_kind(kind, bits)))
    empty = {name: [None] for name in ("payload_int", "payload_uint", "payload_float")}
    assert found == empty | {"payload_kind": [kind], column: [value]}


def test_arrow_rows_without_payload_have_none():
    pytest.importorskip("pyarrow", reason="needs the package pyarrow")
    found = columns(trace_of(tiles()))
    uints = [value for value in found["payload_uint"] if value is not None]
    assert uints == [0, 1, 2, 3, 0, 1, 2] * 2
    assert found["payload_kind"].count("u32") == 14
    assert found["payload_kind"].count("f32") == 16
    assert found["payload_kind"].count(None) == 4
    assert found["payload_int"] == [None] * 34
    plain = columns(trace_of(run([])))
    assert plain == {name: [] for name in plain}


def test_parquet_in_pieces_holds_the_same(tmp_path, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet", reason="needs the package pyarrow")
    monkeypatch.setattr("gwatch.common.arrow.ROWS_A_GROUP", 3)
    trace = trace_of(tiles())
    write_trace(trace, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == trace.to_arrow().to_pylist()


def test_documented_query_over_values(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="needs the package pyarrow")
    duckdb = pytest.importorskip("duckdb", reason="needs the package duckdb")
    (tmp_path / "traces").mkdir()
    write_trace(trace_of(tiles()), tmp_path / "traces" / "rank0.parquet")
    documented = re.search(r"```sql\n(select payload_uint.*?)```", EXPORT, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    rows = duckdb.sql(documented[1]).fetchall()
    assert rows == [(0, 4, 114), (1, 4, 715), (2, 4, 116), (3, 2, 713), (None, 2, 717)]


def test_marks_have_a_table_of_their_own(tmp_path, monkeypatch):
    pq = pytest.importorskip("pyarrow.parquet", reason="needs the package pyarrow")
    from gwatch.common.arrow import marks_to_arrow

    source = tmp_path / "t.json"
    source.write_text(archive(run([]), tiles()), "utf-8")
    assert main(["export", str(source), "-o", str(tmp_path / "t.parquet"), "--marks"]) == 0
    table = pq.read_table(tmp_path / "t.parquet")
    rows = table.to_pylist()
    assert [(row["warp"], row["time_ns"], row["payload_int"]) for row in rows] == [
        (number, 1000 * step + 500, step - 2) for step in range(8) for number in range(2)
    ]
    first = {"run": 2, "scope": "fill", "payload_kind": "s64", "payload_uint": None, "sm": 3}
    assert first.items() <= rows[0].items()
    assert rows == marks_to_arrow(trace_of(run([]), tiles())).to_pylist()
    slices = trace_of(tiles()).to_arrow().schema.names
    assert set(slices) - set(table.schema.names) == {"start_ns", "end_ns", "duration_ns", "depth"}
    assert set(table.schema.names) - set(slices) == {"time_ns"}
    assert marks_to_arrow(trace_of(run([]))).num_rows == 0


def test_marks_alone_are_for_tables_only(tmp_path, capsys):
    source = tmp_path / "t.json"
    source.write_text(archive(tiles()), "utf-8")
    assert main(["export", str(source), "-o", str(tmp_path / "t.html"), "--marks"]) == 1
    assert "only a table can be of the marks alone" in capsys.readouterr().err
    assert not (tmp_path / "t.html").exists()
