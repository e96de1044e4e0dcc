"""What an untraced launch costs with the CUPTI hooks on.

    python benchmarks/untraced_launch.py [--json untraced_launch.json]

An empty kernel is launched straight through the driver: before the hooks, with the hooks between
captures, and inside a capture that matches another kernel. Figures are the median of rounds of two
processes, one without and one with hooks, and there of batches; the last two kinds alternate.
Needs a GPU, and nothing but the installed package.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gwatch import libpygwatch

LIMIT_NANOSECONDS = 1000
ROUNDS = 7
BATCHES = 100
LAUNCHES = 256  # fewer than the driver queues: a launch never waits for the GPU
PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .entry untraced() { ret; }
"""


class Kernel:
    """An empty kernel of the primary context."""

    def __init__(self) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        context, module, self._function = (ctypes.c_void_p() for _ in range(3))
        device = ctypes.c_int()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        self._call("cuModuleLoadData", ctypes.byref(module), PTX)
        self._call("cuModuleGetFunction", ctypes.byref(self._function), module, b"untraced")
        self._call("cuLaunchKernel", *self._arguments())

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._driver, name)(*arguments)
        if code:
            sys.exit(f"{name} failed with CUresult {code}")

    def _arguments(self) -> tuple[Any, ...]:
        return (self._function, 1, 1, 1, 32, 1, 1, 0, None, None, None)

    def nanoseconds(self) -> float:
        """Time of a launch call, over one batch."""
        launch, arguments = self._driver.cuLaunchKernel, self._arguments()
        self._call("cuCtxSynchronize")
        started = time.perf_counter_ns()
        for _ in range(LAUNCHES):
            launch(*arguments)
        elapsed = time.perf_counter_ns() - started
        self._call("cuCtxSynchronize")
        return elapsed / LAUNCHES


def never(launch: libpygwatch.LaunchInfo) -> Any:
    """Stand for the preparer of a capture that matches nothing."""
    raise AssertionError(f"{launch.kernel} does not match")


def in_capture(measure: Callable[[], float]) -> float:
    libpygwatch.begin_capture("^another_kernel$", never)
    value = measure()
    seen = libpygwatch.end_capture().seen_kernels
    if seen != {"untraced": LAUNCHES}:
        sys.exit(f"the hooks saw {seen} instead of {LAUNCHES} launches")
    return value


def without_hooks(kernel: Kernel) -> dict[str, float]:
    return {"without_hooks_ns": statistics.median(kernel.nanoseconds() for _ in range(BATCHES))}


def with_hooks(kernel: Kernel) -> dict[str, float]:
    libpygwatch.init_cupti_hooks()
    between, inside = [], []
    for _ in range(BATCHES):
        between.append(kernel.nanoseconds())
        inside.append(in_capture(kernel.nanoseconds))
    return {
        "between_captures_ns": statistics.median(between),
        "inside_a_capture_ns": statistics.median(inside),
    }


PROCESSES = {"without": without_hooks, "with": with_hooks}


def in_process(kind: str) -> dict[str, float]:
    """Measure one kind in a process of its own: hooks cannot be taken off again."""
    command = [sys.executable, __file__, "--process", kind]
    figures: dict[str, float] = json.loads(subprocess.check_output(command, text=True))
    return figures


def measure() -> dict[str, float]:
    """The median over rounds, a round being a process without hooks and one with them."""
    rounds = [{**in_process("without"), **in_process("with")} for _ in range(ROUNDS)]
    for figures in rounds:
        base = figures["without_hooks_ns"]
        figures["added_between_captures_ns"] = figures["between_captures_ns"] - base
        figures["added_inside_a_capture_ns"] = figures["inside_a_capture_ns"] - base
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--process", choices=PROCESSES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.process:
        kernel = Kernel()
        for _ in range(BATCHES // 4):
            kernel.nanoseconds()
        print(json.dumps(PROCESSES[arguments.process](kernel)))
        return 0
    figures = measure()
    for name, value in figures.items():
        print(f"{name:28} {value:8.0f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")
    worst = max(figures["added_between_captures_ns"], figures["added_inside_a_capture_ns"])
    verdict = "ok" if worst < LIMIT_NANOSECONDS else "too slow"
    print(f"an untraced launch costs {worst:.0f} ns more; limit {LIMIT_NANOSECONDS} ns: {verdict}")
    return verdict != "ok"


if __name__ == "__main__":
    sys.exit(main())
