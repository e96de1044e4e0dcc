"""``gwatch export``: an archive in another format."""

from __future__ import annotations

import argparse

from gwatch.commands._options import add_strip_paths
from gwatch.errors import UsageError

_DESCRIPTION = """Write an archive in the format that the extension of the output names: .pftrace or
.pftrace.gz for Perfetto, .trace.json or .trace.json.gz for Chrome's viewers, .parquet for a table
of slices, .html for a page, .json or .json.gz for an archive again."""


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
    add_strip_paths(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file."""
    # Imported here, so that the other verbs and --help do not pay for it.
    from gwatch.common.format import read_trace, write_trace, writer_for

    writer_for(arguments.output)
    trace = read_trace(arguments.trace)
    if arguments.run_number is not None:
        count = len(trace.runs)
        if not 1 <= arguments.run_number <= count:
            raise UsageError(
                f"--run {arguments.run_number}: the trace has {count} "
                f"{'run' if count == 1 else 'runs'}",
                hint="Runs count from 1.",
            )
        trace.runs = [trace.runs[arguments.run_number - 1]]
    write_trace(trace, arguments.output, strip_paths=arguments.strip_paths, by=arguments.by)
    print(f"wrote {arguments.output}")
    return 0
