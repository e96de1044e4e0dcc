"""``--source``: the lines of scopes, their share of time, and their text where it is at hand."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import Any

from gwatch.show import units
from gwatch.show.context import Context, table
from gwatch.show.text import clean, field, shorten

EXTENSIONS = frozenset(
    f".{name}"
    for name in ("py", "cu", "cuh", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "ptx")
)
"""An archive can name any file of the machine: only what looks like source is read."""
LARGEST_FILE = 4 << 20


def source_lines(context: Context) -> list[str]:
    """Render a row a source line, most time first."""
    rows = _rows(context)
    if not rows:
        text = "no scope of the trace has a place in the source"
        return field("source", text, context.style)
    text = "time of the scopes that start at each line, while they are the innermost"
    lines = field("source", text, context.style)
    cells = [["line", "time", "of life", "count", "scopes"]]
    for row in rows[: context.limit]:
        cells.append(
            [
                f"{clean(os.path.basename(row['file']))}:{row['line']}",
                units.duration(row["innermost_ns"]),
                f"{row['share_percent']:.1f} %",
                units.count(row["count"]),
                ", ".join(map(clean, row["scopes"])),
            ]
        )
    laid_out = table(cells, context.style, left=(0, 4))
    lines.append(laid_out[0])
    for row, line in zip(rows, laid_out[1:], strict=False):
        lines.append(line)
        if row["text"] is not None:
            text = clean(row["text"].strip().expandtabs())
            lines.append("    | " + shorten(text, context.style.width - 6))
    lines += context.rest(len(rows), "line")
    if any(row["changed"] for row in rows[: context.limit]):
        lines.append("  a file was changed after the trace was made: its lines may have moved")
    if all(row["text"] is None for row in rows[: context.limit]):
        lines.append("  the source files are not at hand here")
    return lines


def source_facts(context: Context) -> dict[str, Any]:
    """Collect the same as data."""
    return {"lines": _rows(context)[: context.limit]}


def _rows(context: Context) -> list[dict[str, Any]]:
    counts = {entry.scope: entry.count for entry in context.statistics}
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for index, scope in enumerate(context.all_scopes):
        if not scope.file or not scope.line or not context.wants(index):
            continue
        row = rows.setdefault(
            (scope.file, scope.line),
            {
                "file": scope.file,
                "line": scope.line,
                "scopes": [],
                "count": 0,
                "innermost_ns": 0,
                "share_percent": 0.0,
            },
        )
        row["scopes"].append(scope.name)
        row["count"] += counts.get(index, 0)
        row["innermost_ns"] += context.self_ns[index]
    reader = _Reader(context.created)
    lifetime = context.summary.lifetime_ns
    for row in rows.values():
        row["share_percent"] = 100 * row["innermost_ns"] / lifetime if lifetime else 0.0
        row["text"] = reader.line(row["file"], row["line"])
        row["changed"] = row["text"] is not None and reader.changed(row["file"])
    return sorted(rows.values(), key=lambda row: (-row["innermost_ns"], row["file"], row["line"]))


class _Reader:
    """Reads source files once each."""

    def __init__(self, created: str) -> None:
        self._files: dict[str, list[str]] = {}
        try:
            made = datetime.fromisoformat(created.replace("Z", "+00:00"))
        except ValueError:
            self._created = None
        else:
            zoned = made if made.tzinfo else made.replace(tzinfo=timezone.utc)
            self._created = zoned.timestamp()

    def line(self, path: str, number: int) -> str | None:
        lines = self._files.get(path)
        if lines is None:
            lines = self._files[path] = self._read(path)
        return lines[number - 1] if number <= len(lines) else None

    def changed(self, path: str) -> bool:
        return self._created is not None and os.path.getmtime(path) > self._created

    def _read(self, path: str) -> list[str]:
        if "\0" in path or os.path.splitext(path)[1] not in EXTENSIONS:
            return []
        try:
            if not os.path.isfile(path) or os.path.getsize(path) > LARGEST_FILE:
                return []
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read().split("\n")
        except OSError:
            return []
