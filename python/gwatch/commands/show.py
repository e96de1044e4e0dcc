"""``gwatch show``: a trace as text, for people and for agents."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

from gwatch.errors import UsageError

if TYPE_CHECKING:
    from gwatch.show.page import Choice

MAX_WIDTH = 100
MIN_WIDTH = 80

_DESCRIPTION = """Print what a trace holds: launch and build facts, a table of scopes, how busy
the warps were, and a timeline with a row a warp. Plain text of at most 100 columns when the output
is not a terminal."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("show", help="print a trace as text", description=_DESCRIPTION)
    parser.add_argument("trace", help="a trace.json or trace.json.gz")
    parser.add_argument("--json", action="store_true", help="print the same facts as JSON")
    parser.add_argument(
        "--fidelity",
        action="store_true",
        help="print what tracing did to the kernel instead of its scopes and timeline",
    )
    parser.add_argument(
        "--run",
        type=int,
        default=1,
        metavar="K",
        dest="run_number",
        help="which run of the trace, from 1",
    )
    parser.add_argument("--block", metavar="LIST", help="blocks of the timeline, such as 0,4-7")
    parser.add_argument("--warp", metavar="LIST", help="warps of each block in the timeline")
    parser.add_argument("--from-ns", type=int, metavar="NS", help="start of the timeline")
    parser.add_argument("--to-ns", type=int, metavar="NS", help="end of the timeline")
    parser.add_argument(
        "--width", type=int, metavar="COLUMNS", help="columns to fill (default: at most 100)"
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (default: in a terminal, unless NO_COLOR is set)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the trace."""
    # Imported here, so that the other verbs and --help do not pay for it.
    from gwatch import libpygwatch
    from gwatch.show.page import render_facts, render_fidelity, render_text
    from gwatch.show.text import Style

    width = _width(arguments.width)
    choice = _choice(arguments)
    trace = libpygwatch.read_archive(arguments.trace)
    if arguments.json:
        print(json.dumps(render_facts(trace, choice, *_cells(arguments.width)), indent=1))
    else:
        style = Style(width, _colour(arguments.color))
        render = render_fidelity if arguments.fidelity else render_text
        print(render(trace, choice, os.path.basename(arguments.trace), style))
    return 0


def parse_list(text: str, option: str) -> list[int]:
    """Read ``0,4-7`` as numbers.

    Raises:
        UsageError: it is not such a list.
    """
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise UsageError(
                f"{option} cannot be '{text}'",
                hint=f"Give numbers and ranges, such as {option} 0,4-7.",
            )
        numbers += range(first, last + 1)
    return numbers


def _choice(arguments: argparse.Namespace) -> Choice:
    from gwatch.show.page import Choice

    begin, end = arguments.from_ns, arguments.to_ns
    if begin is not None and end is not None and begin >= end:
        raise UsageError("--from-ns must be before --to-ns", hint=f"Got {begin} ns and {end} ns.")
    return Choice(
        run=arguments.run_number - 1,
        blocks=parse_list(arguments.block, "--block") if arguments.block is not None else (),
        warps=parse_list(arguments.warp, "--warp") if arguments.warp is not None else (),
        begin_ns=begin,
        end_ns=end,
    )


def _width(asked: int | None) -> int:
    if asked is None:
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else MAX_WIDTH
        return max(MIN_WIDTH, min(columns, MAX_WIDTH))
    if asked < MIN_WIDTH:
        raise UsageError(
            f"--width {asked} is too narrow", hint=f"Give at least {MIN_WIDTH} columns."
        )
    return asked


def _cells(asked: int | None) -> tuple[int, ...]:
    return () if asked is None else (asked,)


def _colour(asked: str) -> bool:
    if asked == "auto":
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return asked == "always"
