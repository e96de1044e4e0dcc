"""Slices as Arrow tables, Parquet files, and the queries of docs/export.md over many files."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from archives import Slice, Warp, archive, run

from gwatch import libpygwatch
from gwatch.common.format import write_trace
from gwatch.cuda.trace._result import TraceResult
from gwatch.errors import FileError, UsageError

pa = pytest.importorskip("pyarrow", reason="needs the package pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the package pyarrow")

EXPORT = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")
QUICK_SPARK = (
    "--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 "
    "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' pyspark-shell"
)
"""No web pages, and a Java that starts soon rather than computes fast."""
LAUNCH = {"grid": [2, 3, 4], "block": [64, 1, 1], "rank": 1, "host": "h"}
WARPS = [
    Warp(0, 0, 5, 90, [Slice(10, 50, 0), Slice(20, 30, 1, 1, 0xFF)], sm=7),
    Warp(0, 1, 6, 90, [], sm=7),
    Warp(21, 1, 7, 99, [Slice(40, 44, 1)], sm=131),
]


def trace_of(*runs, **options):
    return libpygwatch.from_json(archive(*(runs or [run(WARPS, launch=LAUNCH)]), **options))


def documented_query(word):
    """The Python code of the documentation that holds a word."""
    (code,) = [
        text for text in re.findall(r"```python\n(.*?)```", EXPORT, re.DOTALL) if word in text
    ]
    return code


@pytest.fixture
def many_files(tmp_path, monkeypatch):
    """Parquet files of four ranks; rank 2 waits ten times as long."""
    (tmp_path / "traces").mkdir()
    for rank in range(4):
        length = 1000 if rank == 2 else 100
        slices = [Slice(2000 * i, 2000 * i + length + i, i % 2) for i in range(40)]
        ranked = run([Warp(0, 0, 0, 10**6, slices)], launch=LAUNCH | {"rank": rank})
        write_trace(trace_of(ranked), tmp_path / "traces" / f"rank{rank}.parquet")
    monkeypatch.chdir(tmp_path)


def test_a_row_a_slice():
    rows = trace_of().to_arrow().to_pylist()
    common = {
        "run": 1,
        "kernel": "_kernel",
        "device": "NVIDIA H200",
        "device_index": 0,
        "host": "h",
        "rank": 1,
        "run_start_globaltimer_ns": 1764500000000000000,
    }
    first = common | {
        "block": 0,
        "block_x": 0,
        "block_y": 0,
        "block_z": 0,
        "warp": 0,
        "sm": 7,
        "cluster_rank": 0,
        "scope_id": 100,
        "scope": "load",
        "source": "/home/user/kernel.py:10",
        "depth": 0,
        "thread_mask": 0xFFFFFFFF,
        "start_ns": 10,
        "end_ns": 50,
        "duration_ns": 40,
        "payload_kind": None,
        "payload_int": None,
        "payload_uint": None,
        "payload_float": None,
    }
    assert rows[0] == first
    assert rows[1] == first | {
        "scope_id": 101,
        "scope": "dot",
        "source": "/home/user/kernel.py:11",
        "depth": 1,
        "thread_mask": 0xFF,
        "start_ns": 20,
        "end_ns": 30,
        "duration_ns": 10,
    }
    place = {"block": 21, "block_x": 1, "block_y": 1, "block_z": 3, "warp": 1, "sm": 131}
    assert place.items() <= rows[2].items()
    assert len(rows) == 3


def test_columns_of_the_core_are_not_copied():
    trace = trace_of()
    column = trace.runs[0].slices.duration_ns
    address = pa.py_buffer(column).address
    table = trace.to_arrow()
    assert table["duration_ns"].chunk(0).buffers()[1].address == address
    del trace, column
    assert table["duration_ns"].to_pylist() == [40, 10, 4]


def test_runs_without_rank_or_source_and_with_equal_names():
    bare = run(WARPS, ["x", "x"])
    bare["scopes"][1]["line"] = 0
    table = trace_of(bare, run([]), run(WARPS, ["y", "z"], launch={"rank": 0})).to_arrow()
    assert table["run"].to_pylist() == [1, 1, 1, 3, 3, 3]
    assert table["rank"].to_pylist() == [None, None, None, 0, 0, 0]
    assert table["scope"].to_pylist() == ["x", "x", "x", "y", "z", "z"]
    assert table["source"].to_pylist()[:2] == ["/home/user/kernel.py:10", None]
    assert trace_of(bare).to_pandas()["scope"].tolist() == ["x", "x", "x"]


@pytest.mark.parametrize("runs", [(), (run([]),)])
def test_no_slices(runs, tmp_path):
    trace = libpygwatch.from_json(archive(*runs))
    assert trace.to_arrow().num_rows == 0
    write_trace(trace, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").num_rows == 0


def test_parquet_holds_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr("gwatch.common.arrow.ROWS_A_GROUP", 2)
    names = ["<script>", "\u202e\U0001f525" + "x" * 10_000]
    trace = trace_of(run(WARPS, names, launch=LAUNCH), run(WARPS), title="T")
    write_trace(trace, tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    assert file.metadata.num_row_groups == 4
    assert file.schema_arrow.metadata[b"title"] == b"T"
    assert file.read().to_pylist() == trace.to_arrow().to_pylist()


def test_data_frames_of_a_result():
    pytest.importorskip("pandas", reason="needs the package pandas")
    result = TraceResult(trace_of().runs, None)
    frame = result.to_pandas()
    assert frame.groupby("scope", observed=True)["duration_ns"].sum().to_dict() == {
        "load": 40,
        "dot": 14,
    }
    assert frame["run_start_globaltimer_ns"].tolist() == [1764500000000000000] * 3
    assert result.to_arrow().num_rows == 3
    pytest.importorskip("polars", reason="needs the package polars")
    assert result.to_polars()["duration_ns"].sum() == 54


def test_without_pyarrow_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"gwatch\[arrow\]"):
        trace_of().to_arrow()


def test_without_data_frames_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install pandas"):
        trace_of().to_pandas()
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError, match="pip install polars"):
        trace_of().to_polars()


def test_unwritable_parquet(tmp_path):
    with pytest.raises(FileError, match="cannot write"):
        write_trace(trace_of(), tmp_path / "missing" / "t.parquet")


def test_documented_columns():
    table = EXPORT.split("| column | what it is |")[1].split("\n\n")[0]
    named = []
    for row in table.splitlines():
        if row.startswith("| `"):
            named += re.findall(r"`(\w+)`", row.split("|")[1])
    assert sorted(named) == sorted(trace_of().to_arrow().schema.names)


@pytest.mark.usefixtures("many_files")
def test_query_with_duckdb(capsys):
    pytest.importorskip("duckdb", reason="needs the package duckdb")
    exec(documented_query("duckdb"), {})
    rows = [
        line for line in capsys.readouterr().out.splitlines() if "load" in line or "dot" in line
    ]
    assert len(rows) == 8
    assert re.findall(r"\w+", rows[0])[:4] == ["2", "dot", "20", "20400"]


@pytest.mark.usefixtures("many_files")
@pytest.mark.filterwarnings("ignore")
def test_query_with_spark(capsys, monkeypatch):
    pytest.importorskip("pyspark", reason="needs the package pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", QUICK_SPARK)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    scope = {}
    try:
        exec(documented_query("pyspark"), scope)
        rows = [
            line for line in capsys.readouterr().out.splitlines() if re.search("load|dot", line)
        ]
        assert len(rows) == 8
        assert re.findall(r"\w+", rows[0])[:4] == ["2", "dot", "20", "20400"]
    finally:
        if "spark" in scope:
            scope["spark"].stop()
