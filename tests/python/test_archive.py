"""The archive: its schema, its documentation, and reading it from Python."""

import copy
import gzip
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gwatch import libpygwatch
from gwatch.errors import ArchiveError, FileError

ROOT = Path(__file__).resolve().parents[2]
TRACES = ROOT / "tests" / "data" / "traces"
SCHEMA = json.loads((ROOT / "docs" / "trace.schema.json").read_text("utf-8"))
FORMAT = (ROOT / "docs" / "format.md").read_text("utf-8")
GOOD = json.loads((TRACES / "good-small.json").read_text("utf-8"))
WITH_PAYLOADS = json.loads((TRACES / "good-payloads.json").read_text("utf-8"))
KINDS = ["s32", "u32", "f32", "s64", "u64", "f64", "bits"]


def validate(archive):
    jsonschema.Draft202012Validator(SCHEMA).validate(archive)


def rewritten(archive):
    """What gwatch writes of an archive that it has read."""
    trace = libpygwatch.from_json(json.dumps(archive), "test")
    return json.loads(libpygwatch.to_json(trace, "gwatch test"))


def slice_rows(run):
    """The slices of a run as docs/format.md says: (lane, scope, depth, start, duration, mask)."""
    lanes, slices = run["lanes"], run["slices"]
    x, y, z = run["launch"]["block"]
    rows, row = [], 0
    for lane, count in enumerate(lanes["slice_count"]):
        start = lanes["enter_ns"][lane]
        full = (1 << min(32, x * y * z - 32 * lanes["warp"][lane])) - 1
        for _ in range(count):
            start += slices["start_delta_ns"][row]
            scope = slices["scope"][row]
            depth = slices["depth"][row] if "depth" in slices else slices["scope_depth"][scope]
            mask = slices["mask"][row] if "mask" in slices else 0
            rows.append((lane, scope, depth, start, slices["duration_ns"][row], mask or full))
            row += 1
    return rows


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_written_archive_follows_the_schema():
    validate(GOOD)
    validate(rewritten(GOOD))


@pytest.mark.parametrize(
    "break_it",
    [
        lambda archive: archive.pop("producer"),
        lambda archive: archive.update(version=2),
        lambda archive: archive["runs"][0].pop("lanes"),
        lambda archive: archive["runs"][0]["slices"].pop("depth"),
        lambda archive: archive["runs"][0]["slices"].update(scope_depth=[0, 0]),
        lambda archive: archive["runs"][0]["slices"].update(duration_ns=[0.5]),
        lambda archive: archive["runs"][0]["lanes"].update(warp=[32]),
        lambda archive: archive["runs"][0]["launch"].update(grid=[1, 1]),
        lambda archive: archive["runs"][0]["sites"][0].update(placement="guessed"),
        lambda archive: archive["runs"][0]["scopes"][0].update(payload="f16"),
        lambda archive: archive["runs"][0]["slices"].update(payloads={"row_delta": []}),
        lambda archive: archive["runs"][0]["marks"].update(
            payloads={"row_delta": [0], "bits": [-1]}
        ),
    ],
)
def test_schema_refuses(break_it):
    archive = copy.deepcopy(GOOD)
    break_it(archive)
    with pytest.raises(jsonschema.ValidationError):
        validate(archive)


def test_schema_names_every_field_that_is_written():
    run = rewritten(WITH_PAYLOADS)["runs"][0]
    definitions = SCHEMA["$defs"]
    assert set(run) | {"fidelity"} == set(definitions["run"]["properties"])
    left_out_when_unknown = {"rank", "host", "max_clock_mhz"}
    launch = set(run["launch"]) | left_out_when_unknown
    assert launch == set(definitions["launch"]["properties"])
    time = set(run["time"]) | {"timer_gap_ns"}  # older archives lack it
    assert time == set(definitions["time"]["properties"])
    for part in ("compile", "lanes"):
        assert set(run[part]) == set(definitions[part]["properties"]), part
    for part in ("counts", "launch", "compile", "time"):
        assert set(run[part]) == set(definitions[part]["required"]), part
    assert set(run["scopes"][0]) == set(definitions["scope"]["properties"])
    assert set(run["sites"][0]) == set(definitions["site"]["properties"])


def documented(language):
    return re.findall(rf"```{language}\n(.*?)```", FORMAT, re.DOTALL)


def test_documented_example_is_an_archive():
    (example,) = documented("json")
    archive = json.loads(example)
    validate(archive)
    assert slice_rows(rewritten(archive)["runs"][0]) == slice_rows(archive["runs"][0])


def test_documented_reader_prints_what_it_says(tmp_path):
    (example,), (reader,), (output,) = documented("json"), documented("python"), documented("text")
    (tmp_path / "trace.json").write_text(example, "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", reader],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == output


def test_every_key_is_documented():
    run = rewritten(WITH_PAYLOADS)["runs"][0]
    tables = ("lanes", "slices", "marks", "counts", "time")
    keys = [*GOOD, *run, *(key for table in tables for key in run[table])]
    keys += [*run["slices"]["payloads"], *run["scopes"][0]]
    assert [key for key in keys if f"`{key}`" not in FORMAT] == []


def test_payloads_follow_the_schema_and_the_documented_reader_ignores_them():
    validate(WITH_PAYLOADS)
    validate(rewritten(WITH_PAYLOADS))
    assert slice_rows(WITH_PAYLOADS["runs"][0]) == slice_rows(GOOD["runs"][0])


def documented_value(kind, bits):
    """A value by the expression in docs/format.md."""
    expression = re.search(r"`(struct\.unpack\(.*\)\[0\])`", FORMAT)
    return eval(expression[1], {"struct": struct}, {"kind": kind, "bits": bits})


def test_documented_expression_gives_the_values():
    assert documented_value("s32", 0xFFFFFFFB) == -5
    assert documented_value("u32", 0xFFFFFFFB) == 2**32 - 5
    assert documented_value("f32", 0x3FC00000) == 1.5
    assert documented_value("s64", 2**64 - 5) == -5
    assert documented_value("u64", 2**64 - 5) == 2**64 - 5
    assert documented_value("f64", 0x3FF8000000000000) == 1.5
    assert documented_value("bits", 2**63) == 2**63


def test_payloads_are_columns():
    run = libpygwatch.from_json(json.dumps(WITH_PAYLOADS), "test").runs[0]
    payloads = run.slices.payloads
    assert [scope.payload for scope in run.scopes] == ["s32", ""]
    assert len(payloads) == 2
    assert payloads.row.tolist() == [0, 3]
    assert payloads.bits.tolist() == [0xFFFFFFFB, 7]
    assert payloads.bits.format == "Q"
    assert len(run.marks.payloads) == 0
    scopes = run.scopes
    scopes[0].name = "renamed"
    run.scopes = scopes
    assert run.scopes[0].payload == "s32"


def columns(length, low, high):
    return st.lists(st.integers(low, high), min_size=length, max_size=length)


@st.composite
def archives(draw):
    archive = copy.deepcopy(GOOD)
    run = archive["runs"][0]
    threads = draw(st.sampled_from([32, 40, 64, 1000]))
    run["launch"]["block"] = [threads, 1, 1]
    names = draw(st.lists(st.text(max_size=8), min_size=1, max_size=3))
    run["scopes"] = [{"name": name, "id": -1, "file": "", "line": 0} for name in names]
    for scope in run["scopes"]:
        if kind := draw(st.sampled_from(["", *KINDS])):
            scope["payload"] = kind
    counts = draw(st.lists(st.integers(0, 4), max_size=5))
    lanes, rows = len(counts), sum(counts)
    enter = draw(columns(lanes, 0, 10**6))
    run["lanes"] = {
        "block": draw(columns(lanes, 0, 2**40)),
        "warp": draw(columns(lanes, 0, (threads - 1) // 32)),
        "sm": draw(columns(lanes, 0, 200)),
        "cluster_rank": draw(columns(lanes, 0, 15)),
        "enter_ns": enter,
        "exit_ns": [draw(st.sampled_from([-1, time, time + 10**6])) for time in enter],
        "events": draw(columns(lanes, 0, 2**32 - 1)),
        "slice_count": counts,
    }
    run["slices"] = {
        "start_delta_ns": draw(columns(rows, 0, 10**9)),
        "duration_ns": draw(columns(rows, 0, 10**12)),
        "scope": draw(columns(rows, 0, len(names) - 1)),
        "depth": draw(columns(rows, 0, 2)),
        "mask": draw(columns(rows, 0, 3)),
    }
    marks = draw(st.integers(0, 3)) if lanes else 0
    for table in ("marks", "orphan_starts", "orphan_ends"):
        run[table] = {
            "lane": draw(columns(marks, 0, max(lanes - 1, 0))),
            "time_ns": draw(columns(marks, 0, 2**53)),
            "scope": draw(columns(marks, 0, len(names) - 1)),
            "mask": draw(columns(marks, 0, 2**32 - 1)),
        }
    for table in ("slices", "marks", "orphan_starts"):
        if payloads := draw(payload_columns(run, run[table]["scope"])):
            run[table]["payloads"] = payloads
    return archive


@st.composite
def payload_columns(draw, run, scopes):
    """Values of some of the rows whose scopes may have one."""
    kinds = [run["scopes"][scope].get("payload") for scope in scopes]
    rows = [row for row, kind in enumerate(kinds) if kind and draw(st.booleans())]
    if not rows:
        return None
    return {
        "row_delta": [row - before for row, before in zip(rows, [0, *rows], strict=False)],
        "bits": [
            draw(st.integers(0, 2**32 - 1 if "32" in kinds[row] else 2**64 - 1)) for row in rows
        ],
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(archives())
def test_any_archive_survives_a_rewrite(archive):
    again = rewritten(archive)
    validate(again)
    before, after = archive["runs"][0], again["runs"][0]
    assert slice_rows(after) == slice_rows(before)
    assert after["lanes"] == before["lanes"]
    assert after["scopes"] == before["scopes"]
    for table in ("slices", "marks", "orphan_starts"):
        assert after[table].get("payloads") == before[table].get("payloads")
    assert rewritten(again) == again


def test_columns_read_as_views():
    trace = libpygwatch.from_json(json.dumps(GOOD), "test")
    run = trace.runs[0]
    del trace
    slices = run.slices
    assert len(slices) == 4
    assert slices.start_ns.format == "q"
    assert slices.start_ns.readonly
    assert slices.start_ns.tolist() == [100, 100, 700, 120]
    assert list(slices.duration_ns[1:3]) == [200, 0]
    assert slices.mask.tolist() == [0xFFFFFFFF, 0xFFFF, 0xFFFFFFFF, 0xFF]
    assert slices.depth.itemsize == 2
    assert run.marks.lane.tolist() == [0, 1]
    column = slices.scope
    del slices, run
    assert column.tolist() == [0, 1, 1, 0]


def test_lanes_are_a_sequence():
    run = libpygwatch.from_json(json.dumps(GOOD), "test").runs[0]
    assert len(run.lanes) == 3
    assert [lane.warp for lane in run.lanes] == [0, 1, 0]
    assert run.lanes[-1].sm == 131
    assert run.lanes[1].exit_ns == -1
    with pytest.raises(IndexError):
        run.lanes[3]


def test_facts_can_be_changed():
    trace = libpygwatch.from_json(json.dumps(GOOD), "test")
    run = trace.runs[0]
    run.launch.kernel = "renamed"
    run.compile.traced.registers = 99
    scopes = run.scopes
    scopes[0].name = "fetch"
    run.scopes = scopes
    again = json.loads(libpygwatch.to_json(trace, "gwatch"))["runs"][0]
    assert again["launch"]["kernel"] == "renamed"
    assert again["compile"]["traced"]["registers"] == 99
    assert [scope["name"] for scope in again["scopes"]] == ["fetch", "wait"]


def test_replaced_runs_live_on():
    trace = libpygwatch.from_json(json.dumps(GOOD), "test")
    old = trace.runs[0]
    trace.runs = [old, old]
    assert [run.launch.kernel for run in trace.runs] == ["k", "k"]
    trace.runs[0].launch.kernel = "new"
    assert old.launch.kernel == "k"
    assert old.slices.scope.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_files(tmp_path, name):
    trace = libpygwatch.from_json(json.dumps(GOOD), "test")
    path = tmp_path / name
    libpygwatch.write_archive(trace, "gwatch test", str(path))
    data = path.read_bytes()
    text = gzip.decompress(data) if name.endswith(".gz") else data
    assert json.loads(text) == rewritten(GOOD)
    again = libpygwatch.read_archive(str(path))
    assert libpygwatch.to_json(again, "gwatch test") == text.decode("utf-8")


def test_errors_are_exceptions(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        libpygwatch.read_archive(str(tmp_path / "missing.json"))
    with pytest.raises(ArchiveError) as caught:
        libpygwatch.read_archive(str(TRACES / "bad-newer-version.json"))
    assert caught.value.hint == "Update gwatch."


def test_broken_raw_capture(tmp_path):
    path = tmp_path / "x.raw"
    path.write_bytes(b"gwatch raw capture 1\n")
    with pytest.raises(ArchiveError, match="it is cut off"):
        libpygwatch.read_raw_capture(str(path))
