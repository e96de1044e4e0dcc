"""Figures with their units, in ASCII and short enough for a table."""

from __future__ import annotations

_DURATIONS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"))
_SIZES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def duration(ns: float) -> str:
    """Write a duration with four significant digits in the unit that fits, such as ``12.35 us``.

    Below a microsecond a whole number of ns has no decimals, a fraction one (or two below 1 ns).
    """
    for scale, unit in _DURATIONS:
        if abs(ns) >= scale * 0.99995:
            return f"{_four_digits(ns / scale)} {unit}"
    if isinstance(ns, int):
        return f"{ns} ns"
    return f"{ns:.1f} ns" if abs(ns) >= 1 else f"{ns:.2f} ns"


def size(count: int) -> str:
    """Write a number of bytes, such as ``96 KiB``."""
    for scale, unit in _SIZES:
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count} B"


def count(number: int, noun: str = "") -> str:
    """Write a count with separators and its noun, ``1 warp`` or ``8,192 warps``."""
    text = f"{number:,}"
    if not noun:
        return text
    return f"{text} {noun if number == 1 else noun + 's'}"


def percent(part: float, whole: float) -> str:
    """Write a share, ``61.2 %``; of nothing it is ``0.0 %``."""
    return f"{100 * part / whole if whole else 0:.1f} %"


def _four_digits(number: float) -> str:
    magnitude = abs(number)
    if magnitude < 9.9995:
        return f"{number:.3f}"
    if magnitude < 99.995:
        return f"{number:.2f}"
    if magnitude < 999.95:
        return f"{number:.1f}"
    return f"{number:,.0f}"
