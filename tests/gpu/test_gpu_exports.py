"""What a real launch leaves in the other formats, and whether GPUs of a host share a time axis."""

import itertools
import json
import math
import time

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
import gpu_kernels  # noqa: E402

from gwatch import libpygwatch  # noqa: E402
from gwatch.common.format import read_trace, write_trace  # noqa: E402

BLOCKS, STEPS, WARPS = 16, 20, 4
PAUSE_SECONDS = 0.3
ROUNDS = 8
DISAGREEMENT_NS = 1_000_000
"""By how much the timers of two GPUs of one host may differ."""
NEEDS_TWO = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="fewer than two CUDA devices")


def launch(device):
    out = torch.zeros(BLOCKS * 32 * WARPS, device=f"cuda:{device}", dtype=torch.int32)
    with torch.cuda.device(device):
        gpu_kernels.steps_kernel[(BLOCKS,)](out, STEPS, block=32 * WARPS, num_warps=WARPS)
    torch.cuda.synchronize(device)


def trace_on(workloads, devices, pause_seconds=PAUSE_SECONDS):
    def work():
        starts = []
        for device in devices:
            starts.append(time.monotonic_ns())
            launch(device)
            time.sleep(pause_seconds)
        return starts

    for device in set(devices):
        launch(device)
    return workloads.do_trace(
        fn=work,
        kernel_name_pattern="^steps_kernel$",
        dsl="triton",
        max_launches=len(devices),
    )


def test_every_slice_is_in_every_format(workloads, tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "3")
    result = trace_on(workloads, [0])
    trace = result.to_trace()
    slices = sum(len(run.slices) for run in trace.runs)
    assert slices == BLOCKS * STEPS * WARPS
    for name in ("rank{rank}.json.gz", "t.pftrace", "t.pftrace.gz", "t.trace.json"):
        write_trace(trace, tmp_path / name)

    (archived,) = read_trace(tmp_path / "rank3.json.gz").runs
    assert archived.launch.rank == 3
    assert archived.launch.host
    assert archived.time.start_globaltimer_ns > 0
    chrome = json.loads((tmp_path / "t.trace.json").read_text())
    events = [event for event in chrome["traceEvents"] if event["ph"] == "X"]
    assert len(events) == slices + BLOCKS
    assert (tmp_path / "t.pftrace").stat().st_size > 20 * slices


def starts_of(result):
    return [run.time.start_globaltimer_ns for run in result.runs]


def test_launches_of_one_gpu_are_as_far_apart_as_the_host_saw(workloads):
    result = trace_on(workloads, [0, 0])
    first, second = starts_of(result)
    assert second - first > PAUSE_SECONDS * 0.9e9
    assert second - first < result.value[1] - result.value[0] + 5e9


@NEEDS_TWO
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_gpus_of_one_host_agree_on_the_order(workloads, order):
    result = trace_on(workloads, order)
    first, second = starts_of(result)
    print(f"timers: {(second - first) / 1e9:.6f} s, host: {PAUSE_SECONDS} s and the launch")
    assert second - first > PAUSE_SECONDS * 0.9e9
    assert libpygwatch.time_axis_notes(result.to_trace()) == [
        "GPUs of one host are on one time axis by their own timers: between GPUs it is as good as "
        "those timers agree."
    ]


@NEEDS_TWO
def test_timers_of_gpus_of_one_host_agree(workloads, tmp_path):
    """Launches that the host saw one behind the other are so on the axis, on whichever GPU."""
    order = [0, 1] * ROUNDS
    result = trace_on(workloads, order, pause_seconds=0)
    runs = result.runs
    assert [run.launch.device_index for run in runs] == order
    # A launch has ended, the host knows, when the next begins: a gap is at least the lead of the
    # later one's timer over the earlier one's.
    gaps = [
        after.time.start_globaltimer_ns - before.time.start_globaltimer_ns - before.time.span_ns
        for before, after in itertools.pairwise(runs)
    ]
    at_most, at_least = min(gaps[0::2]), -min(gaps[1::2])
    print(f"the timer of GPU 1 is ahead of that of GPU 0 by {at_least} to {at_most} ns")
    assert at_least <= at_most
    assert at_least < DISAGREEMENT_NS
    assert at_most > -DISAGREEMENT_NS

    starts = starts_in_chrome(result.to_trace(), tmp_path / "t.trace.json")
    first = min(starts_of(result))
    expected = {f"run {i}": start - first for i, start in enumerate(starts_of(result), 1)}
    assert starts == pytest.approx(expected, abs=1000)


def starts_in_chrome(trace, path):
    """The time in ns of the first event of each run in the exported file."""
    write_trace(trace, path)
    events = json.loads(path.read_text())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    starts = {}
    for event in events:
        if event["ph"] == "X":
            run = names[event["pid"]].partition(":")[0]
            starts[run] = min(starts.get(run, math.inf), event["ts"] * 1000)
    return starts
