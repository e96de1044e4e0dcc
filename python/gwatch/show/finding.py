"""The first paragraph: what the archive's own figures say, in plain words."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.context import Context, holders, ranges, time_facts
from gwatch.show.text import field, shorten

_GROUPS = 3
_LONG_TAIL = 2.0
_LEAST_SHARE = 0.02


def finding_lines(context: Context) -> list[str]:
    """Lay the paragraph out."""
    return field("finding", finding(context), context.style)


def finding(context: Context) -> str:
    """Say who spent how much of its life where, and what stands out."""
    parts = [_lives(context), _tail(context), _missing(context.run)]
    return " ".join(part for part in parts if part)


def group_facts(context: Context) -> list[dict[str, Any]]:
    """Write the groups of warps as data."""
    return [
        {
            "scopes": None if group.is_rest else [context.raw_name(i) for i in group.scopes],
            "warps_of_block": ranges(group.warps),
            "warps": group.count,
            **time_facts(context, group.time),
        }
        for group in context.groups
    ]


def _lives(context: Context) -> str:
    groups = context.groups
    if not groups:
        return "No warp was recorded."
    if not context.statistics:
        lifetime = sum(group.time.lifetime_ns for group in groups) / len(context.run.lanes)
        warps = units.count(len(context.run.lanes), "warp")
        return f"{warps}, {units.duration(lifetime)} each on average, ran no scope to its end."
    if len(groups) == 1:
        group = groups[0]
        few = {1: "The one warp", 2: "Both warps"}
        who = few.get(group.count, f"All {group.count:,} warps")
        return f"{who} {_spent(context, group, group.count)}."
    text = f"By the scopes that they ran there are {_number(groups)} groups of warps."
    for group in groups[:_GROUPS]:
        text += f" {_group(context, group)} {_spent(context, group, len(group.warps))}."
    return text


def _number(groups: list[libpygwatch.WarpGroup]) -> str:
    return f"more than {len(groups) - 1}" if groups[-1].is_rest else str(len(groups))


def _group(context: Context, group: libpygwatch.WarpGroup) -> str:
    if group.is_rest:
        return f"The others ({units.count(group.count, 'warp')})"
    noun = "Warp" if len(group.warps) == 1 else "Warps"
    # The busiest scopes name a group better than all of them.
    busiest = sorted(group.scopes, key=lambda scope: -group.time.self_ns[scope])[:2]
    names = ", ".join(context.name(scope, 30) for scope in busiest) or "no scope"
    more = len(group.scopes) - len(busiest)
    names += f" and {more} more" if more else ""
    return f"{noun} {shorten(ranges(group.warps), 20)} of a block ({group.count:,} in all: {names})"


def _spent(context: Context, group: libpygwatch.WarpGroup, number: int) -> str:
    """Say where warps spent their time, by innermost scope."""
    shares = [
        (name, units.percent(ns, group.time.lifetime_ns))
        for name, ns in holders(context, group.time, 3)
    ]
    if not shares:
        return "lived no time"
    its = "its" if number == 1 else "their"
    words = [f"{shares[0][1]} of {its} time in {shares[0][0]}"]
    words += [f"{share} in {name}" for name, share in shares[1:]]
    return "spent " + (f"{', '.join(words[:-1])} and {words[-1]}" if words[1:] else words[0])


def _tail(context: Context) -> str:
    """Name the scope whose slow instances are farthest from its usual ones."""
    lifetime = context.summary.lifetime_ns
    tails = [
        (entry.p95_ns / entry.p50_ns, entry)
        for entry in context.statistics
        if entry.p50_ns > 0 and entry.count >= 20 and entry.total_ns >= _LEAST_SHARE * lifetime
    ]
    if not tails:
        return ""
    ratio, entry = max(tails, key=lambda tail: tail[0])
    if ratio < _LONG_TAIL:
        return ""
    return (
        f"The longest tail has {context.name(entry.scope, 30)}: p50 "
        f"{units.duration(entry.p50_ns)}, p95 {units.duration(entry.p95_ns)} ({ratio:.1f} times)."
    )


def _missing(run: libpygwatch.Run) -> str:
    counts = run.counts
    parts = []
    if counts.dropped_events:
        parts.append(f"{units.count(counts.dropped_events, 'dropped event')}")
    open_scopes = counts.orphan_starts + counts.orphan_ends
    if open_scopes:
        parts.append(f"{units.count(open_scopes, 'half scope')} (a start or an end alone)")
    return f"Not in these figures: {' and '.join(parts)}." if parts else ""
