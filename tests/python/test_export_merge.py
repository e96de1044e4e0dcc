"""Merging archives, leaving paths out, and ranks."""

import json

import pytest
from archives import Slice, Warp, archive, run

from gwatch import libpygwatch
from gwatch.cli import main
from gwatch.common import rank
from gwatch.common.format import read_trace

PATHS = {
    "compile": {
        "assembler": "/home/ann/cuda/bin/ptxas",
        "assembler_flags": ["-v", "-I=/home/ann/include", "--gpu-name=sm_90a"],
        "ptx_source": "the cache /home/ann/.triton/cache/abc/k.ptx of Triton",
        "remarks": ["ptxas /tmp/ann-1/k.ptx, line 3; info: a / b and 1/2"],
    },
    "warnings": ["~/ann/lib.so: see https://example.org/x and '/home/ann/a.py'"],
}


def rank_archive(number, host="h", start=10**18):
    return archive(
        run(
            [Warp(0, 0, 0, 50, [Slice(10, 20, 0)])],
            launch={"rank": number, "host": host, "device_index": number},
            time={"start_globaltimer_ns": start + number},
            **PATHS,
        ),
        title=f"rank {number}",
    )


@pytest.fixture
def ranks(tmp_path):
    paths = [tmp_path / f"rank{number}.json" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text(rank_archive(number, "h" if number < 2 else "other"))
    return [str(path) for path in paths]


def test_merge_keeps_all_runs_in_order(ranks, tmp_path, capsys):
    target = tmp_path / "all.json.gz"
    assert main(["merge", *ranks, "-o", str(target), "--title", "all ranks"]) == 0
    merged = read_trace(target)
    assert merged.title == "all ranks"
    assert [run.launch.rank for run in merged.runs] == [0, 1, 2]
    assert [run.launch.host for run in merged.runs] == ["h", "h", "other"]
    for path, merged_run in zip(ranks, merged.runs, strict=True):
        one = libpygwatch.Trace()
        one.runs = [merged_run]
        assert (
            json.loads(libpygwatch.to_json(one, "p"))["runs"]
            == (json.loads(libpygwatch.to_json(read_trace(path), "p"))["runs"])
        )
    told = capsys.readouterr().out
    assert "3 runs" in told
    assert "2 hosts: the times of different hosts cannot be compared" in told
    assert "GPUs of one host are on one time axis" in told


def test_merge_says_when_starts_are_unknown(tmp_path, capsys):
    path = tmp_path / "a.json"
    path.write_text(archive(run([Warp(0, 0, 0, 9)], time={"start_globaltimer_ns": 0})))
    assert main(["merge", str(path), str(path), "-o", str(tmp_path / "b.json")]) == 0
    assert "2 runs without a start time" in capsys.readouterr().out


def test_merge_of_a_broken_file_names_it_and_writes_nothing(ranks, tmp_path, capsys):
    broken = tmp_path / "broken.json"
    broken.write_text(rank_archive(1)[:-30])
    target = tmp_path / "all.json"
    assert main(["merge", ranks[0], str(broken), "-o", str(target)]) == 1
    error = capsys.readouterr().err
    assert "broken.json" in error
    assert not target.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, r"in version 99 of the format; this gwatch reads versions up to 1"),
        ({"format": "else"}, "is no gwatch trace"),
        ({"runs": 3}, "is a broken gwatch trace: runs is no array"),
    ],
)
def test_merge_of_a_newer_or_foreign_file(ranks, tmp_path, capsys, change, message):
    other = tmp_path / "other.json"
    other.write_text(json.dumps(json.loads(rank_archive(1)) | change))
    assert main(["merge", ranks[0], str(other), "-o", str(tmp_path / "all.json")]) == 1
    assert message in capsys.readouterr().err


def test_stripped_files_hold_no_folder_and_no_host(ranks, tmp_path):
    target = tmp_path / "all.json"
    assert main(["merge", *ranks, "-o", str(target), "--strip-paths"]) == 0
    text = target.read_text()
    for private in ("ann", "/home", "/tmp", '"other"', "user/"):
        assert private not in text
    merged = read_trace(target)
    assert [run.launch.host for run in merged.runs] == ["host 1", "host 1", "host 2"]
    compile_facts = merged.runs[0].compile
    assert compile_facts.assembler == "ptxas"
    assert compile_facts.assembler_flags == ["-v", "-I=include", "--gpu-name=sm_90a"]
    assert compile_facts.ptx_source == "the cache k.ptx of Triton"
    assert compile_facts.remarks == ["ptxas k.ptx, line 3; info: a / b and 1/2"]
    assert merged.runs[0].warnings == ["lib.so: see https://example.org/x and 'a.py'"]
    assert merged.runs[0].scopes[0].file == "kernel.py"


def test_page_without_paths_has_no_source_text(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("the_secret_line = 1\n" * 40)
    source, target = tmp_path / "a.json", tmp_path / "a.html"
    text = archive(run([Warp(0, 0, 0, 9)]))
    source.write_text(text.replace("/home/user/kernel.py", str(secret)))
    for options, shown in (([], True), (["--strip-paths"], False)):
        assert main(["export", str(source), "-o", str(target), *options]) == 0
        assert ("the_secret_line" in target.read_text("utf-8")) == shown


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"RANK": "5", "LOCAL_RANK": "1"}, 5),
        ({"LOCAL_RANK": "1"}, 1),
        ({"SLURM_PROCID": "7"}, 7),
        ({"RANK": "x"}, None),
        ({}, None),
    ],
)
def test_rank_is_what_the_launcher_says(monkeypatch, variables, expected):
    for name in rank.RANK_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert rank.rank() == expected
    assert rank.with_rank("a-{rank}.json") == f"a-{expected or 0}.json"


def test_host_is_the_same_each_time_and_names_nobody():
    import socket

    assert rank.host() == rank.host()
    assert socket.gethostname() not in rank.host()
