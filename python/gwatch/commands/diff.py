"""``gwatch diff``: two traces compared, for people and for CI."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gwatch.commands._options import add_color
from gwatch.errors import FileError, GwatchError, UsageError

if TYPE_CHECKING:
    from gwatch.diff.model import Limit

MAX_WIDTH = 100
METRICS = ("p50", "p95", "total", "lifetime")
EXIT_OVER = 1
EXIT_USAGE = 2

_DESCRIPTION = """Compare two traces: by scope how often it ran, its median, 95th percentile, total
and share, with 95 % intervals; lifetimes of warps, gaps, registers and spills. Exit code: 0 when
nothing is over the limit of --fail-over or none was given, 1 when something is, 2 when a file or an
option cannot be used."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser("diff", help="compare two traces", description=_DESCRIPTION)
    parser.add_argument("before", help="a trace.json or trace.json.gz")
    parser.add_argument("after", help="another")
    parser.add_argument(
        "--json", action="store_true", help="print it as JSON (docs/diff.schema.json)"
    )
    parser.add_argument("--html", metavar="FILE", help="also write it as a page")
    parser.add_argument(
        "--fail-over",
        metavar="PERCENT",
        help="exit with 1 when a figure grew by more, such as 5%%, and its interval excludes zero",
    )
    parser.add_argument(
        "--metric",
        metavar="LIST",
        default="p50,total",
        help=f"figures that --fail-over limits, of {', '.join(METRICS)} (default: p50,total)",
    )
    parser.add_argument("--limit", type=int, metavar="N", default=15, help="scopes of a table")
    parser.add_argument("--seed", type=int, metavar="N", default=1, help="of the resampling")
    add_color(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and return the exit code."""
    try:
        return _compare(arguments)
    except GwatchError as error:
        # Not 1, which says that something grew.
        print(f"gwatch: {error}", file=sys.stderr)
        return EXIT_USAGE


def _compare(arguments: argparse.Namespace) -> int:
    # Imported here, so that the other verbs and --help do not pay for it.
    from gwatch import libpygwatch
    from gwatch.common.progress import Progress
    from gwatch.diff.model import diff_traces
    from gwatch.diff.text import render_diff
    from gwatch.show.text import Style

    limit = _limit(arguments)
    if arguments.limit < 1 or not 0 <= arguments.seed < 2**63:
        raise UsageError("--limit must be 1 or more, and --seed from 0 to 2^63 - 1")
    names = _names(arguments.before, arguments.after)
    with Progress(wanted=not arguments.json) as progress:
        progress.step(f"reading {names[0]}")
        before = libpygwatch.read_archive(arguments.before)
        progress.step(f"reading {names[1]}")
        after = libpygwatch.read_archive(arguments.after)
        progress.step("comparing")
        facts = diff_traces(before, after, names, limit=limit, seed=arguments.seed)
    if arguments.html:
        _write_page(arguments.html, facts)
    if arguments.json:
        print(json.dumps(facts, indent=1))
    else:
        is_terminal = sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns if is_terminal else MAX_WIDTH
        colour = arguments.color == "always" or (
            arguments.color == "auto" and is_terminal and "NO_COLOR" not in os.environ
        )
        style = Style(max(80, min(columns, MAX_WIDTH)), colour)
        print(render_diff(facts, style, arguments.limit))
    return EXIT_OVER if facts["over_limit"] else 0


def _limit(arguments: argparse.Namespace) -> Limit | None:
    from gwatch.diff.model import Limit, check_metrics

    metrics = arguments.metric.split(",")
    check_metrics(metrics)
    if arguments.fail_over is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", arguments.fail_over, re.ASCII)
    if match is None:
        raise UsageError(
            f"--fail-over cannot be '{arguments.fail_over}'",
            hint="Give a percentage, such as --fail-over 5%.",
        )
    return Limit(float(match[1]), metrics)


def _names(before: str, after: str) -> tuple[str, str]:
    names = os.path.basename(before), os.path.basename(after)
    return names if names[0] != names[1] else (before, after)


def _write_page(path: str, facts: dict[str, object]) -> None:
    from gwatch.diff.html import render_page

    try:
        Path(path).write_text(render_page(facts), "utf-8", errors="replace")
    except OSError as error:
        raise FileError(f"cannot write '{path}': {error.strerror}") from error
