"""How much tracing slows a kernel: the same launch, with its records and without, in pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gwatch import libpygwatch
from gwatch.cuda.trace._preparer import Preparer
from gwatch.errors import GwatchError

PAIRS = 40
"""That are counted. One more goes ahead of them, to warm up."""
_RUNS_OF_FN = 2 * (1 + PAIRS)
_LEAST_PAIRS = 5


@dataclass
class Measured:
    """What came of it."""

    overhead: libpygwatch.Overhead | None
    warning: str
    """Why there is no figure; else empty."""


def measure(
    fn: Callable[[], object],
    kernel_name_pattern: str,
    preparer: Preparer,
    buffer_bytes: int,
    warp_mask: int,
    blocks: tuple[int, int, int] = (0, 1, 0),
) -> Measured:
    """Run ``fn`` 82 times, and time its first matching launch each time, by turns.

    What ``fn`` raises ends the measurement and is told in the warning.
    """
    problem = ""
    try:
        libpygwatch.begin_timing(
            kernel_name_pattern, preparer.again, buffer_bytes, warp_mask, blocks
        )
    except GwatchError as error:
        return Measured(None, f"the overhead was not measured: {error}")
    try:
        for turn in range(_RUNS_OF_FN):
            libpygwatch.time_next(_is_traced(turn))
            fn()
    except Exception as error:
        problem = f"fn raised {type(error).__name__} when it ran again: {error}"
    finally:
        timed = libpygwatch.end_timing()
    if not problem and timed.failures:
        problem = str(timed.failures[0].error)
    pairs = pairs_of(timed.launches)
    if problem or len(pairs) < _LEAST_PAIRS:
        reason = problem or f"fn launched a matching kernel in {len(pairs)} pairs of runs only"
        return Measured(None, f"the overhead was not measured: {reason}")
    return Measured(overhead_of(pairs), "")


def _is_traced(turn: int) -> bool:
    """Within a pair the order changes from pair to pair, so that a drift cancels out."""
    pair, place = divmod(turn, 2)
    return (pair + place) % 2 == 1


def pairs_of(launches: list[libpygwatch.TimedLaunch]) -> list[tuple[float, float]]:
    """Durations (original, traced) in ns of each pair but the first."""
    by_turn = {launch.turn: launch for launch in launches}
    pairs: list[tuple[float, float]] = []
    for turn in range(2, _RUNS_OF_FN, 2):
        both = [by_turn[at] for at in (turn, turn + 1) if at in by_turn]
        durations = {launch.traced: launch.duration_ns for launch in both}
        if len(durations) == 2 and min(durations.values()) > 0:
            pairs.append((durations[False], durations[True]))
    return pairs


def overhead_of(pairs: list[tuple[float, float]]) -> libpygwatch.Overhead:
    """Sum up pairs of (original, traced) durations in ns; there must be one."""
    ratios = sorted(traced / original for original, traced in pairs)
    overhead = libpygwatch.Overhead()
    overhead.pairs = len(pairs)
    overhead.ratio = _quantile(ratios, 0.5)
    overhead.ratio_p10 = _quantile(ratios, 0.1)
    overhead.ratio_p90 = _quantile(ratios, 0.9)
    overhead.original_ns = _quantile(sorted(original for original, _ in pairs), 0.5)
    overhead.traced_ns = _quantile(sorted(traced for _, traced in pairs), 0.5)
    return overhead


def _quantile(ordered: list[float], share: float) -> float:
    """Between the two values around the place that the share names."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
