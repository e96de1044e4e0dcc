"""Times two builds of a kernel by turns, after a pause and behind a spin kernel. Needs PyTorch."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

PAUSE_SECONDS = 0.003
SPIN_CYCLES = 200_000
LONG_SPIN_CYCLES = 2_000_000  # 1 ms: longer than a profiler's work at a launch
WARM_UP_PAIRS = 5

Launch = Callable[[], object]


def capture_launch(launch: Launch) -> torch.cuda.CUDAGraph:
    """A graph of what a function launches."""
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        launch()
    graph.instantiate()
    return graph


def time_launch(
    launch: Launch, reset: Launch | None = None, spin_cycles: int = SPIN_CYCLES
) -> float:
    """Milliseconds of what a function launches.

    The spin kernel touches no memory and is still running when the host has launched all else.
    """
    if reset:
        reset()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    time.sleep(PAUSE_SECONDS)
    torch.cuda._sleep(spin_cycles)
    start.record()
    launch()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def compare(
    first: Launch,
    second: Launch,
    pairs: int,
    reset_second: Launch | None = None,
    spin_cycles: int = SPIN_CYCLES,
) -> list[tuple[float, float]]:
    """Interleaved pairs of times; which of the two goes first alternates."""

    def time_first() -> float:
        return time_launch(first, None, spin_cycles)

    def time_second() -> float:
        return time_launch(second, reset_second, spin_cycles)

    times = []
    for pair in range(WARM_UP_PAIRS + pairs):
        if pair % 2:
            second_time, first_time = time_second(), time_first()
        else:
            first_time, second_time = time_first(), time_second()
        times.append((first_time, second_time))
    return times[WARM_UP_PAIRS:]
