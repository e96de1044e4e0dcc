"""What ``do_trace`` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Generic, TypeVar

from gwatch import libpygwatch

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

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

    def to_arrow(self) -> pa.Table:
        """The slices as a pyarrow table, one row each (``pip install gwatch[arrow]``)."""
        from gwatch.common.arrow import to_arrow

        return to_arrow(self.to_trace())

    def to_pandas(self) -> pd.DataFrame:
        """The slices as a pandas DataFrame, one row each."""
        from gwatch.common.arrow import to_pandas

        return to_pandas(self.to_trace())

    def to_polars(self) -> pl.DataFrame:
        """The slices as a Polars DataFrame, one row each."""
        from gwatch.common.arrow import to_polars

        return to_polars(self.to_trace())

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
