"""The ASCII timeline: a row a warp, a letter a cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, zip_longest

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.letters import OTHER
from gwatch.show.text import NO_BREAK, Style, clean, field, shorten

LABEL_WIDTH = 8
"""Columns in front of the cells."""
GAP = "."
OUTSIDE = " "
_LEGEND_NAME_WIDTH = 30
_LEGEND_LINES = 18
_LEGEND_NAMES = 24
"""Scopes that keep their letters where a legend of all would have more lines than that."""
_ALL_SHOWN = "all blocks are shown"


def timeline_lines(
    run: libpygwatch.Run,
    timeline: libpygwatch.TextTimeline,
    letters: Sequence[str],
    style: Style,
    most_rows: int | None = None,
) -> list[str]:
    """Render the grid of cells with its legend, ``most_rows`` of a block; None: all of them."""
    shown = [_telling_rows(block.rows, most_rows) for block in timeline.blocks]
    rows = sum(map(len, shown))
    if not rows:
        return field("timeline", "no warp was recorded", style)
    cells = len(shown[0][0].cells)
    if len(_legend(run, timeline, letters, style)) > _LEGEND_LINES:
        letters = _most_used(letters, timeline)
    lines = field("timeline", _caption(timeline, rows), style)
    lines += [" " * LABEL_WIDTH + "|" + _ruler(cells, timeline.cell_ns)]
    for block, block_rows in zip(timeline.blocks, shown, strict=True):
        lines.append(shorten(_block_line(run, block), style.width))
        for row in block_rows:
            lines.append(
                f"warp {row.warp}".rjust(LABEL_WIDTH - 1) + " |" + _cells(row, letters, style)
            )
        left_out = len(block.rows) - len(block_rows)
        if left_out:
            lines.append(f"  {units.count(left_out, 'more warp')} of this block (--warp, --block)")
    in_run = sum(len(block.rows) for block in timeline.blocks)
    whole = "the time shown" if rows == in_run else "the time of all warps of these blocks"
    return lines + _legend(run, timeline, letters, style, whole)


def _telling_rows(
    rows: Sequence[libpygwatch.TimelineRow], most: int | None
) -> list[libpygwatch.TimelineRow]:
    """Pick rows in turns from those that show the same scopes, so that each role is there."""
    if most is None or len(rows) <= most:
        return list(rows)
    roles: dict[frozenset[int], list[libpygwatch.TimelineRow]] = {}
    for row in rows:
        roles.setdefault(frozenset(row.cells), []).append(row)
    in_turns = [row for turn in zip_longest(*roles.values()) for row in turn if row]
    return sorted(in_turns[:most], key=lambda row: row.warp)


def _most_used(letters: Sequence[str], timeline: libpygwatch.TextTimeline) -> list[str]:
    """Take the letters from scopes that hold the fewest cells, and of these the least time."""
    cells = Counter(
        cell for block in timeline.blocks for row in block.rows for cell in row.cells if cell >= 0
    )
    times = timeline.innermost_ns
    ranked = sorted(range(len(letters)), key=lambda scope: (-cells[scope], -times[scope]))
    kept = set(ranked[:_LEGEND_NAMES])
    return [letter if scope in kept else OTHER for scope, letter in enumerate(letters)]


def cell_text(row: libpygwatch.TimelineRow, letters: Sequence[str]) -> str:
    """Write the cells of a row as plain letters."""
    return "".join(_letter(cell, letters) for cell in row.cells)


def _letter(cell: int, letters: Sequence[str]) -> str:
    if cell >= 0:
        return letters[cell]
    return GAP if cell == libpygwatch.GAP_CELL else OUTSIDE


def _cells(row: libpygwatch.TimelineRow, letters: Sequence[str], style: Style) -> str:
    text = ""
    for cell, repeated in groupby(row.cells):
        run_of_cells = _letter(cell, letters) * len(list(repeated))
        text += style.scope(cell, run_of_cells) if cell >= 0 else run_of_cells
    return text.rstrip(OUTSIDE)


def _caption(timeline: libpygwatch.TextTimeline, rows: int) -> str:
    all_shown = all(block.reason == _ALL_SHOWN for block in timeline.blocks)
    text = f"{rows:,} of {units.count(timeline.lanes_in_run, 'warp')}"
    if not all_shown:
        text += " (--block and --warp pick others, --from-ns and --to-ns zoom)"
    return (
        f"{text}; a column is {units.duration(timeline.cell_ns)} and shows what held most of it; "
        f"the axis counts from each block's own 'from'"
    )


def _ruler(cells: int, cell_ns: float) -> str:
    text = ""
    for column in range(0, cells, 20):
        mark = f"+{units.duration(column * cell_ns)}" if column else "0 ns"
        if column + len(mark) <= cells:
            text = text.ljust(column) + mark
    return text


def _block_line(run: libpygwatch.Run, block: libpygwatch.TimelineBlock) -> str:
    multiprocessors = ", ".join(map(str, sorted({row.sm for row in block.rows})))
    reason = "" if block.reason == _ALL_SHOWN else f": {block.reason}"
    return (
        f"block {block.block}{_place(run, block.block)} on SM {multiprocessors}, "
        f"from {units.duration(block.begin_ns)}{reason}"
    )


def _place(run: libpygwatch.Run, block: int) -> str:
    width, height, depth = (max(extent, 1) for extent in run.launch.grid)
    if height == depth == 1:
        return ""
    return f" (x {block % width}, y {block // width % height}, z {block // (width * height)})"


def _legend(
    run: libpygwatch.Run,
    timeline: libpygwatch.TextTimeline,
    letters: Sequence[str],
    style: Style,
    whole: str = "the time shown",
) -> list[str]:
    total = sum(timeline.innermost_ns) + timeline.gap_ns
    entries = []
    for index, time in enumerate(timeline.innermost_ns):
        if time > 0 and letters[index] != OTHER:
            name = shorten(clean(run.scopes[index].name), _LEGEND_NAME_WIDTH)
            entries.append(f"{letters[index]} {name} {units.percent(time, total)}")
    others = sum(
        time for index, time in enumerate(timeline.innermost_ns) if letters[index] == OTHER
    )
    if others:
        entries.append(f"{OTHER} other scopes {units.percent(others, total)}")
    entries.append(f"{GAP} no scope {units.percent(timeline.gap_ns, total)}")
    text = (
        " | ".join(entry.replace(" ", NO_BREAK) for entry in entries)
        + f" (exact shares of {whole}, by innermost scope; blank: not alive)"
    )
    return field("legend", text, style)
