"""Chrome's trace event JSON, and the choice of a format by extension."""

import gzip
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from archives import Instant, Slice, Warp, archive, run

from gwatch import libpygwatch
from gwatch.cli import main
from gwatch.common.format import WRITERS, File, read_trace, write_trace
from gwatch.common.formats import EXTENSIONS, FORMATS
from gwatch.errors import ArchiveError, FileError, UsageError

EXPORT = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")


def chrome(tmp_path, text, name="t.trace.json", **options):
    """Write it and read it back, times as exact decimals."""
    path = tmp_path / name
    write_trace(libpygwatch.from_json(text), path, **options)
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data, parse_float=Decimal)


def names(trace, what):
    return {
        event["pid"] if what == "process_name" else event["tid"]: event["args"]["name"]
        for event in trace["traceEvents"]
        if event["name"] == what
    }


def slices_of(trace):
    threads = names(trace, "thread_name")
    return [
        (threads[e["tid"]], e["name"], e["ts"] * 1000, e["dur"] * 1000, e.get("args", {}))
        for e in trace["traceEvents"]
        if e["ph"] == "X" and threads[e["tid"]] != "blocks"
    ]


def test_times_are_exact_nanoseconds(tmp_path):
    late = 2**53 - 5000
    slices = [Slice(1, 1_000_001, 0), Slice(2_345_067, 2_345_067, 1), Slice(late, late + 999, 1)]
    trace = chrome(tmp_path, archive(run([Warp(0, 0, 0, 2**53 - 1, slices)])))
    assert trace["displayTimeUnit"] == "ns"
    assert slices_of(trace) == [
        ("warp 0", "load", 1, 1_000_000, {}),
        ("warp 0", "dot", 2_345_067, 0, {}),
        ("warp 0", "dot", late, 999, {}),
    ]


def test_overlapping_slices_get_rows_of_their_own(tmp_path):
    slices = [Slice(0, 50, 0), Slice(20, 80, 1, 1), Slice(30, 40, 0, 1, 0xFF)]
    trace = chrome(tmp_path, archive(run([Warp(0, 3, 0, 100, slices)])))
    assert slices_of(trace) == [
        ("warp 3", "load", 0, 50, {}),
        ("warp 3, overlapping 1", "dot", 20, 60, {}),
        ("warp 3", "load", 30, 10, {"threads": "0xff"}),
    ]


def test_instants_and_facts(tmp_path):
    text = archive(
        run(
            [Warp(0, 0, 0, 100)],
            ["<b>'\"\\\u202e", "dot"],
            marks=[Instant(0, 7, 0)],
            orphan_starts=[Instant(0, 8, 1)],
            orphan_ends=[Instant(0, 9, 1, 1)],
            counts={"dropped_events": 5},
        )
    )
    trace = chrome(tmp_path, text)
    instants = [(e["name"], e["ts"] * 1000) for e in trace["traceEvents"] if e["ph"] == "i"]
    assert instants == [
        ("<b>'\"\\\u202e", 7),
        ("dot: start without an end", 8),
        ("dot: end without a start", 9),
    ]
    assert trace["otherData"]["runs"][0]["counts"]["dropped_events"] == 5


def test_groups_and_gzip(tmp_path):
    warps = [Warp(0, 0, 0, 50, [Slice(1, 2, 0)], sm=4), Warp(1, 0, 9, 40, sm=4)]
    text = archive(run(warps))
    assert list(names(chrome(tmp_path, text), "process_name").values()) == [
        "block 0 (0, 0, 0)",
        "block 1 (1, 0, 0)",
    ]
    by_sm = chrome(tmp_path, text, "s.trace.json.gz", by="sm")
    assert list(names(by_sm, "process_name").values()) == ["SM 4"]
    rows = [e["tid"] for e in by_sm["traceEvents"] if e["ph"] == "X" and "sm" in e.get("args", {})]
    assert len(set(rows)) == 2


def test_trace_without_anything(tmp_path):
    assert chrome(tmp_path, archive())["traceEvents"] == []
    assert slices_of(chrome(tmp_path, archive(run([])))) == []


def test_archive_is_no_chrome_trace(tmp_path):
    trace = libpygwatch.from_json(archive(run([Warp(0, 0, 0, 9)])))
    write_trace(trace, tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["format"] == "gwatch-trace"
    write_trace(trace, tmp_path / "a.trace.json")
    with pytest.raises(ArchiveError, match="is no gwatch trace"):
        read_trace(tmp_path / "a.trace.json")


def test_wrong_arguments(tmp_path):
    trace = libpygwatch.from_json(archive())
    with pytest.raises(UsageError, match="cannot tell the format"):
        write_trace(trace, tmp_path / "trace.perfetto")
    with pytest.raises(UsageError, match="by='warp'"):
        write_trace(trace, tmp_path / "trace.pftrace", by="warp")
    for name in ("t.pftrace", "t.trace.json", "t.json.gz"):
        with pytest.raises(FileError, match="cannot write"):
            write_trace(trace, tmp_path / "missing" / name)


@pytest.mark.parametrize("name", ["t.pftrace", "t.trace.json", "t.json", "t.pftrace.gz"])
def test_full_disk_is_told(name):
    trace = libpygwatch.from_json(archive(run([Warp(0, 0, 0, 9)])))
    write = {"pftrace": libpygwatch.write_perfetto, "json": libpygwatch.write_chrome}
    with pytest.raises(FileError, match="No space left"):
        write["pftrace" if "pftrace" in name else "json"](trace, "/dev/full", "test")


def test_file_renders_for_each_rank(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "3")
    report = File(strip_paths=True)
    section = type("Section", (), {})()
    section.runs = libpygwatch.from_json(archive(run([Warp(0, 0, 0, 9)]))).runs
    report.add_section(section)
    report.render(tmp_path / "rank{rank}.json")
    (scope, _) = read_trace(tmp_path / "rank3.json").runs[0].scopes
    assert scope.file == "kernel.py"
    assert section.runs[0].scopes[0].file == "/home/user/kernel.py"


@pytest.mark.parametrize("verb", ["demo", "run", "export"])
def test_help_names_every_format(verb, capsys):
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    words = set(re.findall(r"[.a-z]+", capsys.readouterr().out))
    assert set(EXTENSIONS) <= {word.rstrip(".") for word in words}


def test_every_format_has_a_writer_and_a_line_in_the_documentation():
    assert set(WRITERS) == {known.name for known in FORMATS}
    table = EXPORT.split("| extension | what it is |")[1].split("\n\n")[0]
    named = [name for row in table.splitlines() for name in re.findall(r"`(\.[a-z.]+)`", row)]
    assert sorted(named) == sorted(EXTENSIONS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--recorded", "--report", "x.txt"],
        ["run", "--kernel", "k", "-o", "x.txt", "--", "true"],
        ["export", "none.json", "-o", "x.txt"],
        ["merge", "none.json", "-o", "x.txt"],
    ],
)
def test_errors_name_every_format(arguments, capsys):
    assert main(arguments) == 1
    message = capsys.readouterr().err
    assert "cannot tell the format of 'x.txt'" in message
    assert all(f"{extension}," in message or f"{extension}." in message for extension in EXTENSIONS)
