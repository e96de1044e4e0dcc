"""Statistics of pairs of times: the median of their ratios, and how sure it is. Needs no GPU."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence

RESAMPLES = 2000
CONFIDENCE = 0.95

Pairs = Sequence[tuple[float, float]]


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Where the median lies with CONFIDENCE, by the bootstrap: medians of samples drawn again."""
    generator = random.Random(0)
    medians = sorted(
        statistics.median(generator.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    tail = round((1 - CONFIDENCE) / 2 * RESAMPLES)
    return medians[tail], medians[-1 - tail]


def ratio_figures(times: Pairs) -> dict[str, float]:
    """Of the ratios of the pairs: the median, its interval, and the deciles at both ends."""
    ratios = [second / first for first, second in times]
    deciles = statistics.quantiles(ratios, n=10)
    low, high = median_interval(ratios)
    return {
        "first_ms": statistics.median(first for first, _ in times),
        "second_ms": statistics.median(second for _, second in times),
        "ratio": statistics.median(ratios),
        "ratio_low": low,
        "ratio_high": high,
        "ratio_p10": deciles[0],
        "ratio_p90": deciles[-1],
    }


def show_ratio(figures: dict[str, float]) -> str:
    """The median and its interval."""
    return f"{figures['ratio']:.4f} [{figures['ratio_low']:.4f} {figures['ratio_high']:.4f}]"
