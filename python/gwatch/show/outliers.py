"""``--outliers``: the slowest instances of each scope against its own median."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.context import Context, table
from gwatch.show.text import field

_WORST_OF_SCOPE = 3


def outlier_lines(context: Context) -> list[str]:
    """Render a row a scope, most excess first, and the slowest instances."""
    found = _found(context, context.limit)
    slow = [entry for entry in found if entry.slow_count]
    factor = f"{libpygwatch.SLOW_FACTOR:g}"
    if not slow:
        text = f"no instance took more than {factor} times the median (p50) of its scope"
        return field("outliers", text, context.style)
    text = (
        f"slow: more than {factor} times the median (p50) of the scope; excess: what the slow "
        "ones took beyond p50"
    )
    lines = field("outliers", text, context.style)
    rows = [["scope", "instances", "slow", "p50", "p95", "slowest", "excess", "of total"]]
    for entry in slow[: context.limit]:
        rows.append(
            [
                context.plain_name(entry.scope),
                units.count(entry.count),
                units.count(entry.slow_count),
                units.duration(entry.p50_ns),
                units.duration(entry.p95_ns),
                units.duration(entry.slowest[0].duration_ns),
                units.duration(entry.excess_ns),
                units.percent(entry.excess_ns, entry.total_ns),
            ]
        )
    lines += table(rows, context.style)
    lines += context.rest(len(slow), "scope")
    return lines + _slowest(context, slow)


def outlier_facts(context: Context) -> dict[str, Any]:
    """Collect the same as data."""
    return {
        "slow_factor": libpygwatch.SLOW_FACTOR,
        "scopes": [
            {
                "scope": context.raw_name(entry.scope),
                "count": entry.count,
                "p50_ns": entry.p50_ns,
                "p95_ns": entry.p95_ns,
                "total_ns": entry.total_ns,
                "slow_count": entry.slow_count,
                "excess_ns": entry.excess_ns,
                "slowest": [
                    {
                        **context.warp_facts(slow.lane),
                        "start_ns": slow.start_ns,
                        "duration_ns": slow.duration_ns,
                        **_payload_facts(context, slow),
                    }
                    for slow in entry.slowest
                ],
            }
            for entry in _found(context, context.limit)[: context.limit]
        ],
    }


def _found(context: Context, limit: int) -> list[libpygwatch.ScopeOutliers]:
    found = libpygwatch.find_outliers(context.run, limit)
    return [entry for entry in found if context.wants(entry.scope)]


def _payload_facts(context: Context, slow: libpygwatch.SlowSlice) -> dict[str, int | float | str]:
    carried = libpygwatch.slice_payload(context.run, slow.slice)
    return {} if carried is None else {"payload": carried}


def _slowest(context: Context, slow: list[libpygwatch.ScopeOutliers]) -> list[str]:
    each = max(_WORST_OF_SCOPE, context.limit // len(slow))
    shown = [(entry, found) for entry in slow for found in entry.slowest[:each]]
    rows = [["the slowest: scope", "warp", "SM", "at", "took", "times p50"]]
    carried = ["payload"]
    for entry, found in shown[: max(context.limit, 1)]:
        rows.append(
            [
                context.plain_name(entry.scope),
                context.warp(found.lane),
                str(context.run.lanes[found.lane].sm),
                units.duration(found.start_ns),
                units.duration(found.duration_ns),
                f"{found.duration_ns / entry.p50_ns:,.1f}" if entry.p50_ns else "-",
            ]
        )
        carried.append(str(_payload_facts(context, found).get("payload", "")))
    if any(carried[1:]):
        rows = [[*row, value] for row, value in zip(rows, carried, strict=True)]
    return table(rows, context.style, left=(0, 1))
