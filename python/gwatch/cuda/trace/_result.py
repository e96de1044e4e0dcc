"""What ``do_trace`` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Generic, TypeVar

from gwatch import libpygwatch

Value = TypeVar("Value")


@dataclass
class TraceResult(Generic[Value]):
    """The traced launches of one call of ``fn``.

    Attributes:
        runs: one a traced launch, in order of launch.
        value: what ``fn`` returned.
        warnings: what happened to launches that matched but were not traced; each run has its own,
            too.
    """

    runs: list[libpygwatch.Run]
    value: Value
    warnings: list[str] = field(default_factory=list)

    def to_trace(self, title: str = "Intra-kernel trace") -> libpygwatch.Trace:
        """The runs as one trace, ready to be written or shown."""
        return make_trace(title, self.runs)

    def summary(self) -> str:
        """The text that ``gwatch show`` prints of these runs."""
        from gwatch.show.summary import render_trace

        return render_trace(self.to_trace())


def make_trace(title: str, runs: list[libpygwatch.Run]) -> libpygwatch.Trace:
    """A trace of these runs, stamped with the present time."""
    trace = libpygwatch.Trace()
    trace.title = title
    trace.created = datetime.now(timezone.utc).isoformat(timespec="seconds")
    trace.runs = runs
    return trace
