"""``--bubbles``: the stretches in no scope, between which scopes and on which warps."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.context import ENTRY, EXIT, Context, table
from gwatch.show.text import field


def bubble_lines(context: Context) -> list[str]:
    """Render the kinds of bubbles, most time first, and the longest ones."""
    bubbles = _found(context)
    if not bubbles.count:
        text = "there is no stretch in no scope"
        if context.scopes:
            text += " right before or after the scopes that --scope names"
        return field("bubbles", text, context.style)
    share = units.percent(bubbles.total_ns, bubbles.lifetime_ns)
    text = (
        f"{units.count(bubbles.count, 'bubble')} (stretches in no scope), "
        f"{units.duration(bubbles.total_ns)} summed over warps, {share} of their time"
    )
    lines = field("bubbles", text, context.style)
    rows = [["after", "before", "count", "mean", "longest", "total", "of life"]]
    for kind in bubbles.kinds[: context.limit]:
        rows.append(
            [
                context.name(kind.before, 28, ENTRY),
                context.name(kind.after, 28, EXIT),
                units.count(kind.count),
                units.duration(kind.total_ns / kind.count),
                units.duration(kind.longest_ns),
                units.duration(kind.total_ns),
                units.percent(kind.total_ns, bubbles.lifetime_ns),
            ]
        )
    lines += table(rows, context.style, left=(0, 1))
    lines += context.rest(len(bubbles.kinds), "kind")
    rows = [["the longest: warp", "after", "before", "at", "SM", "length"]]
    for bubble in bubbles.longest:
        rows.append(
            [
                context.warp(bubble.lane),
                context.name(bubble.before, 24, ENTRY),
                context.name(bubble.after, 24, EXIT),
                units.duration(bubble.start_ns),
                str(context.run.lanes[bubble.lane].sm),
                units.duration(bubble.duration_ns),
            ]
        )
    return [*lines, *table(rows, context.style, left=(0, 1, 2))]


def bubble_facts(context: Context) -> dict[str, Any]:
    """Collect the same as data."""
    bubbles = _found(context)
    return {
        "count": bubbles.count,
        "total_ns": bubbles.total_ns,
        "lifetime_ns": bubbles.lifetime_ns,
        "kinds": [
            {
                "after_scope": context.raw_name(kind.before),
                "before_scope": context.raw_name(kind.after),
                "count": kind.count,
                "total_ns": kind.total_ns,
                "longest_ns": kind.longest_ns,
            }
            for kind in bubbles.kinds[: context.limit]
        ],
        "longest": [
            {
                **context.warp_facts(bubble.lane),
                "start_ns": bubble.start_ns,
                "duration_ns": bubble.duration_ns,
                "after_scope": context.raw_name(bubble.before),
                "before_scope": context.raw_name(bubble.after),
            }
            for bubble in bubbles.longest
        ],
    }


def _found(context: Context) -> libpygwatch.Bubbles:
    return libpygwatch.find_bubbles(context.run, context.limit, list(context.scopes))
