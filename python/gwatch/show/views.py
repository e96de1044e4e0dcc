"""The views that options of ``gwatch show`` pick, and the page that they make."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from typing import Any

from gwatch import libpygwatch
from gwatch.errors import UsageError
from gwatch.show import bubbles, concurrency, critical, outliers, payloads, source
from gwatch.show.context import UNLIMITED, Context
from gwatch.show.fidelity import NOT_COMPARED, fidelity_facts, fidelity_lines
from gwatch.show.finding import finding, finding_lines, group_facts
from gwatch.show.header import header_lines, warnings_of
from gwatch.show.letters import scope_letters
from gwatch.show.machine import FORMAT, FORMAT_VERSION, pipeline_facts, scope_facts, timeline_facts
from gwatch.show.page import Choice, block_rows, chosen_run, timeline_of
from gwatch.show.pipeline import pipeline_lines
from gwatch.show.runs import run_places
from gwatch.show.statistics import statistics_lines
from gwatch.show.text import Style, clean, field, shorten
from gwatch.show.timeline import LABEL_WIDTH, timeline_lines

_TEXT_ROWS = 12
_DATA_ROWS = 50
_JOINT_ROWS = 5
_DATA_CELLS = 60
_TIMELINE_ROWS = 16
_NAMES = 20
_NAME_WIDTH = 40
"""How many scopes an error lists, and how much of the name of each."""
_HEADER = ("kernel", "launch", "device")
_FIDELITY_HEADER = (*_HEADER, "assembler", "ptx")


def render_views(
    trace: libpygwatch.Trace, choice: Choice, views: Sequence[str], name: str, style: Style
) -> str:
    """Render some views of one run; ``name`` is the file that it came from.

    Raises:
        UsageError: the trace has no such run, block, warp or scope, or no such facts.
    """
    rows = _TEXT_ROWS if len(views) == 1 else _JOINT_ROWS
    context = make_context(trace, choice, rows, style)
    sections = [[*_top(trace, choice, views, name, context), *finding_lines(context)]]
    for view in views:
        if view == "fidelity" and context.run.fidelity is None and len(views) > 1:
            sections.append(field(view, f"none: {NOT_COMPARED}", style))
        else:
            sections += _TEXTS[view](trace, choice, context)
    return "\n\n".join("\n".join(lines) for lines in sections)


def render_view_facts(
    trace: libpygwatch.Trace, choice: Choice, views: Sequence[str], cells: int = _DATA_CELLS
) -> dict[str, Any]:
    """Collect the same as plain data; ``cells`` are those of time.

    Raises:
        UsageError: as render_views does.
    """
    context = make_context(trace, choice, _DATA_ROWS, Style())
    facts: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "title": trace.title,
        "created": trace.created,
        "run": choice.run + 1,
        "runs": [run.launch.kernel for run in trace.runs],
        "run_places": run_places(trace),
        "warnings": warnings_of(context.run),
        "finding": finding(context),
        "groups": group_facts(context),
    }
    for view in views:
        facts[view] = _FACTS[view](choice, context, cells)
    return facts


def make_context(trace: libpygwatch.Trace, choice: Choice, rows: int, style: Style) -> Context:
    """Narrow a run to what was asked for."""
    run = chosen_run(trace, choice)
    limit = UNLIMITED if choice.show_all else choice.limit or rows
    return Context(
        run=run,
        created=trace.created,
        scopes=matching_scopes(run, choice.scopes),
        limit=min(limit, UNLIMITED),
        begin_ns=choice.begin_ns,
        end_ns=choice.end_ns,
        style=style,
    )


def matching_scopes(run: libpygwatch.Run, patterns: Sequence[str]) -> tuple[int, ...]:
    """Find the scopes that patterns name: a name with ``*`` and ``?``, an id, or ids ``100-103``.

    Raises:
        UsageError: a pattern names no scope.
    """
    scopes = run.scopes
    found: set[int] = set()
    for pattern in patterns:
        matches = {index for index, scope in enumerate(scopes) if _matches(scope, pattern)}
        if not matches:
            names = [shorten(clean(scope.name), _NAME_WIDTH) for scope in scopes[:_NAMES]]
            more = [f"{len(scopes) - _NAMES:,} more"] if len(scopes) > _NAMES else []
            raise UsageError(
                f"no scope is named '{clean(pattern)}'",
                hint=f"The run has: {', '.join(names + more) or 'none'}.",
            )
        found |= matches
    return tuple(sorted(found))


def _matches(scope: libpygwatch.Scope, pattern: str) -> bool:
    if scope.name == pattern or fnmatch.fnmatchcase(scope.name, pattern):
        return True
    first, _, last = pattern.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        return False
    return int(first) <= scope.id <= int(last or first)


def _top(
    trace: libpygwatch.Trace, choice: Choice, views: Sequence[str], name: str, context: Context
) -> list[str]:
    labels = _FIDELITY_HEADER if "fidelity" in views else _HEADER
    lines = header_lines(trace, choice.run, name, context.style, labels)
    if choice.blocks or choice.warps:
        lanes = len(context.run.lanes)
        lines.append(f"{'chosen':<12}{lanes:,} of {len(trace.runs[choice.run].lanes):,} warps")
    return lines


def _statistics(context: Context) -> list[str]:
    return statistics_lines(
        context.run,
        [entry for entry in context.statistics if context.wants(entry.scope)],
        context.summary.lifetime_ns,
        scope_letters([scope.name for scope in context.all_scopes]),
        context.style,
        limit=max(context.limit, _TEXT_ROWS),
        list_unseen=not context.scopes,
    )


def _statistics_sections(
    trace: libpygwatch.Trace, choice: Choice, context: Context
) -> list[list[str]]:
    return [
        _statistics(context),
        pipeline_lines(context.summary, context.run.lanes, context.style),
    ]


def _timeline_section(
    trace: libpygwatch.Trace, choice: Choice, context: Context
) -> list[list[str]]:
    style = context.style
    rows = UNLIMITED if choice.show_all else choice.limit or _TIMELINE_ROWS
    timeline = timeline_of(context.run, choice, style.width - LABEL_WIDTH - 1, rows)
    letters = scope_letters([scope.name for scope in context.all_scopes])
    return [timeline_lines(context.run, timeline, letters, style, block_rows(choice))]


def _one(
    lines: Callable[[Context], list[str]],
) -> Callable[[libpygwatch.Trace, Choice, Context], list[list[str]]]:
    return lambda trace, choice, context: [lines(context)]


_TEXTS: dict[str, Callable[[libpygwatch.Trace, Choice, Context], list[list[str]]]] = {
    "statistics": _statistics_sections,
    "bubbles": _one(bubbles.bubble_lines),
    "timeline": _timeline_section,
    "concurrency": _one(concurrency.concurrency_lines),
    "outliers": _one(outliers.outlier_lines),
    "critical": _one(critical.critical_lines),
    "payloads": _one(payloads.payload_lines),
    "source": _one(source.source_lines),
    "fidelity": lambda trace, choice, context: fidelity_lines(context.run, context.style),
}


def _statistics_facts(choice: Choice, context: Context, cells: int) -> dict[str, Any]:
    letters = scope_letters([scope.name for scope in context.all_scopes])
    scopes = scope_facts(context.run, context.statistics, context.summary.lifetime_ns, letters)
    return {
        "scopes": [facts for index, facts in enumerate(scopes) if context.wants(index)],
        "pipeline": pipeline_facts(context.summary, context.run),
    }


def _timeline_facts(choice: Choice, context: Context, cells: int) -> dict[str, Any]:
    rows = UNLIMITED if choice.show_all else choice.limit or _DATA_ROWS
    timeline = timeline_of(context.run, choice, cells, rows)
    return timeline_facts(timeline, scope_letters([s.name for s in context.all_scopes]))


_FACTS: dict[str, Callable[[Choice, Context, int], Any]] = {
    "statistics": _statistics_facts,
    "bubbles": lambda choice, context, cells: bubbles.bubble_facts(context),
    "timeline": _timeline_facts,
    "concurrency": lambda choice, context, cells: concurrency.concurrency_facts(context, cells),
    "outliers": lambda choice, context, cells: outliers.outlier_facts(context),
    "critical": lambda choice, context, cells: critical.critical_facts(context),
    "payloads": lambda choice, context, cells: payloads.payload_facts(context),
    "source": lambda choice, context, cells: source.source_facts(context),
    "fidelity": lambda choice, context, cells: fidelity_facts(context.run),
}

VIEWS = tuple(_TEXTS)
"""Their names: the options, and the keys of the data."""
