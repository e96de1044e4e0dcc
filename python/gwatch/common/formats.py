"""The formats of report files: one list for the writers, the help texts and the errors."""

from __future__ import annotations

import os
from dataclasses import dataclass

from gwatch.errors import UsageError


@dataclass(frozen=True)
class Format:
    """A format of reports.

    Attributes:
        name: what the writer goes by.
        extensions: of its files; ``.gz`` packs.
        what: it is, in a few words.
    """

    name: str
    extensions: tuple[str, ...]
    what: str


FORMATS = (
    Format("html", (".html",), "a page"),
    Format("chrome", (".trace.json", ".trace.json.gz"), "for Chrome's trace viewers"),
    Format("archive", (".json", ".json.gz"), "the archive, which gwatch reads"),
    Format("perfetto", (".pftrace", ".pftrace.gz"), "for Perfetto"),
    Format("parquet", (".parquet",), "a table of slices"),
)
"""The first whose extension a name ends with is meant."""

EXTENSIONS = tuple(extension for format_ in FORMATS for extension in format_.extensions)


def described() -> str:
    """Name the extensions and what they stand for, for a help text."""
    return "; ".join(f"{', '.join(f.extensions)}: {f.what}" for f in FORMATS)


def format_of(path: str | os.PathLike[str]) -> Format:
    """Find the format of a file by its extension.

    Raises:
        UsageError: no report has this extension.
    """
    name = os.fspath(path)
    for format_ in FORMATS:
        if name.endswith(format_.extensions):
            return format_
    raise UsageError(
        f"cannot tell the format of '{name}' from its extension",
        hint=f"Use one of {', '.join(EXTENSIONS)}.",
    )
