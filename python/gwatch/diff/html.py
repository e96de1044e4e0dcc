"""A comparison as one small page without scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from typing import Any

from gwatch import PRODUCER
from gwatch.diff import words
from gwatch.show import units

_STYLE = """
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 76rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .6rem 0 1.2rem; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; max-width: 24rem; overflow-wrap: anywhere; }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
td:first-child { white-space: normal; }
.higher { color: light-dark(#b3261e, #ff8a80); font-weight: 600; }
.lower { color: light-dark(#1b6e2c, #7ddc8f); font-weight: 600; }
.caution { border-left: 4px solid #d98e04; padding-left: .6rem; }
.failed { border-left: 4px solid #b3261e; padding-left: .6rem; font-weight: 600; }
small { opacity: .75; }
"""


def render_page(facts: dict[str, Any]) -> str:
    """Render a comparison as a page that loads nothing and runs nothing."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"{facts['before']} \u2192 {facts['after']}"
    verdict = ' class="failed"' if facts["over_limit"] else ""
    body = [
        f"<h1>gwatch diff: <bdi>{escape(title)}</bdi></h1>",
        f"<p{verdict}>{escape(words.finding(facts))}</p>",
        *(_run(run) for run in facts["runs"]),
        *_unmatched(facts),
        f"<p><small>{escape(_meaning(facts))}</small></p>",
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f'<meta name="generator" content="{escape(PRODUCER)}">\n'
        f"<title>gwatch diff: {escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _run(run: dict[str, Any]) -> str:
    name = run["kernel_demangled"] or run["kernel"]
    cautions = "".join(f'<p class="caution">{escape(text)}</p>' for text in run["cautions"])
    return (
        f"<section><h2><bdi>{escape(name)}</bdi>, run {run['run_before']} \u2192 "
        f"{run['run_after']}</h2>{cautions}{_figures(run)}{_scopes(run)}</section>"
    )


def _figures(run: dict[str, Any]) -> str:
    def times(name: str, change: dict[str, Any]) -> list[str]:
        return [
            _cell(name),
            _cell(words.duration(change["before"])),
            _cell(words.duration(change["after"])),
            *_changed(change),
        ]

    rows = [times("traced launch", run["span_ns"])]
    if run["kernel_time_ns"]:
        rows.append(times("untraced kernel", run["kernel_time_ns"]))
    rows.append(times("mean lifetime of a warp", run["lifetime_ns"]))
    gap = run["gap_share"]
    rows.append(
        [
            _cell("of it in no scope"),
            _cell(words.share(gap["before"])),
            _cell(words.share(gap["after"])),
            *_changed(gap),
        ]
    )
    counted = [(words.BUILD_NAMES[name], run["original_build"][name]) for name in words.BUILD_NAMES]
    if run["occupancy"]:
        counted.append(("blocks an SM holds", run["occupancy"]["blocks_per_sm"]))
    for name, change in counted:
        figures = [
            "?" if change[key] is None else units.count(change[key]) for key in ("before", "after")
        ]
        rows.append([_cell(name), *map(_cell, figures), *_changed(change)])
    return _table(["", "before", "after", "change", "95 % interval"], rows)


def _scopes(run: dict[str, Any]) -> str:
    rows = []
    for scope in run["scopes"]:
        row = [_cell(scope["name"], "bdi")]
        row += [_cell(units.count(scope["count"][key])) for key in ("before", "after")]
        for name in ("p50_ns", "p95_ns", "total_ns"):
            change = scope[name]
            row += [_cell(words.duration(change[key])) for key in ("before", "after")]
            row += _changed(change)
        row += [_cell(words.share(scope["share"][key])) for key in ("before", "after")]
        rows.append(row)
    heads = ["scope", "count", "\u2192"]
    for name in ("p50", "p95", "total"):
        heads += [name, "\u2192", "change", "95 % interval"]
    return _table([*heads, "share", "\u2192"], rows) if rows else "<p>No scope.</p>"


def _changed(change: dict[str, Any]) -> list[str]:
    verdict = change.get("verdict", "")
    return [
        _cell(words.percent_change(change), "", verdict),
        _cell(words.interval(change) if verdict else ""),
    ]


def _cell(text: str, tag: str = "", name: str = "") -> str:
    inner = escape(text)
    inner = f"<{tag}>{inner}</{tag}>" if tag else inner
    return (
        f'<td class="{name}">{inner}</td>' if name in ("higher", "lower") else f"<td>{inner}</td>"
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _unmatched(facts: dict[str, Any]) -> list[str]:
    return [
        f"<p>Only {name}: run {run['run']}, <bdi>{escape(run['kernel'])}</bdi></p>"
        for key, name in (("only_before", "before"), ("only_after", "after"))
        for run in facts[key]
    ]


def _meaning(facts: dict[str, Any]) -> str:
    return (
        "Coloured changes: the 95 % interval excludes zero. Intervals are of a bootstrap "
        f"({facts['resamples']} resamples, seed {facts['seed']}) and cover what varies inside "
        "these launches, not from launch to launch."
    )
