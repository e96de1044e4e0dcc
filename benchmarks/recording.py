"""How much slower recording makes a kernel: pairs of an untraced and a traced launch.

    python benchmarks/recording.py --json recording.json

Both launches are CUDA graphs of one kernel node, so that only the kernel is timed. The traced one
is captured inside do_trace; the node that clears the records before each replay is taken out, for
it would be timed, and would empty the cache: only the counters are cleared, before the pause. Each
launch comes after a pause, for otherwise the power limit hides the difference. A spin kernel that
touches no memory stands before the first event, so that the host's time is not counted; between
the two events there is only the graph. The control is a second graph of the untraced kernel: its
ratio shows what noise does.

Where a case tells its PTX, two other builds of the kernel stand beside: the PTX assembled again as
it is, and with the design that hand-made tracers use (usual_design.py).
"""

from __future__ import annotations

import argparse
import ctypes
import math
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import usual_design
from gpu_cases import (
    Case,
    attention_case,
    cute_gemm_case,
    machine_facts,
    matmul_case,
    write_json,
)
from graphs import OtherBuild, capture, check, cleared_address, driver, keep_only_kernel
from micro_cases import many_blocks_case, micro_case

from gwatch import libpygwatch
from gwatch.cuda.trace import do_trace

MATMUL_RATIO_LIMIT = 1.25
PAUSE_SECONDS = 0.003
SPIN_CYCLES = 200_000
WARM_UP_PAIRS = 5


CONTROL_BYTES = 128  # record::Control, at the begin of a launch's memory

Reset = Callable[[], None]


def capture_traced(case: Case) -> tuple[torch.cuda.CUDAGraph, libpygwatch.Run, Reset]:
    """The graph of the traced kernel alone, and what to call before each replay."""

    def fn() -> torch.cuda.CUDAGraph:
        graph = capture(case)
        graph.replay()
        return graph

    result = do_trace(fn=fn, kernel_name_pattern=case.pattern, dsl=case.dsl)
    graph = result.value
    memory = ctypes.c_uint64(cleared_address(graph.raw_cuda_graph()))
    keep_only_kernel(graph.raw_cuda_graph())
    graph.instantiate()

    def reset() -> None:
        check(driver().cuMemsetD8_v2(memory, 0, CONTROL_BYTES), "cuMemsetD8")

    return graph, result.runs[0], reset


def time_replay(graph: torch.cuda.CUDAGraph, reset: Reset | None = None) -> float:
    """Milliseconds of one replay."""
    if reset:
        reset()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    time.sleep(PAUSE_SECONDS)
    torch.cuda._sleep(SPIN_CYCLES)
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def compare(
    first: torch.cuda.CUDAGraph,
    second: torch.cuda.CUDAGraph,
    pairs: int,
    reset_second: Reset | None = None,
) -> list[tuple[float, float]]:
    """Interleaved pairs of times; which of the two goes first alternates."""
    times = []
    for pair in range(WARM_UP_PAIRS + pairs):
        if pair % 2:
            second_time, first_time = time_replay(second, reset_second), time_replay(first)
        else:
            first_time, second_time = time_replay(first), time_replay(second, reset_second)
        times.append((first_time, second_time))
    return times[WARM_UP_PAIRS:]


def ratio_figures(times: list[tuple[float, float]]) -> dict[str, float]:
    """Of the ratios of the pairs: the median and the deciles at both ends."""
    ratios = [second / first for first, second in times]
    deciles = statistics.quantiles(ratios, n=10)
    return {
        "first_ms": statistics.median(first for first, _ in times),
        "second_ms": statistics.median(second for _, second in times),
        "ratio": statistics.median(ratios),
        "ratio_p10": deciles[0],
        "ratio_p90": deciles[-1],
    }


def assemble(ptx: str, run: libpygwatch.Run) -> bytes:
    """By the assembler, and with the flags, that made the traced build."""
    facts = run.compile
    candidate = libpygwatch.Candidate(
        facts.assembler, facts.assembler_origin, facts.assembler_flags
    )
    return libpygwatch.assemble(ptx, run.launch.kernel, [candidate]).cubin


def measure_others(
    case: Case, run: libpygwatch.Run, original: torch.cuda.CUDAGraph, pairs: int
) -> dict[str, dict[str, float]]:
    """Ratios of the kernel assembled again, and with the usual design."""
    if case.ptx is None:
        return {}
    ptx, launch = case.ptx(), run.launch
    again = OtherBuild(assemble(ptx, run), launch.kernel)
    usual = OtherBuild(assemble(usual_design.rewrite(ptx, launch.kernel), run), launch.kernel)
    warps = math.prod(launch.grid) * -(-math.prod(launch.block) // 32)
    buffer = torch.zeros(warps * usual_design.warp_bytes(), dtype=torch.uint8, device="cuda")
    usual.set_pointer(usual_design.SYMBOL, buffer.data_ptr())
    figures = {}
    for name, build in (("assembled again", again), ("usual design", usual)):
        graph = capture(case)
        build.put_into(graph)
        graph.replay()
        figures[name] = ratio_figures(compare(original, graph, pairs))
    return figures


def measure(case: Case, pairs: int) -> dict[str, Any]:
    case.launch()
    torch.cuda.synchronize()
    expected = case.output.clone()
    original, again = capture(case), capture(case)
    traced, run, reset = capture_traced(case)
    control = ratio_figures(compare(original, again, pairs))
    recording = ratio_figures(compare(original, traced, pairs, reset))
    others = measure_others(case, run, original, pairs)
    case.output.zero_()
    traced.replay()
    torch.cuda.synchronize()
    counts = run.counts
    added_ns = (recording["second_ms"] - recording["first_ms"]) * 1e6
    return {
        "case": case.name,
        "bit_identical": torch.equal(case.output, expected),
        "control": control,
        "recording": recording,
        "others": others,
        # Of the kernel's time, an event of one warp: warps side by side share the cost.
        "ns_an_event_of_a_warp": added_ns * run.counts.warps_recorded / max(1, counts.events),
        # Added kernel time, times the SMs side by side: what an event costs the SM it happens on.
        "sm_ns_an_event": added_ns * run.launch.sm_count / max(1, counts.events),
        "events_expected": case.events or counts.events,
        "events": counts.events,
        "records": counts.records,
        "dropped_events": counts.dropped_events,
        "registers": [run.compile.original.registers, run.compile.traced.registers],
        "local_bytes": [run.compile.original.local_bytes, run.compile.traced.local_bytes],
        "spill_store_bytes": run.compile.traced.spill_store_bytes,
        "assembler": f"{run.compile.assembler_origin} {run.compile.assembler_version}",
        "remarks": list(run.compile.remarks),
        "placements": sorted({site.placement for site in run.sites}),
        "warnings": list(run.warnings),
    }


def show(row: dict[str, Any]) -> str:
    control, recording = row["control"], row["recording"]
    registers, local_bytes = row["registers"], row["local_bytes"]
    return (
        f"{row['case']:<36}{recording['first_ms'] * 1e3:9.1f}{recording['second_ms'] * 1e3:9.1f}"
        f"  {recording['ratio']:.4f} [{recording['ratio_p10']:.4f} {recording['ratio_p90']:.4f}]"
        f"  {control['ratio']:.4f} [{control['ratio_p10']:.4f} {control['ratio_p90']:.4f}]"
        f"{row['sm_ns_an_event']:7.2f}{row['ns_an_event_of_a_warp']:8.1f}\n"
        f"    events {row['events']} of {row['events_expected']}, dropped {row['dropped_events']},"
        f" records {row['records']}; registers {registers[0]} -> {registers[1]},"
        f" local bytes {local_bytes[0]} -> {local_bytes[1]},"
        f" spill stores {row['spill_store_bytes']} bytes;"
        f" result {'bit-identical' if row['bit_identical'] else 'DIFFERENT'}"
        + "".join(show_other(name, row) for name in row["others"])
    )


def show_other(name: str, row: dict[str, Any]) -> str:
    other, recording = row["others"][name], row["recording"]
    added = other["second_ms"] - other["first_ms"]
    ours = recording["second_ms"] - recording["first_ms"]
    times = (
        f", adds {added / ours:.1f} times as much" if name == "usual design" and ours > 0 else ""
    )
    deciles = f"[{other['ratio_p10']:.4f} {other['ratio_p90']:.4f}]"
    return f"\n    {name}: {other['ratio']:.4f} {deciles}{times}"


HEADING = (
    f"{'case':<36}{'untraced':>9}{'traced':>9}  {'ratio [p10 p90]':<22}"
    f"  {'control [p10 p90]':<22}  ns an event: on its SM, of its warp\n{'':<36}{'us':>9}{'us':>9}"
)


# Made one after the other: each holds its tensors.
CASES: tuple[Callable[[], Case | None], ...] = (
    matmul_case,
    lambda: attention_case(64, False),
    lambda: attention_case(128, True),
    cute_gemm_case,
    lambda: micro_case("full_warps", 4),
    lambda: micro_case("full_warps", 8),
    lambda: micro_case("full_warps", 32),
    lambda: micro_case("one_lane", 8),
    lambda: micro_case("halves", 8),
    lambda: micro_case("device_function", 8),
    many_blocks_case,
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what recording costs a kernel.")
    parser.add_argument("--json", metavar="PATH", help="write all figures to a file")
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    libpygwatch.init_cupti_hooks()
    for name, value in machine_facts().items():
        print(f"{name}: {value}")
    print(f"{options.pairs} pairs, a pause of {PAUSE_SECONDS * 1e3:.0f} ms before each launch\n")
    print(HEADING)
    rows = []
    for make_case in CASES:
        case = make_case()
        if case is None:
            continue
        rows.append(measure(case, options.pairs))
        print(show(rows[-1]), flush=True)
    if options.json:
        write_json(options.json, {"pairs": options.pairs, "pause_s": PAUSE_SECONDS, "rows": rows})
    matmul_ratio = rows[0]["recording"]["ratio"]
    lost = sum(row["events_expected"] - row["events"] for row in rows)
    print(f"\nmatmul {matmul_ratio:.4f}, limit {MATMUL_RATIO_LIMIT}; events lost: {lost}")
    return int(matmul_ratio > MATMUL_RATIO_LIMIT or lost != 0)


if __name__ == "__main__":
    sys.exit(main())
