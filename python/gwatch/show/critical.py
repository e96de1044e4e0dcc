"""``--critical``: where the longest warp of each block spent its life."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.context import Context, share_words, table, time_facts
from gwatch.show.text import field


def critical_lines(context: Context) -> list[str]:
    """Render what held the longest warps most, and the blocks that took longest."""
    paths = libpygwatch.critical_paths(context.run, context.limit)
    if not paths.blocks:
        return field("critical", "no warp was recorded", context.style)
    text = (
        f"the longest warp of each block ({paths.blocks:,}), by innermost scope, "
        f"{units.duration(paths.time.lifetime_ns)} summed"
    )
    lines = field("critical", text, context.style)
    rows = [["scope", "time", "of life", "held most in", "of blocks"]]
    led = _led(context, paths)
    for name, ns, blocks in led[: context.limit]:
        rows.append(
            [
                name,
                units.duration(ns),
                units.percent(ns, paths.time.lifetime_ns),
                units.count(blocks, "block"),
                units.percent(blocks, paths.blocks),
            ]
        )
    lines += table(rows, context.style)
    lines += context.rest(len(led), "scope")
    rows = [["the longest blocks", "took", "SM", "warp", "of which lived", "and spent it in"]]
    for warp in paths.slowest:
        lane = context.run.lanes[warp.lane]
        rows.append(
            [
                f"block {warp.block}",
                units.duration(warp.block_ns),
                str(lane.sm),
                str(lane.warp),
                units.duration(warp.time.lifetime_ns),
                share_words(context, warp.time, 2),
            ]
        )
    return lines + table(rows, context.style, left=(0, 5))


def critical_facts(context: Context) -> dict[str, Any]:
    """Collect the same as data."""
    paths = libpygwatch.critical_paths(context.run, context.limit)
    return {
        "blocks": paths.blocks,
        "longest_warps": time_facts(context, paths.time),
        "led_by": [
            {"scope": context.raw_name(scope), "blocks": blocks}
            for scope, blocks in enumerate(paths.led_blocks)
            if blocks
        ],
        "led_by_no_scope": paths.led_by_no_scope,
        "slowest_blocks": [
            {
                **context.warp_facts(warp.lane),
                "block_ns": warp.block_ns,
                **time_facts(context, warp.time),
            }
            for warp in paths.slowest
        ],
    }


def _led(context: Context, paths: libpygwatch.CriticalPaths) -> list[tuple[str, int, int]]:
    led = paths.led_blocks
    parts = [
        (context.plain_name(scope), ns, led[scope])
        for scope, ns in enumerate(paths.time.self_ns)
        if ns or led[scope]
    ]
    if paths.time.gap_ns or paths.led_by_no_scope:
        parts.append(("(no scope)", paths.time.gap_ns, paths.led_by_no_scope))
    return sorted(parts, key=lambda part: -part[1])
