"""A traced call as tests want it: figures of scopes by name, assertions, a stored baseline."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from gwatch import libpygwatch
    from gwatch.cuda.trace import TraceResult

Value = TypeVar("Value")


@dataclass(frozen=True)
class ScopeFigures:
    """One scope of one run; durations in ns.

    Attributes:
        name: of the scope.
        count: its slices.
        min_ns: the shortest.
        p50_ns: the median.
        mean_ns: the mean.
        p95_ns: the 95th percentile, linear between ranks.
        max_ns: the longest.
        total_ns: all of them, summed over warps.
        share: of the summed lifetimes of the run's warps, 0 to 1.
        warps: that had at least one.
    """

    name: str
    count: int
    min_ns: int
    p50_ns: float
    mean_ns: float
    p95_ns: float
    max_ns: int
    total_ns: int
    share: float
    warps: int


@dataclass
class Baseline:
    """Where the stored archives are.

    Attributes:
        folder: of the archives; None: nothing is compared.
        update: store what was traced instead of comparing with it.
        key: of the test that compares.
        notes: what was done, for the test's report.
    """

    folder: Path | None = None
    update: bool = False
    key: str = "trace"
    notes: list[str] = field(default_factory=list)

    def path(self, folder: Path, name: str) -> Path:
        """Name the archive of one comparison; unlike keys never share a file."""
        readable = re.sub(r"[^A-Za-z0-9_.]+", "-", self.key).strip("-.")[-80:]
        digest = hashlib.sha256(f"{self.key}\n{name}".encode()).hexdigest()[:10]
        suffix = "-" + re.sub(r"[^A-Za-z0-9_.]+", "-", name)[:40] if name else ""
        return folder / f"{readable}{suffix}-{digest}.json.gz"


class TracedCall(Generic[Value]):
    """What ``gwatch_trace`` gives: the traced launches of one call.

    Attributes:
        result: what ``do_trace`` returned.
    """

    def __init__(self, result: TraceResult[Value], baseline: Baseline | None = None) -> None:
        self.result = result
        self._baseline = baseline or Baseline()

    @property
    def runs(self) -> list[libpygwatch.Run]:
        """The traced launches, in order."""
        return self.result.runs

    @property
    def value(self) -> Value:
        """What the traced function returned."""
        return self.result.value

    def scope(self, name: str, run: int = 0) -> ScopeFigures:
        """Give the figures of a scope.

        Raises:
            AssertionError: the run has no such scope, or it never ran to its end.
        """
        from gwatch import libpygwatch

        traced = self._run(run)
        names = [scope.name for scope in traced.scopes]
        summary = libpygwatch.pipeline_summary(traced, 0)
        for entry in libpygwatch.scope_statistics(traced):
            if names[entry.scope] == name:
                return _figures(name, entry, summary.lifetime_ns)
        seen = ", ".join(names) or "none"
        raise AssertionError(f"no scope '{name}' ran to its end; the run has: {seen}")

    def assert_no_drops(self) -> None:
        """Assert that every marker that the recorded warps passed was recorded."""
        for number, run in enumerate(self.runs, 1):
            counts = run.counts
            _require(
                not counts.dropped_events,
                f"run {number} dropped {counts.dropped_events:,} events: "
                f"buffer_bytes={counts.buffer_bytes_needed} would have held all",
            )

    def assert_all_closed(self) -> None:
        """Assert that every scope that started ended, on the same threads."""
        for number, run in enumerate(self.runs, 1):
            starts, ends = run.counts.orphan_starts, run.counts.orphan_ends
            _require(
                starts + ends == 0,
                f"run {number} has {starts:,} starts without an end and {ends:,} ends without a "
                "start",
            )

    def assert_not_slower(
        self,
        percent: float = 5.0,
        *,
        metrics: Sequence[str] = ("p50", "total"),
        name: str = "",
    ) -> None:
        """Assert that nothing grew against the stored baseline by more than ``percent``.

        A figure fails when it grew by more and its 95 % interval excludes zero. Without
        ``--gwatch-baseline`` nothing is compared, and the test's report says so.

        Args:
            percent: how much is still allowed.
            metrics: of ``p50``, ``p95``, ``total`` (each scope) and ``lifetime`` (of a warp).
            name: tells several comparisons of one test apart.

        Raises:
            AssertionError: something grew, there is no baseline, or a run or scope is gone.
        """
        baseline = self._baseline
        if baseline.folder is None:
            baseline.notes.append("not compared: run pytest with --gwatch-baseline DIR")
            return
        path = baseline.path(baseline.folder, name)
        if baseline.update:
            _store(self.result.to_trace("gwatch baseline"), path)
            baseline.notes.append(f"stored {path}")
            return
        _require(
            path.exists(),
            f"there is no baseline '{path}': run pytest with --gwatch-update to store one",
        )
        self._compare(path, percent, metrics)

    def _compare(self, path: Path, percent: float, metrics: Sequence[str]) -> None:
        from gwatch import libpygwatch
        from gwatch.diff.model import Limit, check_metrics, diff_traces
        from gwatch.diff.text import render_diff
        from gwatch.show.text import Style

        check_metrics(metrics)
        facts = diff_traces(
            libpygwatch.read_archive(str(path)),
            self.result.to_trace(),
            ("baseline", "now"),
            limit=Limit(percent, metrics),
        )
        self._baseline.notes.append(f"compared with {path}")
        gone = [run["kernel"] for run in facts["only_before"]]
        gone += [
            f"scope {scope['name']}"
            for run in facts["runs"]
            for scope in run["scopes"]
            if scope["count"]["before"] and not scope["count"]["after"]
        ]
        text = render_diff(facts, Style())
        _require(not gone, f"gone since the baseline: {', '.join(gone)}\n\n{text}")
        _require(not facts["over_limit"], f"slower than the baseline '{path}'\n\n{text}")

    def _run(self, index: int) -> libpygwatch.Run:
        _require(index < len(self.runs), f"only {len(self.runs)} launches were traced")
        return self.runs[index]


def _require(condition: bool, message: str) -> None:
    """Assert, under ``python -O`` too."""
    if not condition:
        raise AssertionError(message)


def _figures(name: str, entry: libpygwatch.ScopeStatistics, lifetime_ns: int) -> ScopeFigures:
    return ScopeFigures(
        name=name,
        count=entry.count,
        min_ns=entry.min_ns,
        p50_ns=entry.p50_ns,
        mean_ns=entry.mean_ns,
        p95_ns=entry.p95_ns,
        max_ns=entry.max_ns,
        total_ns=entry.total_ns,
        share=entry.total_ns / lifetime_ns if lifetime_ns else 0.0,
        warps=entry.warps,
    )


def _store(trace: libpygwatch.Trace, path: Path) -> None:
    """Write an archive whole or not at all."""
    from gwatch import PRODUCER, libpygwatch

    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder, "baseline.json.gz")
        libpygwatch.write_archive(trace, PRODUCER, str(made))
        os.replace(made, path)
