"""The facts of a run as plain data for ``--json``; units stand in the names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gwatch import libpygwatch
from gwatch.common.build_facts import BUILD_FACTS
from gwatch.show.fidelity import fidelity_facts
from gwatch.show.header import warnings_of
from gwatch.show.runs import run_places
from gwatch.show.timeline import GAP, OUTSIDE, cell_text

FORMAT = "gwatch-show"
FORMAT_VERSION = 1

_LAUNCH = (
    "kernel",
    "kernel_demangled",
    "dsl",
    "device",
    "device_index",
    "grid",
    "block",
    "cluster",
    "dynamic_shared_bytes",
    "stream",
    "in_graph",
    "sm_count",
)
_COMPILE = (
    "assembler",
    "assembler_origin",
    "assembler_version",
    "assembler_flags",
    "ptx_version",
    "ptx_target",
    "ptx_source",
    "lowered_from",
    "remarks",
)
_COUNTS = (
    "events",
    "records",
    "dropped_events",
    "dropped_records",
    "orphan_starts",
    "orphan_ends",
    "warps_in_grid",
    "warps_recorded",
    "blocks_in_grid",
    "blocks_selected",
    "buffer_bytes",
    "buffer_bytes_needed",
)
_TIME = (
    "clock_mhz",
    "resolution_ns",
    "alignment_ns",
    "span_ns",
    "start_globaltimer_ns",
)
_STATISTICS = (
    "count",
    "min_ns",
    "p50_ns",
    "mean_ns",
    "p95_ns",
    "max_ns",
    "total_ns",
    "warps",
)
_PIPELINE = (
    "warps",
    "lifetime_ns",
    "active_ns",
    "gap_ns",
    "active_ratio",
)
_ACTIVITY = (
    "lifetime_ns",
    "active_ns",
    "gap_ns",
    "longest_gap_ns",
    "longest_gap_start_ns",
)


def run_facts(
    trace: libpygwatch.Trace,
    run_index: int,
    statistics: Sequence[libpygwatch.ScopeStatistics],
    summary: libpygwatch.PipelineSummary,
    timeline: libpygwatch.TextTimeline,
    letters: Sequence[str],
) -> dict[str, Any]:
    """Collect all that ``gwatch show`` prints, and what it leaves out for want of room."""
    run = trace.runs[run_index]
    compile_facts = _pick(run.compile, _COMPILE)
    compile_facts["original"] = _pick_known(run.compile.original, BUILD_FACTS)
    compile_facts["traced"] = _pick_known(run.compile.traced, BUILD_FACTS)
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "title": trace.title,
        "created": trace.created,
        "run": run_index + 1,
        "runs": [other.launch.kernel for other in trace.runs],
        "run_places": run_places(trace),
        "warnings": warnings_of(run),
        "launch": _pick(run.launch, _LAUNCH),
        "compile": compile_facts,
        "counts": _pick(run.counts, _COUNTS),
        "time": _pick(run.time, _TIME),
        "stage_seconds": dict(run.stage_seconds),
        "scopes": scope_facts(run, statistics, summary.lifetime_ns, letters),
        "pipeline": pipeline_facts(summary, run),
        "timeline": timeline_facts(timeline, letters),
        "fidelity": fidelity_facts(run),
    }


def _pick(facts: object, names: Sequence[str]) -> dict[str, Any]:
    picked = {name: getattr(facts, name) for name in names}
    return {
        name: list(value) if isinstance(value, (list, tuple)) else value
        for name, value in picked.items()
    }


def _pick_known(facts: object, names: Sequence[str]) -> dict[str, int | None]:
    return {name: value if value >= 0 else None for name, value in _pick(facts, names).items()}


def scope_facts(
    run: libpygwatch.Run,
    statistics: Sequence[libpygwatch.ScopeStatistics],
    lifetime_ns: int,
    letters: Sequence[str],
) -> list[dict[str, Any]]:
    """Write the table of scopes as data, in its order."""
    by_scope = {entry.scope: entry for entry in statistics}
    scopes = []
    for index, scope in enumerate(run.scopes):
        facts: dict[str, Any] = {
            "name": scope.name,
            "id": scope.id if scope.id >= 0 else None,
            "file": scope.file,
            "line": scope.line or None,
            "payload": scope.payload or None,
            "letter": letters[index],
            "count": 0,
        }
        if index in by_scope:
            facts |= _pick(by_scope[index], _STATISTICS)
            total = by_scope[index].total_ns
            facts["share_percent"] = 100 * total / lifetime_ns if lifetime_ns else 0.0
        scopes.append(facts)
    return scopes


def pipeline_facts(summary: libpygwatch.PipelineSummary, run: libpygwatch.Run) -> dict[str, Any]:
    """Write how busy warps were as data."""
    facts = _pick(summary, _PIPELINE)
    facts["most_gap"] = [
        {"block": run.lanes[entry.lane].block, "warp": run.lanes[entry.lane].warp}
        | _pick(entry, _ACTIVITY)
        for entry in summary.most_gap
    ]
    return facts


def timeline_facts(timeline: libpygwatch.TextTimeline, letters: Sequence[str]) -> dict[str, Any]:
    """Write the timeline as data."""
    return {
        "cell_ns": timeline.cell_ns,
        "gap": GAP,
        "outside_life": OUTSIDE,
        "innermost_ns_by_scope": list(timeline.innermost_ns),
        "gap_ns": timeline.gap_ns,
        "blocks": [
            {
                "block": block.block,
                "reason": block.reason,
                "begin_ns": block.begin_ns,
                "rows": [
                    {"warp": row.warp, "sm": row.sm, "cells": cell_text(row, letters)}
                    for row in block.rows
                ],
            }
            for block in timeline.blocks
        ],
    }
