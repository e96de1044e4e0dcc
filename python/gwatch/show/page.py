"""All sections of one run, as text or as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gwatch import libpygwatch
from gwatch.errors import UsageError
from gwatch.show import units
from gwatch.show.context import Context
from gwatch.show.finding import finding, finding_lines, group_facts
from gwatch.show.header import header_lines
from gwatch.show.letters import scope_letters
from gwatch.show.machine import run_facts
from gwatch.show.payloads import payload_hint
from gwatch.show.pipeline import pipeline_lines
from gwatch.show.statistics import statistics_lines
from gwatch.show.text import Style
from gwatch.show.timeline import LABEL_WIDTH, timeline_lines

_LINES = 60
_MIN_TIMELINE_ROWS = 8
_BLOCK_ROWS = 16
_JSON_CELLS = 80


@dataclass(frozen=True)
class Choice:
    """What to show of a trace.

    Attributes:
        run: index of the run, from 0.
        blocks: linear ids of the blocks of the timeline; empty lets gwatch choose.
        warps: warps of each block to draw; empty means all.
        begin_ns: start of the timeline's window in ns of the run; None: each block's own start.
        end_ns: end of that window; None: each block's own end.
        scopes: names or ids of the scopes of tables; empty means all.
        limit: rows of a table; None lets gwatch choose.
        show_all: leave no row out.
    """

    run: int = 0
    blocks: Sequence[int] = field(default_factory=tuple)
    warps: Sequence[int] = field(default_factory=tuple)
    begin_ns: int | None = None
    end_ns: int | None = None
    scopes: Sequence[str] = field(default_factory=tuple)
    limit: int | None = None
    show_all: bool = False


def render_text(trace: libpygwatch.Trace, choice: Choice, name: str, style: Style) -> str:
    """Render one run for a reader; ``name`` is the file it came from.

    Raises:
        UsageError: the trace has no such run, block or warp.
    """
    run = run_of(trace, choice)
    context = Context(run, style=style)
    summary = context.summary
    letters = scope_letters([scope.name for scope in context.all_scopes])
    sections = [
        header_lines(trace, choice.run, name, style),
        finding_lines(context),
        statistics_lines(run, context.statistics, summary.lifetime_ns, letters, style),
        [*pipeline_lines(summary, run.lanes, style), *payload_hint(context)],
    ]
    used = sum(len(lines) + 1 for lines in sections)
    timeline = timeline_of(
        run, choice, style.width - LABEL_WIDTH - 1, _LINES - used - _MIN_TIMELINE_ROWS
    )
    sections.append(timeline_lines(run, timeline, letters, style, block_rows(choice)))
    return "\n\n".join("\n".join(lines) for lines in sections)


def render_facts(
    trace: libpygwatch.Trace, choice: Choice, cells: int = _JSON_CELLS
) -> dict[str, Any]:
    """Collect the facts of one run as plain data; ``cells`` are those of a timeline row.

    Raises:
        UsageError: the trace has no such run, block or warp.
    """
    run = run_of(trace, choice)
    context = Context(run)
    facts = run_facts(
        trace,
        choice.run,
        context.statistics,
        context.summary,
        timeline_of(run, choice, cells, _LINES),
        scope_letters([scope.name for scope in context.all_scopes]),
    )
    return facts | {"finding": finding(context), "groups": group_facts(context)}


def run_of(trace: libpygwatch.Trace, choice: Choice) -> libpygwatch.Run:
    """Find the run that was asked for.

    Raises:
        UsageError: the trace has no such run.
    """
    if not trace.runs:
        raise UsageError(
            "the trace has no run", hint="Nothing was traced: see do_trace's own messages."
        )
    if not 0 <= choice.run < len(trace.runs):
        raise UsageError(
            f"the trace has no run {choice.run + 1}",
            hint=f"Pick one of 1 to {len(trace.runs)} with --run.",
        )
    run: libpygwatch.Run = trace.runs[choice.run]
    return run


def chosen_run(trace: libpygwatch.Trace, choice: Choice) -> libpygwatch.Run:
    """Find the run that was asked for, with only the blocks and warps that were.

    Raises:
        UsageError: the trace has no such run, or the run no such block or warp.
    """
    run = run_of(trace, choice)
    if not choice.blocks and not choice.warps:
        return run
    chosen = libpygwatch.select_warps(run, list(choice.blocks), list(choice.warps))
    if not len(chosen.lanes) and len(run.lanes):
        raise _no_such_warp(run)
    return chosen


def timeline_of(
    run: libpygwatch.Run, choice: Choice, cells: int, rows: int
) -> libpygwatch.TextTimeline:
    """Make the timeline of a run; its blocks and warps are those of the choice.

    Raises:
        UsageError: none of them was recorded.
    """
    timeline = libpygwatch.text_timeline(
        run,
        width=cells,
        max_rows=max(rows, _MIN_TIMELINE_ROWS),
        blocks=list(choice.blocks),
        warps=list(choice.warps),
        begin_ns=choice.begin_ns,
        end_ns=choice.end_ns,
    )
    if not timeline.blocks and (choice.blocks or choice.warps) and len(run.lanes):
        raise _no_such_warp(run)
    return timeline


def block_rows(choice: Choice) -> int | None:
    """Decide how many rows a block of the timeline has at most; None: all of them."""
    is_asked = choice.blocks or choice.warps or choice.show_all
    return None if is_asked else max(choice.limit or 0, _BLOCK_ROWS)


def _no_such_warp(run: libpygwatch.Run) -> UsageError:
    return UsageError(
        "no recorded warp is one of those that --block and --warp name",
        hint=f"The run has {units.count(len(run.lanes), 'warp')}, of the blocks "
        f"{run.lanes[0].block} to {run.lanes[len(run.lanes) - 1].block}.",
    )
