"""All runs of a trace as text, for callers that hold one."""

from __future__ import annotations

from gwatch import libpygwatch
from gwatch.show.page import Choice, render_text
from gwatch.show.text import Style


def render_trace(trace: libpygwatch.Trace, style: Style | None = None) -> str:
    """Render every run as ``gwatch show`` does, in plain text unless ``style`` says else."""
    if not trace.runs:
        return "Nothing was traced."
    return "\n\n\n".join(
        render_text(trace, Choice(run=index), "", style or Style())
        for index in range(len(trace.runs))
    )
