"""How much slower Triton's own tracer, Proton, makes the Triton examples, with the same scopes.

    python benchmarks/proton_kernels.py --json proton.json

proton_workload.py says what is measured; each kernel gets a process of its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from figures import show_ratio
from peers import run_peer, write_figures

LIMIT_SECONDS = 60
CASES = ("matmul", "attention")
DROPPED = re.compile(r"first (\d+) events are dropped")  # said of each warp

Figures = dict[str, Any]


def missing() -> str | None:
    """What this benchmark needs and is not here."""
    for module in ("torch", "triton", "triton.profiler"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    return None


def find_figures(case: str, pairs: int, with_trace: bool = True) -> Figures:
    """Of one of CASES, or the reason why there are none.

    Args:
        case: which kernel.
        pairs: so many.
        with_trace: let Proton write its trace, which takes a while.
    """
    reason = missing()
    if reason:
        return {"reason": reason}
    arguments = ["--case", case, "--pairs", str(pairs), *(["--trace"] if with_trace else [])]
    figures, finished = run_peer("proton_workload.py", arguments, LIMIT_SECONDS)
    return {**figures, "dropped_events": dropped_events(finished.output)}


def dropped_events(output: str) -> int:
    """So many events of the one full launch Proton says it dropped."""
    return sum(map(int, DROPPED.findall(output)))


def show(figures: Figures) -> str:
    """Lines about Proton, to stand under the row of the kernel."""
    if "reason" in figures:
        return f"    Proton not measured: {figures['reason']}"
    ratio, plain, traced = (figures[name] for name in ("ratio", "plain", "traced"))
    changes = ", ".join(f"{name} {plain[name]} -> {traced[name]}" for name in plain)
    return (
        f"    Proton: {show_ratio(ratio)}, control {show_ratio(figures['control'])},"
        f" {ratio['first_ms'] * 1e3:.1f} us -> {ratio['second_ms'] * 1e3:.1f} us;"
        f" {_events(figures)}\n"
        f"    Proton: {figures['host_ms']:.0f} ms of host time a launch;"
        f" {changes.replace('_', ' ')};"
        f" result {'bit-identical' if figures['bit_identical'] else 'DIFFERENT'}"
    )


def _events(figures: Figures) -> str:
    said = f"{figures['dropped_events']} of {figures['events_expected']} events dropped"
    if "events" not in figures:
        return said
    return (
        f"{said}, {figures['events']} in a trace of {figures['trace_bytes'] / 1e6:.0f} MB,"
        f" written in {figures['finalize_s']:.1f} s"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what Proton costs the Triton examples.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to a file")
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    figures = {case: find_figures(case, options.pairs) for case in CASES}
    for case, one in figures.items():
        print(f"{case}\n{show(one)}")
    if options.json:
        write_figures(options.json, figures)
    return int(any("reason" in one for one in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
