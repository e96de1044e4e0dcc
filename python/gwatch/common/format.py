"""Report files: sections in, one file out, its format picked by the extension."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable
from importlib import resources
from typing import Protocol

from gwatch import PRODUCER, libpygwatch
from gwatch.errors import UsageError

MOST_HTML_SLICES = 30_000_000
"""A page with more is written with a warning: at 10 million it opens within a second or two."""


class Section(Protocol):
    """A part of a report: anything with runs."""

    runs: list[libpygwatch.Run]


def _write_archive(trace: libpygwatch.Trace, path: str) -> None:
    libpygwatch.write_archive(trace, PRODUCER, path)


def _write_html(trace: libpygwatch.Trace, path: str, embed_source: bool = True) -> None:
    slices = sum(len(run.slices) for run in trace.runs)
    if slices > MOST_HTML_SLICES:
        warnings.warn(
            f"'{path}' holds {slices / 1e6:.0f} million slices: a browser needs seconds and "
            "gigabytes to open it. Trace fewer blocks (blocks=..., warps=...), or write .json.",
            stacklevel=4,
        )
    data = resources.files("gwatch.data")
    script = data.joinpath("viewer.js").read_text("utf-8")
    style = data.joinpath("viewer.css").read_text("utf-8")
    libpygwatch.write_html(trace, path, script, style, PRODUCER, embed_source)


WRITERS: dict[str, Callable[[libpygwatch.Trace, str], None]] = {
    ".json": _write_archive,
    ".json.gz": _write_archive,
    ".html": _write_html,
}
"""The writer of each extension."""


def write_trace(
    trace: libpygwatch.Trace, path: str | os.PathLike[str], *, embed_source: bool = True
) -> None:
    """Write a trace to a file.

    Args:
        trace: what to write.
        path: the file; ``.json`` and ``.json.gz`` are the archive, ``.html`` is a page.
        embed_source: put the lines around scopes into a page, of source files that are at hand.

    Raises:
        UsageError: another extension.
        FileError: the file cannot be written.
    """
    write = writer_for(path)
    if write is _write_html:
        write = functools.partial(_write_html, embed_source=embed_source)
    write(trace, os.fspath(path))


def writer_for(path: str | os.PathLike[str]) -> Callable[[libpygwatch.Trace, str], None]:
    """Find the writer of a file by its extension.

    Raises:
        UsageError: no report has this extension.
    """
    name = os.fspath(path)
    for extension, write in WRITERS.items():
        if name.endswith(extension):
            return write
    raise UsageError(
        f"cannot tell the format of '{name}' from its extension",
        hint=f"Use one of {', '.join(WRITERS)}.",
    )


class File:
    """A report file.

    Args:
        title: what the report is headed with.
        embed_source: see :func:`write_trace`.
    """

    def __init__(self, title: str = "Intra-kernel trace", *, embed_source: bool = True) -> None:
        self.title = title
        self.embed_source = embed_source
        self.sections: list[Section] = []

    def add_section(self, section: Section) -> None:
        """Add a section; sections keep their order."""
        self.sections.append(section)

    def render(self, path: str | os.PathLike[str]) -> None:
        """Write the report; see :func:`write_trace` for formats and errors."""
        from gwatch.cuda.trace._result import make_trace

        runs = [run for section in self.sections for run in section.runs]
        write_trace(make_trace(self.title, runs), path, embed_source=self.embed_source)
