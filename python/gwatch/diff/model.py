"""The comparison of two traces as plain data; every face of ``gwatch diff`` renders this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gwatch import libpygwatch
from gwatch.common.build_facts import BUILD_FACTS
from gwatch.errors import UsageError

FORMAT = "gwatch-diff"
FORMAT_VERSION = 1
CONFIDENCE_PERCENT = 95
METRICS = ("p50", "p95", "total", "lifetime")
"""What can be limited: the first three of every scope, the mean lifetime of a warp of every run."""


@dataclass(frozen=True)
class Limit:
    """How much slower is too much.

    Attributes:
        percent: a figure may grow by this much.
        metrics: those of METRICS that it holds for.
    """

    percent: float
    metrics: Sequence[str] = ("p50", "total")


def check_metrics(metrics: Sequence[str]) -> None:
    """Refuse what is none of METRICS.

    Raises:
        UsageError: one of them is not.
    """
    for metric in metrics:
        if metric not in METRICS:
            raise UsageError(f"no metric is named '{metric}'", hint=f"Use {', '.join(METRICS)}.")


def diff_traces(
    before: libpygwatch.Trace,
    after: libpygwatch.Trace,
    names: tuple[str, str] = ("before", "after"),
    *,
    limit: Limit | None = None,
    seed: int = 1,
    resamples: int = 500,
) -> dict[str, Any]:
    """Compare two traces; ``names`` are the files that they came from.

    Runs match by the name of the kernel and, among those of one kernel, by order.
    """
    pairs, only_before, only_after = match_runs(before, after)
    runs = [_run_facts(before.runs[i], after.runs[j], (i, j), seed, resamples) for i, j in pairs]
    facts: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "before": names[0],
        "after": names[1],
        "confidence_percent": CONFIDENCE_PERCENT,
        "resamples": resamples,
        "seed": seed,
        "runs": runs,
        "only_before": [_unmatched(before, i) for i in only_before],
        "only_after": [_unmatched(after, i) for i in only_after],
        "limit_percent": None if limit is None else limit.percent,
        "limit_metrics": [] if limit is None else list(limit.metrics),
    }
    facts["over_limit"] = [] if limit is None else over_limit(runs, limit)
    return facts


def match_runs(
    before: libpygwatch.Trace, after: libpygwatch.Trace
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pair the runs of two traces: pairs of indices, and those left over on each side."""
    waiting: dict[str, list[int]] = {}
    for index, run in enumerate(after.runs):
        waiting.setdefault(run.launch.kernel, []).append(index)
    pairs = []
    only_before = []
    for index, run in enumerate(before.runs):
        found = waiting.get(run.launch.kernel)
        if found:
            pairs.append((index, found.pop(0)))
        else:
            only_before.append(index)
    return pairs, only_before, sorted(index for left in waiting.values() for index in left)


def over_limit(runs: Sequence[dict[str, Any]], limit: Limit) -> list[dict[str, Any]]:
    """List what grew by more than a limit allows: its interval excludes zero, too."""
    found = []
    for run in runs:
        figures = [(None, "lifetime", run["lifetime_ns"])]
        for scope in run["scopes"]:
            if scope["in_before"] and scope["in_after"]:
                figures += [(scope["name"], name, scope[f"{name}_ns"]) for name in METRICS[:3]]
        for scope_name, metric, change in figures:
            if metric in limit.metrics and _is_over(change, limit.percent):
                found.append(
                    {
                        "run_before": run["run_before"],
                        "kernel": run["kernel"],
                        "scope": scope_name,
                        "metric": metric,
                        "change_percent": change["change_percent"],
                    }
                )
    return found


def _is_over(change: dict[str, Any], percent: float) -> bool:
    if change["verdict"] != "higher":
        return False
    grown: float | None = change["change_percent"]
    return grown is None or grown > percent


def _run_facts(
    before: libpygwatch.Run,
    after: libpygwatch.Run,
    indices: tuple[int, int],
    seed: int,
    resamples: int,
) -> dict[str, Any]:
    diff = libpygwatch.diff_runs(before, after, resamples, seed)
    return {
        "kernel": before.launch.kernel,
        "kernel_demangled": before.launch.kernel_demangled,
        "run_before": indices[0] + 1,
        "run_after": indices[1] + 1,
        "resampled": diff.resampled or None,
        "paired": diff.is_paired,
        "cautions": _cautions(before, after),
        "span_ns": _figures(before.time.span_ns, after.time.span_ns),
        "lifetime_ns": _change(diff.lifetime_ns),
        "gap_share": _change(diff.gap_share),
        "launch": {
            name: [_plain(getattr(before.launch, name)), _plain(getattr(after.launch, name))]
            for name in ("device", "grid", "block", "cluster", "dynamic_shared_bytes")
        },
        "original_build": _builds(before.compile.original, after.compile.original),
        "traced_build": _builds(before.compile.traced, after.compile.traced),
        "occupancy": _occupancy(before, after),
        "kernel_time_ns": _kernel_time(before, after),
        "scopes": [_scope(scope) for scope in diff.scopes],
    }


def _scope(scope: libpygwatch.ScopeChange) -> dict[str, Any]:
    return {
        "name": scope.name,
        "in_before": scope.before is not None,
        "in_after": scope.after is not None,
        "count": _figures(scope.count_before, scope.count_after),
        "p50_ns": _change(scope.p50_ns),
        "p95_ns": _change(scope.p95_ns),
        "total_ns": _change(scope.total_ns),
        "share": _change(scope.share),
    }


def _change(change: libpygwatch.Change) -> dict[str, Any]:
    facts = _figures(change.before, change.after)
    interval = change.difference
    facts["difference_low"] = None if interval is None else interval.low
    facts["difference_high"] = None if interval is None else interval.high
    if interval is None:
        facts["verdict"] = "unknown"
    elif not interval.excludes_zero:
        facts["verdict"] = "same"
    else:
        facts["verdict"] = "higher" if interval.low > 0 else "lower"
    return facts


def _figures(before: float | None, after: float | None) -> dict[str, Any]:
    percent = None
    if before is not None and after is not None and before > 0:
        percent = 100 * (after - before) / before
    elif before == after and before is not None:
        percent = 0.0
    return {"before": before, "after": after, "change_percent": percent}


def _cautions(before: libpygwatch.Run, after: libpygwatch.Run) -> list[str]:
    """Say what makes the two hard to compare."""
    cautions = []
    if before.launch.device != after.launch.device:
        cautions.append(f"devices differ: {before.launch.device}, {after.launch.device}")
    for name in ("grid", "block", "cluster"):
        shapes = [" x ".join(map(str, getattr(run.launch, name))) for run in (before, after)]
        if shapes[0] != shapes[1]:
            cautions.append(f"{name} differs: {shapes[0]}, {shapes[1]}")
    clocks = [run.time.clock_mhz for run in (before, after)]
    if min(clocks) > 0 and max(clocks) > 1.02 * min(clocks):
        cautions.append(f"SM clocks differ: {clocks[0]:,.0f} MHz, {clocks[1]:,.0f} MHz")
    for name, run in (("before", before), ("after", after)):
        if run.counts.dropped_events:
            cautions.append(f"{run.counts.dropped_events:,} events were dropped in '{name}'")
    recorded = [run.counts.warps_recorded for run in (before, after)]
    if recorded[0] != recorded[1]:
        cautions.append(f"recorded warps differ: {recorded[0]:,}, {recorded[1]:,}")
    return cautions


def _builds(before: libpygwatch.BuildFacts, after: libpygwatch.BuildFacts) -> dict[str, Any]:
    return {name: _known(getattr(before, name), getattr(after, name)) for name in BUILD_FACTS}


def _known(before: int, after: int) -> dict[str, Any]:
    return _figures(*(None if figure < 0 else figure for figure in (before, after)))


def _occupancy(before: libpygwatch.Run, after: libpygwatch.Run) -> dict[str, Any] | None:
    if before.fidelity is None or after.fidelity is None:
        return None
    return {
        "blocks_per_sm": _known(
            before.fidelity.original.blocks_per_sm, after.fidelity.original.blocks_per_sm
        ),
        "warps_per_sm": _known(
            before.fidelity.original.warps_per_sm, after.fidelity.original.warps_per_sm
        ),
    }


def _kernel_time(before: libpygwatch.Run, after: libpygwatch.Run) -> dict[str, Any] | None:
    """Of the original kernels, where the overhead was measured."""
    overheads = [
        run.fidelity.overhead if run.fidelity is not None else None for run in (before, after)
    ]
    if overheads[0] is None or overheads[1] is None:
        return None
    return _figures(overheads[0].original_ns, overheads[1].original_ns)


def _unmatched(trace: libpygwatch.Trace, index: int) -> dict[str, Any]:
    return {"run": index + 1, "kernel": trace.runs[index].launch.kernel}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, (list, tuple)) else value
