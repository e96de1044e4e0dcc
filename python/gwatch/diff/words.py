"""Cells and sentences that the text and the page share."""

from __future__ import annotations

from typing import Any

from gwatch.show import units
from gwatch.show.text import clean

MARKS = {"higher": "+", "lower": "-", "same": "=", "unknown": "?"}
"""By verdict; ``gwatch diff`` explains them under its table."""
_MOST_PERCENT = 9999
BUILD_NAMES = {
    "registers": "registers a thread",
    "local_bytes": "local memory a thread, B",
    "spill_store_bytes": "spill stores, B",
    "spill_load_bytes": "spill loads, B",
    "static_shared_bytes": "static shared memory, B",
}


def percent_change(change: dict[str, Any]) -> str:
    """Write ``+12.3 %``; ``new`` where there was nothing before, ``?`` when not known."""
    if change["before"] is None or change["after"] is None:
        return "?"
    percent = change["change_percent"]
    if percent is None:
        return "new"
    return f"{percent:+,.1f} %" if percent < _MOST_PERCENT else f">{_MOST_PERCENT} %"


def interval(change: dict[str, Any]) -> str:
    """Write the interval of a change in percent of the figure before, or what is missing."""
    low, high, before = change["difference_low"], change["difference_high"], change["before"]
    if low is None:
        return ""
    if not before:
        return f"[{units.duration(low)}, {units.duration(high)}]"
    return f"[{100 * low / before:+,.1f}, {100 * high / before:+,.1f}] %"


def durations(change: dict[str, Any]) -> str:
    """Write both durations, ``210.0 -> 251.0 ns`` where they have one unit."""
    before, after = duration(change["before"]), duration(change["after"])
    number, _, unit = before.partition(" ")
    return f"{number if after.endswith(' ' + unit) else before} -> {after}"


def duration(ns: float | None) -> str:
    """Write a duration, or that it is not known."""
    return "?" if ns is None else units.duration(ns)


def share(part: float) -> str:
    """Write a share of 1 as percent."""
    return f"{100 * part:.1f} %"


def finding(facts: dict[str, Any]) -> str:
    """Say in a sentence or two what changed."""
    worse: list[str] = []
    better: list[str] = []
    for run in facts["runs"]:
        for scope in run["scopes"]:
            change = scope["p50_ns"]
            if change["verdict"] not in ("higher", "lower"):
                continue
            text = f"{clean(scope['name'])[:40]} {percent_change(change)} {interval(change)}"
            (worse if change["verdict"] == "higher" else better).append(text.strip())
    parts = []
    if worse:
        parts.append(f"Slower by their median (p50): {_list(worse)}.")
    if better:
        parts.append(f"Faster: {_list(better)}.")
    if not parts:
        parts.append("No scope's median (p50) changed by more than chance explains.")
    if facts["limit_percent"] is not None:
        parts.append(_verdict(facts))
    return " ".join(parts)


def _verdict(facts: dict[str, Any]) -> str:
    limit = f"{facts['limit_percent']:g} %"
    metrics = " or ".join(facts["limit_metrics"])
    number = len(facts["over_limit"])
    if not number:
        return f"Nothing grew by more than {limit} ({metrics})."
    return f"FAILED: {units.count(number, 'figure')} grew by more than {limit} ({metrics})."


def _list(items: list[str]) -> str:
    shown = items[:4]
    more = len(items) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
