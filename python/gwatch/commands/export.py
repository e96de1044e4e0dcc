"""``gwatch export``: an archive in another format."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from gwatch.commands._options import add_strip_paths
from gwatch.common.formats import described, format_of
from gwatch.errors import UsageError

if TYPE_CHECKING:
    from gwatch import libpygwatch

_DESCRIPTION = f"""Write an archive in the format that the extension of the output names.
{described()}."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "export", help="write a trace in another format", description=_DESCRIPTION
    )
    parser.add_argument("trace", help="a trace.json or trace.json.gz")
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="the file to write")
    parser.add_argument(
        "--run", type=int, metavar="K", dest="run_number", help="only this run, from 1"
    )
    parser.add_argument(
        "--by",
        choices=("block", "sm"),
        default="block",
        help="what is a process in Perfetto and Chrome (default: block)",
    )
    parser.add_argument(
        "--marks", action="store_true", help="in .parquet: a table of the marks, not of the slices"
    )
    add_strip_paths(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file."""
    # Imported here, so that the other verbs and --help do not pay for it.
    from gwatch.common.format import read_trace, write_trace
    from gwatch.common.progress import Progress

    format_of(arguments.output)
    with Progress() as progress:
        progress.step(f"reading {os.path.basename(arguments.trace)}")
        trace = read_trace(arguments.trace)
        _pick_run(trace, arguments.run_number)
        progress.step(f"writing {os.path.basename(arguments.output)}")
        write_trace(
            trace,
            arguments.output,
            strip_paths=arguments.strip_paths,
            by=arguments.by,
            marks=arguments.marks,
        )
    print(f"wrote {arguments.output}")
    return 0


def _pick_run(trace: libpygwatch.Trace, number: int | None) -> None:
    """Leave only this run, from 1; None leaves all."""
    if number is None:
        return
    count = len(trace.runs)
    if not 1 <= number <= count:
        raise UsageError(
            f"--run {number}: the trace has {count} {'run' if count == 1 else 'runs'}",
            hint="Runs count from 1.",
        )
    trace.runs = [trace.runs[number - 1]]
