"""Sections of a report that come from ``do_trace``."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.cuda.trace._result import TraceResult


class Section_IntraKernelTrace:
    """The traced launches of one or more ``do_trace`` calls, for ``gwatch.common.format.File``."""

    def __init__(self) -> None:
        self.runs: list[libpygwatch.Run] = []

    def add_run(self, result: TraceResult[Any]) -> None:
        """Add all launches of a result."""
        self.runs.extend(result.runs)
