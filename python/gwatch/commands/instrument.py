"""``gwatch instrument``: what tracing would put into a PTX text, or where its markers are."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gwatch.commands._lines_as_read import LinesAsRead
from gwatch.commands._options import add_auto, auto_kinds
from gwatch.errors import FileError, NoMarkersError, UsageError

if TYPE_CHECKING:
    from gwatch import libpygwatch

NO_MARKERS = 2
"""Exit code when no matching kernel has a marker."""

_DESCRIPTION = """Put the code that records markers into the kernels of a PTX text, as do_trace
does before it assembles it, or list the markers. Exit code 2 and no output when there is none.
With --auto, waits and phases that are found in the text are marked, too. What was found is listed
on standard output when the text goes to a file, else on standard error."""

_MAX_NAME = 60
_FIND_COLUMNS = ("kind", "scope", "function", "source", "PTX lines")
_COLUMNS = ("marker", "verb", "function", "source", "PTX line", "site", "placement")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "instrument", help="instrument a PTX text or list its markers", description=_DESCRIPTION
    )
    parser.add_argument(
        "ptx", metavar="in.ptx", nargs="?", help="the PTX text; - for standard input"
    )
    parser.add_argument(
        "-o", "--output", metavar="out.ptx", help="where to write (default: standard output)"
    )
    parser.add_argument(
        "--kernel",
        default="",
        metavar="REGEX",
        help="only kernels whose name this matches somewhere (default: all)",
    )
    parser.add_argument(
        "--list", action="store_true", dest="list_markers", help="list the markers instead"
    )
    parser.add_argument(
        "--block",
        metavar="X,Y,Z",
        help="threads of a block: proves more markers to be passed by whole warps",
    )
    add_auto(parser)
    parser.add_argument("--json", action="store_true", help="list them as JSON; implies --list")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the instrumented text or the list of markers."""
    # Imported here, so that the other verbs and --help do not pay for it.
    from gwatch import libpygwatch

    path, auto = _path_and_auto(arguments)
    name = "<stdin>" if path == "-" else path
    block = _block(arguments.block)
    kinds = auto_kinds(auto)
    read = _read(path)
    ptx = libpygwatch.iket_to_markers(read, name)
    marked = _mark(ptx, arguments.kernel, kinds, name)
    ptx = marked.ptx if marked else ptx
    if arguments.list_markers or arguments.json:
        markers = libpygwatch.list_markers(ptx, arguments.kernel, name, block)
        if not markers:
            error = NoMarkersError("no marker in any kernel that matches")
            return _say_no_markers(name, error, kinds)
        show = _as_json if arguments.json else _as_table
        _write(show(markers, LinesAsRead(read, ptx)).encode(), arguments.output)
        return 0
    try:
        instrumented = libpygwatch.instrument_matching(ptx, arguments.kernel, name, block)
    except NoMarkersError as error:
        return _say_no_markers(name, error, kinds)
    if marked:
        print(_finds_table(marked.finds), file=sys.stdout if arguments.output else sys.stderr)
    _write(instrumented.ptx, arguments.output)
    return 0


def _path_and_auto(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """The PTX file, and what --auto asks for: in `--auto in.ptx` argparse takes the file for it."""
    if arguments.ptx is not None:
        return arguments.ptx, arguments.auto
    if arguments.auto in (None, "all"):
        raise UsageError(
            "no PTX text is named", hint="gwatch instrument in.ptx; - for standard input"
        )
    return arguments.auto, "all"


def _mark(
    ptx: bytes, pattern: str, kinds: Sequence[str], name: str
) -> libpygwatch.AutoMarked | None:
    """Mark the kernels that the pattern matches; None without kinds."""
    from gwatch import auto_scopes, libpygwatch

    if not kinds:
        return None
    return auto_scopes.mark(ptx, libpygwatch.matching_entries(ptx, pattern, name), kinds, name)


def _block(text: str | None) -> tuple[int, int, int]:
    """Read the shape of a block; all 0, unknown, without one."""
    if text is None:
        return 0, 0, 0
    match = re.fullmatch(r"(\d{1,4})(?:,(\d{1,4}))?(?:,(\d{1,4}))?", text, re.ASCII)
    if match is None or "0" in match.groups():
        raise UsageError(
            f"--block cannot be '{text}'", hint="Give threads in x, y and z, such as 128 or 32,4,1."
        )
    return int(match[1]), int(match[2] or 1), int(match[3] or 1)


def _read(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise FileError(
            f"cannot read {path}: {error.strerror}",
            hint="Name a PTX file, or - for standard input.",
        ) from error


def _write(text: bytes, path: str | None) -> None:
    if path is None:
        sys.stdout.buffer.write(text)
        return
    try:
        Path(path).write_bytes(text)
    except OSError as error:
        raise FileError(
            f"cannot write {path}: {error.strerror}", hint="Name another file with -o."
        ) from error


def _say_no_markers(name: str, error: NoMarkersError, kinds: Sequence[str]) -> int:
    if kinds:
        from gwatch.auto_scopes import say_what_was_sought

        say_what_was_sought(error, kinds)
    print(f"gwatch: {name}: {error}", file=sys.stderr)
    return NO_MARKERS


def _scope(marker: libpygwatch.Marker) -> str:
    return f"{marker.scope} {marker.next_scope}" if marker.next_scope else marker.scope


def _source(marker: libpygwatch.Marker | libpygwatch.AutoFind) -> str:
    return f"{marker.file}:{marker.line}" if marker.line else "unknown"


def _as_json(markers: Sequence[libpygwatch.Marker], lines: LinesAsRead) -> str:
    rows = [
        {
            "scope": marker.scope,
            "next_scope": marker.next_scope or None,
            "verb": marker.verb,
            "payload": marker.payload or None,
            "function": marker.function,
            "in_entry": marker.in_entry,
            "file": marker.file or None,
            "line": marker.line or None,
            "ptx_line": lines.number(marker.ptx_line),
            "site": marker.site,
            "placement": marker.placement,
            "placement_reason": lines.reason(marker.placement_reason),
        }
        for marker in markers
    ]
    return json.dumps({"markers": rows}, indent=1, ensure_ascii=False) + "\n"


def _as_table(markers: Sequence[libpygwatch.Marker], lines: LinesAsRead) -> str:
    from gwatch.show.text import clean, shorten

    rows = [
        (
            clean(_scope(marker)),
            f"{marker.verb} {marker.payload}".rstrip(),
            shorten(marker.function, _MAX_NAME),
            clean(_source(marker)),
            str(lines.number(marker.ptx_line)),
            str(marker.site),
            marker.placement,
        )
        for marker in markers
    ]
    return "\n".join([*_aligned([_COLUMNS, *rows]), *_reason_lines(markers, lines)]) + "\n"


def _finds_table(finds: Sequence[libpygwatch.AutoFind]) -> str:
    """What was marked automatically; lines are those of the text that it was found in."""
    from gwatch.show.text import clean, shorten

    rows = [
        (
            find.kind,
            clean(find.scope),
            shorten(find.function, _MAX_NAME),
            clean(_source(find)),
            f"{find.ptx_line}-{find.end_ptx_line}",
        )
        for find in finds
    ]
    return "\n".join(_aligned([_FIND_COLUMNS, *rows]))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _reason_lines(markers: Sequence[libpygwatch.Marker], as_read: LinesAsRead) -> list[str]:
    """Why sites are not proven to be passed by whole warps, a line a reason."""
    sites: dict[str, list[str]] = {}
    for marker in markers:
        if marker.placement_reason:
            reason = as_read.reason(marker.placement_reason)
            named = sites.setdefault(f"{marker.placement}: {reason}", [])
            if str(marker.site) not in named:
                named.append(str(marker.site))
    lines = [f"site {', '.join(numbers)} {reason}" for reason, numbers in sites.items()]
    return ["", *lines] if lines else []
