"""What every view of a run is given, and the words that they share."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.text import Style, clean, columns, pad, shorten

UNLIMITED = 1 << 40
ENTRY = "(entry)"
EXIT = "(exit)"
_NARROWEST = 8


@dataclass
class Context:
    """One run, narrowed to what was asked for.

    Attributes:
        run: with only the warps that were chosen.
        created: when the trace was made, ISO 8601.
        scopes: indices of the scopes that were chosen; empty means all.
        limit: rows of a table at most.
        begin_ns: start of the time window, where a view has one.
        end_ns: its end.
        style: how lines are written.
    """

    run: libpygwatch.Run
    created: str = ""
    scopes: Sequence[int] = field(default_factory=tuple)
    limit: int = 12
    begin_ns: int | None = None
    end_ns: int | None = None
    style: Style = field(default_factory=Style)

    @cached_property
    def all_scopes(self) -> list[libpygwatch.Scope]:
        """The table of scopes; the run makes a copy each time."""
        return list(self.run.scopes)

    @cached_property
    def statistics(self) -> list[libpygwatch.ScopeStatistics]:
        """Of scopes that have slices."""
        return libpygwatch.scope_statistics(self.run)

    @cached_property
    def summary(self) -> libpygwatch.PipelineSummary:
        """How warps spent their lives."""
        return libpygwatch.pipeline_summary(self.run)

    @cached_property
    def groups(self) -> list[libpygwatch.WarpGroup]:
        """Warps by the scopes that they ran."""
        return libpygwatch.warp_groups(self.run)

    @cached_property
    def self_ns(self) -> list[int]:
        """Time of each scope as the innermost, summed over warps."""
        total = [0] * len(self.all_scopes)
        for group in self.groups:
            total = [sum(pair) for pair in zip(total, group.time.self_ns, strict=True)]
        return total

    def wants(self, scope: int) -> bool:
        """Whether a scope was chosen."""
        return not self.scopes or scope in self.scopes

    def name(self, scope: int, width: int = 1 << 20, none: str = "(no scope)") -> str:
        """Write a scope's name for a terminal; ``none`` stands for no scope."""
        return none if scope == libpygwatch.NO_SCOPE else shorten(self.plain_name(scope), width)

    def plain_name(self, scope: int) -> str:
        """Write a scope's whole name for a terminal."""
        return clean(self.all_scopes[scope].name)

    def raw_name(self, scope: int) -> str | None:
        """Give a scope's own name, for data; None for no scope."""
        return None if scope == libpygwatch.NO_SCOPE else self.all_scopes[scope].name

    def warp(self, lane: int) -> str:
        """Say which warp a lane is."""
        found = self.run.lanes[lane]
        return f"block {found.block} warp {found.warp}"

    def warp_facts(self, lane: int) -> dict[str, int]:
        """Say the same as data."""
        found = self.run.lanes[lane]
        return {"block": found.block, "warp": found.warp, "sm": found.sm}

    def rest(self, number: int, noun: str) -> list[str]:
        """Say how many rows were left out, if any."""
        left = number - self.limit
        return [f"  {units.count(left, f'more {noun}')} (--limit, --all)"] if left > 0 else []


def holders(context: Context, time: libpygwatch.TimeShares, most: int) -> list[tuple[str, int]]:
    """Name what held most of some warps' time, scopes and the gap between them, most first."""
    parts = [(context.name(i, 30), ns) for i, ns in enumerate(time.self_ns) if ns > 0]
    if time.gap_ns > 0:
        parts.append(("no scope", time.gap_ns))
    return sorted(parts, key=lambda part: -part[1])[:most]


def share_words(context: Context, time: libpygwatch.TimeShares, most: int = 3) -> str:
    """Write the same as ``wait 38.1 %, mma 30.2 %``."""
    return ", ".join(
        f"{name} {units.percent(ns, time.lifetime_ns)}" for name, ns in holders(context, time, most)
    )


def time_facts(context: Context, time: libpygwatch.TimeShares) -> dict[str, Any]:
    """Write shares of time as data."""
    return {
        "lifetime_ns": time.lifetime_ns,
        "no_scope_ns": time.gap_ns,
        "innermost": [
            {"scope": context.raw_name(i), "ns": ns} for i, ns in enumerate(time.self_ns) if ns > 0
        ],
    }


def table(
    rows: Sequence[Sequence[str]], style: Style, left: Collection[int] = (0,), gap: int = 2
) -> list[str]:
    """Lay out rows, the first in bold; columns of ``left`` start left, the others end right.

    The widest of the left columns give way when the rows are too wide.
    """
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    excess = sum(widths) + gap * (len(widths) - 1) + 2 - style.width
    while excess > 0:
        widest = max(left, key=lambda column: widths[column])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
        excess -= 1
    lines = []
    for number, row in enumerate(rows):
        cells = [
            pad(shorten(cell, width), width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = ("  " + (" " * gap).join(cells)).rstrip()
        lines.append(style.bold(line) if number == 0 else line)
    return lines


def ranges(numbers: Sequence[int]) -> str:
    """Write ascending numbers as ``0-3,5``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
