"""``--concurrency``: how many warps are in each scope over time, and which scopes overlap."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.context import Context, table
from gwatch.show.text import field, pad

LEVELS = " .:-=+*#@"
"""From none to a row's own peak."""
_NAME_WIDTH = 24
_FIGURE_WIDTH = 9


def concurrency_lines(context: Context) -> list[str]:
    """Render a row a scope, most warps first, and the pairs of scopes that met."""
    cells = context.style.width - _NAME_WIDTH - 2 * _FIGURE_WIDTH - 5
    found = _found(context, cells)
    if not len(context.run.lanes):
        return field("concurrency", "no warp was recorded", context.style)
    text = (
        f"warps in each scope, from {units.duration(found.begin_ns)} to "
        f"{units.duration(found.end_ns)}; a warp counts for its innermost scope; a column is "
        f"{units.duration(found.cell_ns)} and shows its mean, from '.' to '@', "
        "the row's peak"
    )
    lines = [
        *field("concurrency", text, context.style),
        f"  {'':<{_NAME_WIDTH}}{'mean':>{_FIGURE_WIDTH}}{'peak':>{_FIGURE_WIDTH}}  warps over time",
        _row("alive", found.alive),
        _row("in no scope", found.in_no_scope),
    ]
    order = _order(context, found)
    for scope in order[: context.limit]:
        lines.append(_row(context.name(scope, _NAME_WIDTH - 1), found.scopes[scope]))
    lines += context.rest(len(order), "scope")
    return [*lines, *_pairs(context, found)]


def concurrency_facts(context: Context, cells: int = 60) -> dict[str, Any]:
    """Collect the same as data."""
    found = _found(context, cells)

    def row(warps: libpygwatch.WarpsOverTime) -> dict[str, Any]:
        return {
            "mean_warps": warps.mean,
            "peak_warps": max(warps.cells),
            "time_ns": warps.time_ns,
            "warps": [round(cell, 4) for cell in warps.cells],
        }

    return {
        "begin_ns": found.begin_ns,
        "end_ns": found.end_ns,
        "cell_ns": found.cell_ns,
        "alive": row(found.alive),
        "in_no_scope": row(found.in_no_scope),
        "scopes": [
            {"scope": context.raw_name(scope), **row(found.scopes[scope])}
            for scope in _order(context, found)[: context.limit]
        ],
        "pairs": [
            {
                "first": context.raw_name(pair.first),
                "second": context.raw_name(pair.second),
                "first_ns": pair.first_ns,
                "second_ns": pair.second_ns,
                "both_ns": pair.both_ns,
            }
            for pair in _wanted_pairs(context, found)[: context.limit]
        ],
    }


def _found(context: Context, cells: int) -> libpygwatch.Concurrency:
    return libpygwatch.concurrency(context.run, cells, context.begin_ns, context.end_ns)


def _order(context: Context, found: libpygwatch.Concurrency) -> list[int]:
    rows = found.scopes
    seen = [i for i, row in enumerate(rows) if row.time_ns > 0 and context.wants(i)]
    return sorted(seen, key=lambda scope: -rows[scope].time_ns)


def _row(name: str, warps: libpygwatch.WarpsOverTime) -> str:
    peak = max(warps.cells)
    top = len(LEVELS) - 1
    # Whatever is there at all shows.
    drawn = "".join(
        LEVELS[max(1, round(cell / peak * top)) if cell > 0 else 0] for cell in warps.cells
    )
    return (
        f"  {pad(name, _NAME_WIDTH)}{_figure(warps.mean):>{_FIGURE_WIDTH}}"
        f"{_figure(peak):>{_FIGURE_WIDTH}} |{drawn}|"
    )


def _figure(warps: float) -> str:
    return f"{warps:,.0f}" if warps >= 1000 else f"{warps:.3g}"


def _wanted_pairs(
    context: Context, found: libpygwatch.Concurrency
) -> list[libpygwatch.ScopeOverlap]:
    return [pair for pair in found.pairs if context.wants(pair.first) or context.wants(pair.second)]


def _pairs(context: Context, found: libpygwatch.Concurrency) -> list[str]:
    pairs = _wanted_pairs(context, found)
    if not pairs:
        what = "scope ran beside one that --scope names," if context.scopes else "two scopes ran"
        return [f"  no {what} at the same time on different warps of a block"]
    rows = [["at the same time on a block", "and", "together", "of the 1st", "of the 2nd"]]
    for pair in pairs[: context.limit]:
        rows.append(
            [
                context.name(pair.first, 28),
                context.name(pair.second, 28),
                units.duration(pair.both_ns),
                units.percent(pair.both_ns, pair.first_ns),
                units.percent(pair.both_ns, pair.second_ns),
            ]
        )
    return [*table(rows, context.style, left=(0, 1)), *context.rest(len(pairs), "pair")]
