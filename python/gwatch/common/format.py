"""Report files: sections in, one file out, its format picked by the extension."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from importlib import resources
from typing import Any, Protocol

from gwatch import PRODUCER, libpygwatch
from gwatch.common.formats import format_of
from gwatch.common.rank import with_rank
from gwatch.errors import UsageError

MOST_HTML_SLICES = 30_000_000
"""A page with more is written with a warning: at 10 million it opens within a second or two."""


class Section(Protocol):
    """A part of a report: anything with runs."""

    runs: list[libpygwatch.Run]


def _write_archive(trace: libpygwatch.Trace, path: str) -> None:
    libpygwatch.write_archive(trace, PRODUCER, path)


def _write_perfetto(trace: libpygwatch.Trace, path: str, by: str = "block") -> None:
    libpygwatch.write_perfetto(trace, path, PRODUCER, by)


def _write_chrome(trace: libpygwatch.Trace, path: str, by: str = "block") -> None:
    libpygwatch.write_chrome(trace, path, PRODUCER, by)


def _write_parquet(trace: libpygwatch.Trace, path: str, marks: bool = False) -> None:
    from gwatch.common.arrow import write_parquet

    write_parquet(trace, path, marks)


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


WRITERS: dict[str, Callable[..., None]] = {
    "html": _write_html,
    "chrome": _write_chrome,
    "archive": _write_archive,
    "perfetto": _write_perfetto,
    "parquet": _write_parquet,
}
"""The writer of each of gwatch.common.formats.FORMATS."""

PROCESSES = ("block", "sm")
"""What can be a process in Perfetto and Chrome."""


def write_trace(
    trace: libpygwatch.Trace,
    path: str | os.PathLike[str],
    *,
    embed_source: bool = True,
    strip_paths: bool = False,
    by: str = "block",
    marks: bool = False,
) -> None:
    """Write a trace to a file.

    Args:
        trace: what to write.
        path: the file. Its extension picks one of :data:`gwatch.common.formats.FORMATS`. ``{rank}``
            in it becomes this process's rank in a distributed job.
        embed_source: put the lines around scopes into a page, of source files that are at hand.
        strip_paths: leave only the last part of paths, numbers in place of host names, and no
            source text in pages. Changes ``trace``.
        by: what is a process in Perfetto and Chrome: ``"block"`` or ``"sm"``.
        marks: of a table, the marks instead of the slices.

    Raises:
        UsageError: another extension, no such ``by``, or ``marks`` for what is no table.
        FileError: the file cannot be written.
    """
    write = WRITERS[format_of(path).name]
    if by not in PROCESSES:
        raise UsageError(f"by='{by}': a process cannot be that", hint="Use 'block' or 'sm'.")
    if marks and write is not _write_parquet:
        raise UsageError(
            "only a table can be of the marks alone",
            hint="Write .parquet; other formats have both.",
        )
    options: dict[str, Any] = {}
    if write is _write_html:
        options["embed_source"] = embed_source and not strip_paths
    if write in (_write_perfetto, _write_chrome):
        options["by"] = by
    if write is _write_parquet:
        options["marks"] = marks
    if strip_paths:
        libpygwatch.strip_paths(trace)
    write(trace, with_rank(os.fspath(path)), **options)


def read_trace(path: str | os.PathLike[str]) -> libpygwatch.Trace:
    """Read an archive, ``.json`` or ``.json.gz``.

    Raises:
        ArchiveError: the file is no gwatch archive, is broken, or is of a newer version.
        FileError: the file cannot be read.
    """
    return libpygwatch.read_archive(os.fspath(path))


class File:
    """A report file.

    Args:
        title: what the report is headed with.
        embed_source: see :func:`write_trace`.
        strip_paths: see :func:`write_trace`; the section's own runs stay as they are.
    """

    def __init__(
        self,
        title: str = "Intra-kernel trace",
        *,
        embed_source: bool = True,
        strip_paths: bool = False,
    ) -> None:
        self.title = title
        self.embed_source = embed_source
        self.strip_paths = strip_paths
        self.sections: list[Section] = []

    def add_section(self, section: Section) -> None:
        """Add a section; sections keep their order."""
        self.sections.append(section)

    def render(self, path: str | os.PathLike[str]) -> None:
        """Write the report; see :func:`write_trace` for formats and errors."""
        from gwatch.cuda.trace._result import make_trace

        runs = [run for section in self.sections for run in section.runs]
        write_trace(
            make_trace(self.title, runs),
            path,
            embed_source=self.embed_source,
            strip_paths=self.strip_paths,
        )
