"""A comparison as text."""

from __future__ import annotations

from typing import Any

from gwatch.diff import words
from gwatch.show import units
from gwatch.show.context import table
from gwatch.show.text import Style, clean, field, shorten

MAX_SCOPES = 15
_RUNS = 6
_FIGURES_OVER_LIMIT = 20
_LISTED_SCOPES = 10
_SCOPE_WIDTH = 40
_KERNEL_WIDTH = 240
_NARROW = 96
_LEFT_OUT = (4, 5)
"""Columns of scopes that give way on narrow terminals."""


def render_diff(facts: dict[str, Any], style: Style, limit: int = MAX_SCOPES) -> str:
    """Render a comparison; ``limit`` scopes a run at most."""
    top = [style.bold(f"gwatch diff | {clean(facts['before'])} -> {clean(facts['after'])}")]
    top += field("finding", words.finding(facts), style)
    sections = [top]
    shown = _most_changed(facts["runs"])
    sections += [_run(run, style, limit) for run in shown]
    left_out = len(facts["runs"]) - len(shown)
    if left_out:
        sections.append([f"{units.count(left_out, 'more run')} with less change (--json, --html)"])
    if not facts["runs"]:
        sections.append(["no kernel is in both traces"])
    sections.append(_unmatched(facts, limit))
    if facts["over_limit"]:
        sections.append(_over_limit(facts, style))
    if facts["runs"]:
        sections.append(_meaning(facts, style))
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _most_changed(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pick the runs with most changes by more than chance; in their own order."""

    def changes(place: int) -> int:
        return -sum(
            scope[metric]["verdict"] in ("higher", "lower")
            for scope in runs[place]["scopes"]
            for metric in ("p50_ns", "total_ns")
        )

    return [runs[place] for place in sorted(sorted(range(len(runs)), key=changes)[:_RUNS])]


def _run(run: dict[str, Any], style: Style, limit: int) -> list[str]:
    numbers = f"run {run['run_before']}"
    if run["run_after"] != run["run_before"]:
        numbers += f" -> {run['run_after']}"
    kernel = shorten(clean(run["kernel_demangled"] or run["kernel"]), _KERNEL_WIDTH)
    lines = field("kernel", f"{kernel} ({numbers})", style)
    for caution in run["cautions"]:
        lines += [
            style.warning(line) for line in field("CAUTION", clean(caution), Style(style.width))
        ]
    lines += _figures(run, style)
    lines += _scopes(run, style, limit)
    missing = [
        (name, [clean(scope["name"]) for scope in run["scopes"] if not scope[key]])
        for name, key in (("only before", "in_after"), ("only after", "in_before"))
    ]
    for name, scopes in missing:
        if scopes:
            lines += field(name, _listed(scopes), style)
    return lines


def _listed(scopes: list[str]) -> str:
    more = [units.count(len(scopes) - _LISTED_SCOPES, "more scope")]
    names = [shorten(name, _SCOPE_WIDTH) for name in scopes[:_LISTED_SCOPES]]
    return "scopes " + ", ".join(names + (more if len(scopes) > _LISTED_SCOPES else []))


def _figures(run: dict[str, Any], style: Style) -> list[str]:
    rows = [["", "before", "after", "change", "95 % interval"]]

    def add(name: str, change: dict[str, Any], write: Any) -> None:  # noqa: ANN401
        rows.append(
            [
                name,
                write(change["before"]),
                write(change["after"]),
                words.percent_change(change),
                words.interval(change) if "verdict" in change else "",
            ]
        )

    add("traced launch", run["span_ns"], words.duration)
    if run["kernel_time_ns"]:
        add("untraced kernel", run["kernel_time_ns"], words.duration)
    add("mean lifetime of a warp", run["lifetime_ns"], words.duration)
    add("of it in no scope", run["gap_share"], words.share)
    for name, title in words.BUILD_NAMES.items():
        change = run["original_build"][name]
        if change["before"] != change["after"] or name == "registers":
            add(title, change, _count)
    if run["occupancy"]:
        add("blocks an SM holds", run["occupancy"]["blocks_per_sm"], _count)
    return table(rows, style)


def _scopes(run: dict[str, Any], style: Style, limit: int) -> list[str]:
    both = [scope for scope in run["scopes"] if scope["count"]["before"] or scope["count"]["after"]]
    ordered = sorted(
        both, key=lambda scope: -max(scope["total_ns"]["before"], scope["total_ns"]["after"])
    )
    if not ordered:
        return ["  no scope has slices"]
    rows = [["scope", "count", "p50", "change", "95 % interval", "p95", "total", "share"]]
    rows += [_scope_row(scope) for scope in ordered[:limit]]
    if style.width < _NARROW:
        rows = [[cell for i, cell in enumerate(row) if i not in _LEFT_OUT] for row in rows]
    lines = ["", *table(rows, style, gap=1)]
    if len(ordered) > limit:
        lines.append(f"  {units.count(len(ordered) - limit, 'more scope')} (--limit, --json)")
    return lines


def _scope_row(scope: dict[str, Any]) -> list[str]:
    share = scope["share"]
    return [
        clean(scope["name"]),
        _counts(scope["count"]),
        words.durations(scope["p50_ns"]),
        _marked(scope["p50_ns"]),
        words.interval(scope["p50_ns"]),
        _marked(scope["p95_ns"]),
        _marked(scope["total_ns"]),
        f"{100 * (share['after'] - share['before']):+.1f} pt",
    ]


def _marked(change: dict[str, Any]) -> str:
    return f"{words.percent_change(change)} {words.MARKS[change['verdict']]}"


def _count(number: int | None) -> str:
    return "?" if number is None else units.count(number)


def _counts(change: dict[str, Any]) -> str:
    before, after = change["before"], change["after"]
    return units.count(before) if before == after else words.percent_change(change)


def _unmatched(facts: dict[str, Any], limit: int) -> list[str]:
    lines = []
    for key, name in (("only_before", "before"), ("only_after", "after")):
        for run in facts[key][:limit]:
            lines.append(f"only {name}: run {run['run']}, {shorten(clean(run['kernel']), 70)}")
        left_out = len(facts[key]) - limit
        if left_out > 0:
            lines.append(f"only {name}: {units.count(left_out, 'more run')} (--limit, --json)")
    return lines


def _over_limit(facts: dict[str, Any], style: Style) -> list[str]:
    lines = [style.warning(f"over the limit of {facts['limit_percent']:g} %")]
    several = len(facts["runs"]) > 1
    for entry in facts["over_limit"][:_FIGURES_OVER_LIMIT]:
        what = "a warp's life"
        if entry["scope"] is not None:
            what = shorten(clean(entry["scope"]), 60)
        if several:
            what = f"run {entry['run_before']}, {what}"
        percent = entry["change_percent"]
        grown = "from nothing" if percent is None else f"{percent:+,.1f} %"
        lines.append(f"  {what}: {entry['metric']} {grown}")
    left_out = len(facts["over_limit"]) - _FIGURES_OVER_LIMIT
    if left_out > 0:
        lines.append(f"  {units.count(left_out, 'more figure')} (--json)")
    return lines


def _drawn(run: dict[str, Any]) -> str:
    drawn = run["resampled"] or "nothing"
    return f"{drawn} (the same ones of both)" if run["paired"] else drawn


def _meaning(facts: dict[str, Any], style: Style) -> list[str]:
    units_drawn = sorted({_drawn(run) for run in facts["runs"]})
    text = (
        "+ more, - less: the 95 % interval excludes zero; = it does not; ? it is not known. Share: "
        "of the warps' time, in percentage points. "
        f"Intervals: bootstrap over {' and '.join(units_drawn)}, {facts['resamples']} resamples, "
        f"seed {facts['seed']}; they cover what varies inside these launches, not from launch to "
        "launch."
    )
    return field("reading", text, style)
