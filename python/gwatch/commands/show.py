"""``gwatch show``: a trace as text, for people and for agents."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

from gwatch.commands._options import add_color
from gwatch.errors import UsageError

if TYPE_CHECKING:
    from gwatch import libpygwatch
    from gwatch.show.page import Choice
    from gwatch.show.text import Style

MAX_WIDTH = 100
MIN_WIDTH = 80

MOST_WIDTH = 10_000
MOST_NUMBERS = 1_000_000
LARGEST = {"--block": 2**63 - 1, "--warp": 2**32 - 1}
LAST_NS = 2**53

_DESCRIPTION = """Print what a trace holds. Without a view: launch and build facts, what stands out,
a table of scopes, how busy the warps were, and a timeline. With views: only those, under a short
header. Plain text of at most 100 columns when the output is not a terminal."""

_VIEWS = {
    "statistics": "how often each scope ran and how long it took (also --statistics)",
    "bubbles": "the longest stretches in no scope, and between which scopes they were",
    "timeline": "when each warp was in which scope",
    "concurrency": "how many warps were in each scope over time, and which scopes overlapped",
    "outliers": "the slowest instances of each scope against its own median",
    "critical": "where the longest warp of each block spent its life",
    "payloads": "durations by the value that markers carried, such as a tile or an iteration",
    "source": "the lines of scopes with their share of time",
    "fidelity": "what tracing did to the kernel",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("show", help="print a trace as text", description=_DESCRIPTION)
    parser.add_argument("trace", help="a trace.json or trace.json.gz")
    views = parser.add_argument_group("views")
    for view, text in _VIEWS.items():
        names = ("--stats", "--statistics") if view == "statistics" else (f"--{view}",)
        views.add_argument(*names, action="append_const", dest="views", const=view, help=text)
    parser.add_argument(
        "--json", action="store_true", help="print the same as JSON (docs/show.schema.json)"
    )
    parser.add_argument(
        "--run",
        type=int,
        default=1,
        metavar="K",
        dest="run_number",
        help="which run of the trace, from 1",
    )
    parser.add_argument("--block", metavar="LIST", help="only these blocks, such as 0-3,5")
    parser.add_argument("--warp", metavar="LIST", help="only these warps of each block")
    parser.add_argument(
        "--scope",
        metavar="LIST",
        help="only these scopes in tables: names (with * and ?) or ids, such as load*,100-103",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="rows of a table at most")
    parser.add_argument("--all", action="store_true", dest="show_all", help="leave no row out")
    parser.add_argument(
        "--from-ns",
        type=int,
        metavar="NS",
        help="start of the time window of --timeline and --concurrency",
    )
    parser.add_argument("--to-ns", type=int, metavar="NS", help="end of that window")
    parser.add_argument(
        "--width", type=int, metavar="COLUMNS", help="columns to fill (default: at most 100)"
    )
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the trace."""
    # Imported here, so that the other verbs and --help do not pay for it.
    from gwatch import libpygwatch
    from gwatch.common.progress import Progress
    from gwatch.show.text import Style

    choice = _choice(arguments)
    style = Style(_width(arguments.width), _colour(arguments.color))
    with Progress(wanted=not arguments.json) as progress:
        progress.step(f"reading {os.path.basename(arguments.trace)}")
        trace = libpygwatch.read_archive(arguments.trace)
        progress.step("working out the figures")
        if arguments.json:
            text = _json(arguments, trace, choice)
        else:
            text = _text(arguments, trace, choice, style)
    print(text)
    return 0


def _text(
    arguments: argparse.Namespace, trace: libpygwatch.Trace, choice: Choice, style: Style
) -> str:
    from gwatch.show import page, views

    name, picked = os.path.basename(arguments.trace), _views(arguments)
    if picked:
        return views.render_views(trace, choice, picked, name, style)
    return page.render_text(trace, choice, name, style)


def _json(arguments: argparse.Namespace, trace: libpygwatch.Trace, choice: Choice) -> str:
    from gwatch.show import page, views

    cells = () if arguments.width is None else (arguments.width,)
    picked = _views(arguments)
    if picked:
        return json.dumps(views.render_view_facts(trace, choice, picked, *cells), indent=1)
    return json.dumps(page.render_facts(trace, choice, *cells), indent=1)


def _views(arguments: argparse.Namespace) -> list[str]:
    """List what was picked in the order of the help, each once."""
    # Without a view these have nothing to act on.
    is_narrowed = arguments.scope or arguments.limit or arguments.show_all
    picked = arguments.views or (["statistics", "timeline"] if is_narrowed else [])
    return [view for view in _VIEWS if view in picked]


def parse_list(text: str, option: str) -> list[int]:
    """Read ``0,4-7`` as numbers.

    Raises:
        UsageError: it is not such a list.
    """
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last > LARGEST.get(option, last):
            raise UsageError(
                f"{option} cannot be '{text}'",
                hint=f"Give numbers and ranges, such as {option} 0,4-7.",
            )
        if len(numbers) + last - first >= MOST_NUMBERS:
            raise UsageError(
                f"{option} '{text}' names too many", hint=f"Give at most {MOST_NUMBERS:,} numbers."
            )
        numbers += range(first, last + 1)
    return numbers


def _choice(arguments: argparse.Namespace) -> Choice:
    from gwatch.show.page import Choice

    begin, end = arguments.from_ns, arguments.to_ns
    for option, time in (("--from-ns", begin), ("--to-ns", end)):
        if time is not None and not 0 <= time <= LAST_NS:
            raise UsageError(f"{option} cannot be {time}", hint="Give ns from the run's start.")
    if begin is not None and end is not None and begin >= end:
        raise UsageError("--from-ns must be before --to-ns", hint=f"Got {begin} ns and {end} ns.")
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError(f"--limit cannot be {arguments.limit}", hint="Give 1 or more, or --all.")
    return Choice(
        run=arguments.run_number - 1,
        blocks=parse_list(arguments.block, "--block") if arguments.block is not None else (),
        warps=parse_list(arguments.warp, "--warp") if arguments.warp is not None else (),
        begin_ns=begin,
        end_ns=end,
        scopes=[part for part in (arguments.scope or "").split(",") if part],
        limit=arguments.limit,
        show_all=arguments.show_all,
    )


def _width(asked: int | None) -> int:
    if asked is None:
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else MAX_WIDTH
        return max(MIN_WIDTH, min(columns, MAX_WIDTH))
    if asked < MIN_WIDTH:
        raise UsageError(
            f"--width {asked} is too narrow", hint=f"Give at least {MIN_WIDTH} columns."
        )
    if asked > MOST_WIDTH:
        raise UsageError(f"--width {asked} is too wide", hint=f"Give at most {MOST_WIDTH} columns.")
    return asked


def _colour(asked: str) -> bool:
    if asked == "auto":
        return sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return asked == "always"
