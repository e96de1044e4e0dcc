"""How long do_trace takes beyond the kernel itself, for a matrix product with 2,097,152 events.

    python benchmarks/do_trace_time.py --json do_trace_time.json

The first call of a process and later ones, in all and by stage. The kernel is compiled and warm
before: what Triton takes to compile it is not do_trace's time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import torch
from gpu_cases import Case, machine_facts, matmul_case, write_json

from gwatch.cuda.trace import do_trace

LIMIT_SECONDS = 1.5
KERNEL_RUNS = 20


def kernel_seconds(case: Case) -> float:
    """The launch by itself, and the wait for its end."""
    times = []
    for _ in range(KERNEL_RUNS):
        torch.cuda.synchronize()
        started = time.perf_counter()
        case.launch()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def time_call(case: Case, kernel: float) -> dict[str, Any]:
    started = time.perf_counter()
    result = do_trace(fn=case.launch, kernel_name_pattern=case.pattern, dsl="triton")
    beyond = time.perf_counter() - started - kernel
    (run,) = result.runs
    stages = dict(run.stage_seconds)
    return {
        "beyond_kernel_s": beyond,
        "stages_s": stages | {"rest": beyond - sum(stages.values())},
        "events": run.counts.events,
        "dropped_events": run.counts.dropped_events,
    }


def show(calls: list[dict[str, Any]]) -> str:
    """A row a stage, a column a call, in ms."""
    stages = list(dict.fromkeys(stage for call in calls for stage in call["stages_s"]))
    lines = [f"{'ms':<16}" + "".join(f"{f'call {i + 1}':>10}" for i in range(len(calls)))]
    for stage in stages:
        values = (call["stages_s"].get(stage, 0.0) for call in calls)
        lines.append(f"{stage:<16}" + "".join(f"{value * 1e3:10.1f}" for value in values))
    totals = (call["beyond_kernel_s"] for call in calls)
    lines.append(f"{'in all':<16}" + "".join(f"{total * 1e3:10.1f}" for total in totals))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how long do_trace takes.")
    parser.add_argument("--json", metavar="PATH", help="write all figures to a file")
    parser.add_argument("--calls", type=int, default=4)
    options = parser.parse_args()
    case = matmul_case()
    case.launch()
    torch.cuda.synchronize()
    kernel = kernel_seconds(case)
    calls = [time_call(case, kernel) for _ in range(options.calls)]
    for name, value in machine_facts().items():
        print(f"{name}: {value}")
    print(f"\nkernel by itself: {kernel * 1e3:.3f} ms; events: {calls[0]['events']}\n")
    print(show(calls))
    worst = max(call["beyond_kernel_s"] for call in calls)
    verdict = "kept" if worst < LIMIT_SECONDS else "EXCEEDED"
    print(f"\nlimit of {LIMIT_SECONDS} s: {verdict} ({worst:.3f} s)")
    if options.json:
        write_json(options.json, {"kernel_s": kernel, "limit_s": LIMIT_SECONDS, "calls": calls})
    return int(worst >= LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
