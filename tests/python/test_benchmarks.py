"""The parts of the benchmarks that need no GPU: figures, limits, other tracers' kernels."""

import ast
import importlib.util
import json
import os
import re
import sys
import time
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import figures  # noqa: E402
import iket_gemm  # noqa: E402
import musts  # noqa: E402
import peer_sources  # noqa: E402
import peers  # noqa: E402
import proton_kernels  # noqa: E402
import show_rows  # noqa: E402
import whole_trace  # noqa: E402

CUTE = importlib.util.find_spec("cutlass") is not None


def ratio_of(ratio, spread=0.0001):
    """Figures of 40 pairs around a ratio."""
    first = 0.2
    times = [(first, first * (ratio + spread * (turn % 5 - 2))) for turn in range(40)]
    return figures.ratio_figures(times)


def row(case, ratio=1.001, **changes):
    made = {
        "case": case,
        "recording": ratio_of(ratio),
        "control": ratio_of(1.0),
        "others": {},
        "peers": {},
        "ns_an_event_of_a_warp": 10.0,
        "sm_ns_an_event": 1.0,
        "events_expected": 100,
        "events": 100,
        "dropped_events": 0,
        "records": 60,
        "launches": [(100, 0)] * 10,
        "bit_identical": True,
        "registers": [120, 122],
        "local_bytes": [0, 0],
        "spill_store_bytes": 0,
    }
    return made | changes


def iket(**ratios):
    return {
        "ways": {way: ratio_of(ratio) | {"launches": 10} for way, ratio in ratios.items()},
        "control": ratio_of(1.0),
        "run_by": "its command",
        "bit_identical": True,
        "events_expected": 100,
        "recorded": {"launches": 11, "graphs": 10},
        "said": [],
    }


LIMITED_GEMM = "CuTe DSL GEMM 4096^3, 5 scopes"
GOOD = [
    row("matmul 4096^3"),
    row("attention 4x16x4096x64"),
    row("attention 4x16x4096x128 causal"),
    row(LIMITED_GEMM, peers={"IKET": iket(launches=1.0045)}),
    row("CuTe DSL GEMM 4096^3, all scopes", ratio=1.0075),
    row("full_warps, 8 warps an SM", others={"usual design": ratio_of(1.009)}),
    row("one_lane, 8 warps an SM"),
    row("halves, 8 warps an SM"),
]


def verdicts(rows):
    return {must.what: must.met for must in musts.check(rows)}


def test_interval_holds_the_median_and_shrinks_with_more_pairs():
    few = figures.ratio_figures([(1.0, 1.0 + 0.01 * (turn % 7)) for turn in range(14)])
    many = figures.ratio_figures([(1.0, 1.0 + 0.01 * (turn % 7)) for turn in range(700)])
    for found in (few, many):
        assert found["ratio_low"] <= found["ratio"] <= found["ratio_high"]
        assert found["ratio_p10"] <= found["ratio_low"]
        assert found["ratio_high"] <= found["ratio_p90"]
    assert many["ratio_high"] - many["ratio_low"] < few["ratio_high"] - few["ratio_low"]


def test_ratio_is_of_pairs_and_not_of_medians():
    times = [(1.0, 2.0), (2.0, 2.0), (4.0, 2.0)]
    found = figures.ratio_figures(times)
    assert found["ratio"] == 1.0
    assert (found["first_ms"], found["second_ms"]) == (2.0, 2.0)


def test_all_limits_are_met():
    assert set(verdicts(GOOD).values()) == {True}


def test_nothing_measured_is_no_failure():
    found = musts.check([])
    assert {must.met for must in found} == {None}
    assert all(str(must).endswith("not measured") for must in found)


@pytest.mark.parametrize(
    ("case", "changes", "what"),
    [
        ("matmul", {"recording": ratio_of(1.026)}, "Triton matmul"),
        ("attention 4x16x4096x64", {"recording": ratio_of(1.051)}, "Triton attention, head 64"),
        ("attention 4x16x4096x128", {"recording": ratio_of(1.051)}, "Triton attention, head 128"),
        (LIMITED_GEMM, {"recording": ratio_of(1.0063)}, "CuTe DSL GEMM"),
        (LIMITED_GEMM, {"peers": {"IKET": iket(launches=0.998)}}, "CuTe DSL GEMM, above IKET"),
        ("full_warps", {"ns_an_event_of_a_warp": 20.1}, "full warps, 8 an SM, ns an event"),
        ("full_warps", {"others": {"usual design": ratio_of(1.005)}}, "full warps, 8 an SM, times"),
        ("one_lane", {"ns_an_event_of_a_warp": 45.1}, "one elected lane"),
        ("halves", {"ns_an_event_of_a_warp": 60.1}, "two halves"),
        ("halves", {"launches": [(100, 0)] * 9 + [(99, 0)]}, "events lost"),
        ("halves", {"launches": [(100, 0)] * 9 + [(100, 1)]}, "events lost"),
        ("halves", {"launches": [(100, 0)] * 9 + [(101, 0)]}, "events lost"),
        ("one_lane", {"bit_identical": False}, "results bit-identical"),
        ("matmul", {"registers": [120, 124]}, "extra registers"),
        ("CuTe DSL GEMM 4096^3, all", {"registers": [168, 172]}, "extra registers"),
        ("attention", {"spill_store_bytes": 8}, "spills"),
    ],
)
def test_each_limit_can_fail_alone(case, changes, what):
    rows = [one | changes if one["case"].startswith(case) else one for one in GOOD]
    failed = [name for name, met in verdicts(rows).items() if met is False]
    assert len(failed) == 1
    assert failed[0].startswith(what)


def test_limits_that_do_not_apply():
    rows = [row("1 million blocks", registers=[10, 28]), row("matmul", local_bytes=[8, 8])]
    rows[1]["spill_store_bytes"] = 8
    found = verdicts(rows)
    assert found["extra registers, matmul, attention and GEMM"] is True
    assert found["spills where the plain kernel has none"] is True


def test_a_limit_inside_the_interval_is_noise():
    gemm = row(LIMITED_GEMM, recording=ratio_of(1.0061, spread=0.001))
    (line,) = [str(must) for must in musts.check([gemm]) if must.what == "CuTe DSL GEMM"]
    assert "(within noise)" in line
    assert line.endswith("NOT MET")


def test_usual_design_that_costs_as_much_is_not_cheaper():
    one = row("full_warps, 8 warps an SM", others={"usual design": ratio_of(1.001)})
    assert musts.times_cheaper(one) == pytest.approx(1.0)
    assert musts.times_cheaper(row("x")) is None


def test_the_lower_way_of_iket_counts():
    assert iket_gemm.best_ratio(iket(launches=1.02, graphs=1.004)) == pytest.approx(1.004)
    partly = iket(launches=1.005)
    partly["ways"]["graphs"] = {"reason": "no graphs"}
    assert iket_gemm.best_ratio(partly) == pytest.approx(1.005)
    assert iket_gemm.best_ratio(None) is None
    assert iket_gemm.best_ratio({"reason": "not installed"}) is None
    assert "graphs: not measured: no graphs" in iket_gemm.show(partly)
    partly["ways"]["graphs"] = ratio_of(1.01) | {"other_work": {"Memset": [3, 4.5]}}
    assert "3 Memset, 4.5 us" in iket_gemm.show(partly)


def test_a_way_in_which_iket_did_not_record_does_not_count():
    told = "[warning] IKET could not collect trace data for launch 3."
    found = iket_gemm.judge(iket(launches=1.004, graphs=1.001), told)
    assert iket_gemm.best_ratio(found) == pytest.approx(1.001)
    assert found["said"] == [told]
    found["recorded"] = {"launches": 11, "graphs": 8}
    iket_gemm.judge(found, "")
    assert iket_gemm.best_ratio(found) == pytest.approx(1.004)
    assert "does not count: IKET recorded 8 of 10 launches" in iket_gemm.show(found)
    found["recorded"] = {"launches": 0, "graphs": 8}
    iket_gemm.judge(found, "")
    assert iket_gemm.best_ratio(found) is None
    assert "IKET not measured: no way to launch gave a figure" in iket_gemm.show(found)


def test_launches_of_a_raw_capture():
    launch = {"kernelName": "gemm", "dataRef": {"offset": 0, "size": 8}}
    graph = {"graph_exec_1:2": [{"nodes": [launch, {"kernelName": "other"}]}]}
    capture = {"meta": {"version": 1}, "launches": [launch] * 3, "graphLaunches": graph}
    assert iket_gemm.recorded_launches(capture) == {"launches": 3, "graphs": 1}
    assert iket_gemm.recorded_launches({}) == {"launches": 0, "graphs": 0}


def test_recorded_launches_without_their_kind():
    found = iket(launches=1.004, graphs=1.004, kernels=1.004)
    assert iket_gemm.launches_made(found) == {"launches": 20, "graphs": 10}
    assert iket_gemm.split(25, found) == {"launches": 20, "graphs": 5}
    assert iket_gemm.split(7, found) == {"launches": 7, "graphs": 0}
    line = "IKET profiling session completed with trace data for {} CUDA launches."
    assert iket_gemm.said_launches(line.format(131)) == 131
    assert iket_gemm.said_launches("nothing") == 0


def test_command_of_iket_runs_the_workload(tmp_path):
    command = iket_gemm.iket_command(tmp_path, ["profile", "--keep"], ["figures.json"])
    behind = command[command.index("--") + 1 :]
    assert behind == [sys.executable, str(iket_gemm.WORKLOAD), "figures.json"]
    assert iket_gemm.WORKLOAD.exists()


def test_row_is_shown_with_its_peers():
    proton = {
        "ratio": ratio_of(1.2), "control": ratio_of(1.0), "host_ms": 300.0, "bit_identical": True,
        "events_expected": 200, "dropped_events": 101,
        "events": 100, "trace_bytes": 2_000_000, "finalize_s": 1.5,
        "plain": {"registers": 118, "spills": 0}, "traced": {"registers": 118, "spills": 2},
    }  # fmt: skip
    peers_of_row = {"Proton": proton, "IKET": {"reason": "iket is not installed"}}
    text = show_rows.show(
        row("matmul", others={"usual design": ratio_of(1.01)}, peers=peers_of_row)
    )
    assert "Proton: 1.2000" in text
    assert "101 of 200 events dropped, 100 in a trace of 2 MB" in text
    assert "spills 0 -> 2" in text
    assert "IKET not measured: iket is not installed" in text
    assert "adds 10.0 times as much" in text
    del proton["events"]
    assert "101 of 200 events dropped" in proton_kernels.show(proton)


def test_events_that_proton_says_it_dropped():
    line = "Warning (cta{}, warp{}): first {} events are dropped due to insufficient buffer size"
    output = "\n".join([line.format(0, 1, 128), "other", line.format(17, 0, 2)])
    assert proton_kernels.dropped_events(output) == 130


@pytest.mark.parametrize("file", ["trace_triton_matmul.py", "trace_triton_attention.py"])
def test_examples_with_protons_scopes(file):
    source = peer_sources.example_source(file)
    text = peer_sources.with_proton_scopes(source)
    ast.parse(text)
    assert "import triton.profiler.language as gw_trace" in text
    assert "import gwatch.cuda.trace.triton" not in text
    for ours, theirs in (("start", "enter"), ("end", "exit")):
        names = re.findall(rf"gw_trace\.scope_{ours}\(\"?(\w+)\"?\)", source)
        assert names
        assert re.findall(rf'gw_trace\.{theirs}_scope\("(\w+)"\)', text) == names


@pytest.mark.parametrize("marker", ['gw_trace.mark("x")', "gw_trace.scope_start(a + b)"])
def test_markers_without_a_counterpart_are_refused(marker):
    source = f"import gwatch.cuda.trace.triton as gw_trace\ngw_trace.scope_end(1)\n{marker}\n"
    with pytest.raises(ValueError, match="no counterpart"):
        peer_sources.with_proton_scopes(source)


def test_a_source_without_markers_is_refused():
    with pytest.raises(ValueError, match="0 times"):
        peer_sources.with_markers_of("import gwatch\n", "iket_markers")


def test_other_scopes_are_left_out_and_the_lines_keep_their_numbers():
    lines = [
        f'    gw_trace.scope_{verb}("{name}")' for name in ("a", "a b") for verb in ("start", "end")
    ]
    text = peer_sources.with_scopes("\n".join([*lines, "work()  # a"]), {"a b"})
    assert text.split("\n") == ["", "", *lines[2:], "work()  # a"]
    with pytest.raises(ValueError, match="no scope named b"):
        peer_sources.with_scopes(lines[0], {"a", "b"})


def gemm_ptx(module, folder, size=512, options=""):
    import cutlass
    import cutlass.cute as cute
    from kernels.cute_offline import compile_host

    matrix = cute.runtime.make_fake_compact_tensor(
        cutlass.Float16, (size, size), stride_order=(1, 0), assumed_align=16
    )
    arguments = (matrix, matrix, matrix, 132, cute.runtime.make_fake_stream())
    return compile_host(module.hopper_gemm, folder, *arguments, options=options).__ptx__


needs_cute = pytest.mark.skipif(not CUTE, reason="needs the CuTe DSL")


@needs_cute
def test_gemm_whose_cost_has_a_limit(tmp_path):
    module = peer_sources.load_gemm(tmp_path)
    assert module.expected_events(4096, 4096, 4096, peer_sources.GEMM_SCOPES) == 1_171_456

    ptx = gemm_ptx(module, tmp_path, size=4096)

    markers = re.findall(r"// gwatch:(\w+) (.*)", ptx)
    assert sorted(markers) == sorted(
        (verb, name) for name in peer_sources.GEMM_SCOPES for verb in ("start", "end")
    )


@needs_cute
@pytest.mark.parametrize(("markers", "options", "events"), [("iket", "iket", 10), ("no", "", 0)])
def test_gemm_with_other_markers(markers, options, events, tmp_path):
    module = peer_sources.load_gemm(tmp_path, f"{markers}_markers")
    ptx = gemm_ptx(module, tmp_path, options=options)
    assert "gwatch" not in ptx
    assert len(re.findall(r"pmevent\.mask", ptx)) == events
    assert len(re.findall(r"__iket_evt_decl_\w+_attrs\b", ptx)) == events // 2


def test_child_that_fails_gives_the_end_of_what_it_said():
    finished = peers.run_child([sys.executable, "-c", "print('so'); raise SystemExit('why')"], 60)
    assert finished.code == 1
    assert finished.reason().endswith("so | why")
    assert finished.reason().startswith("exit 1 after")


def test_child_that_hangs_ends_with_all_that_it_started(tmp_path):
    told = tmp_path / "pid"
    program = (
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(told)!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    finished = peers.run_child([sys.executable, "-c", program], 3)
    assert finished.code is None
    assert finished.reason().startswith("ran out of time")
    grandchild = int(told.read_text())
    deadline = time.monotonic() + 20
    while is_running(grandchild) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(grandchild)


def is_running(pid):
    """Whether a process is there and not a zombie."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return "\nState:\tZ" not in status


def test_figures_left_before_a_failure_count(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "HERE", tmp_path)
    script = (
        "import json, pathlib, sys\n"
        "path = pathlib.Path(sys.argv[sys.argv.index('--json') + 1])\n"
        "path.write_text(json.dumps({'ratio': 1.5}))\n"
        "raise SystemExit(3)\n"
    )
    (tmp_path / "peer.py").write_text(script)
    found, finished = peers.run_peer("peer.py", [], 60)
    assert found["ratio"] == 1.5
    assert finished.code == 3
    (tmp_path / "peer.py").write_text("raise SystemExit('no GPU')")
    found, _ = peers.run_peer("peer.py", [], 60)
    assert "no GPU" in found["reason"]


def test_unfinished_figures_are_not_read(tmp_path):
    path = tmp_path / "figures.json"
    assert peers.read_figures(path) is None
    path.write_text('{"ratio": 1')
    assert peers.read_figures(path) is None
    peers.write_figures(path, {"ratio": 1})
    assert peers.read_figures(path) == {"ratio": 1}
    assert os.listdir(tmp_path) == ["figures.json"]


def test_files_of_a_whole_trace(tmp_path):
    for name, size in (("iket_pid_4711.pftrace", 30), ("iket_pid_4711.trace.json", 20),
                       ("run-iket.stats.json", 5), ("log.txt", 7)):  # fmt: skip
        (tmp_path / name).write_bytes(b"x" * size)
    found = whole_trace.sizes_of(tmp_path)
    assert found == {"iket_pid_N.pftrace": 30, "iket_pid_N.trace.json": 20}
    stats = {"phases": {"trackerWorkload": {"durationNs": 2_500_000_000}, "cleanup": {}}}
    seconds = whole_trace.phase_seconds(json.loads(json.dumps(stats)))
    assert seconds == {"trackerWorkload": 2.5}
    figures_of = {"seconds": 20.0, "phases_s": seconds, "files": found}
    assert "trackerWorkload 2.5 s" in whole_trace.show("IKET", figures_of)
