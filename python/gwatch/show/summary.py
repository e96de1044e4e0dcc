"""All runs of a trace as plain text, for scripts that print what they traced."""

from __future__ import annotations

from gwatch import libpygwatch
from gwatch.show.page import Choice, render_text
from gwatch.show.text import Style

WIDTH = 100


def render_trace(trace: libpygwatch.Trace) -> str:
    """Render every run as ``gwatch show`` would, without colours."""
    style = Style(WIDTH, False)
    return "\n\n".join(
        render_text(trace, Choice(run=run), trace.title, style) for run in range(len(trace.runs))
    )
