"""The table of scopes: how often each ran and how long it took."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.text import Style, clean, columns, pad, shorten

MAX_SCOPES = 12
_NARROW = 92
"""Columns below which the mean gives way to the names."""
_LEAST_NAME = 8
_COLUMNS = ("count", "min", "p50", "mean", "p95", "max", "total", "share")


def statistics_lines(
    run: libpygwatch.Run,
    statistics: Sequence[libpygwatch.ScopeStatistics],
    lifetime_ns: int,
    letters: Sequence[str],
    style: Style,
    limit: int = MAX_SCOPES,
    list_unseen: bool = True,
) -> list[str]:
    """Render the table, longest total first; ``lifetime_ns`` is summed over warps."""
    if not statistics:
        return [style.bold("scopes      ") + "no slices were recorded"]
    ordered = sorted(statistics, key=lambda entry: -entry.total_ns)
    shown = ordered[:limit]
    table = [list(_COLUMNS), *(_figures(entry, lifetime_ns) for entry in shown)]
    if style.width < _NARROW:
        table = _without(table, "mean")
    if _room(table, style) < _LEAST_NAME:
        table = _without(table, "min")
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    name_width = max(_room(table, style), _LEAST_NAME)
    scopes = run.scopes
    names = scope_labels([scopes[entry.scope] for entry in shown], name_width)
    name_width = max(len("scope"), *map(columns, names))
    lines = [style.bold("  " + "scope".ljust(name_width) + _aligned(table[0], widths))]
    for entry, name, row in zip(shown, names, table[1:], strict=True):
        letter = style.scope(entry.scope, letters[entry.scope])
        lines.append(f"{letter} {pad(name, name_width)}{_aligned(row, widths)}")
    if len(ordered) > len(shown):
        lines.append(f"  {units.count(len(ordered) - len(shown), 'more scope')} (--json lists all)")
    return lines + (_unseen(run, statistics) if list_unseen else [])


def _without(table: list[list[str]], title: str) -> list[list[str]]:
    left_out = table[0].index(title)
    return [row[:left_out] + row[left_out + 1 :] for row in table]


def _room(table: list[list[str]], style: Style) -> int:
    """Columns that the figures leave to a name."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return style.width - sum(widths) - len(widths) - 2


def scope_labels(scopes: Sequence[libpygwatch.Scope], width: int) -> list[str]:
    """Write names with their places in the source, as exactly as fits for all of them."""
    for place in (_file_and_line, _line, _nowhere):
        labels = [clean(scope.name) + place(scope) for scope in scopes]
        if max(map(columns, labels)) <= width:
            return labels
    return [shorten(label, width) for label in labels]


def _file_and_line(scope: libpygwatch.Scope) -> str:
    return f" {clean(os.path.basename(scope.file))}:{scope.line}" if scope.file else ""


def _line(scope: libpygwatch.Scope) -> str:
    return f" line {scope.line}" if scope.file else ""


def _nowhere(scope: libpygwatch.Scope) -> str:
    return ""


def _figures(entry: libpygwatch.ScopeStatistics, lifetime_ns: int) -> list[str]:
    times = (entry.min_ns, entry.p50_ns, entry.mean_ns, entry.p95_ns, entry.max_ns, entry.total_ns)
    return [
        units.count(entry.count),
        *(units.duration(time) for time in times),
        units.percent(entry.total_ns, lifetime_ns),
    ]


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(" " + cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def _unseen(run: libpygwatch.Run, statistics: Sequence[libpygwatch.ScopeStatistics]) -> list[str]:
    seen = {entry.scope for entry in statistics}
    names = [clean(scope.name) for index, scope in enumerate(run.scopes) if index not in seen]
    return [f"  no slices: {shorten(', '.join(names), 60)}"] if names else []
