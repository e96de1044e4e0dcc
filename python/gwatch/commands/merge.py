"""``gwatch merge``: several archives as one."""

from __future__ import annotations

import argparse
import os

from gwatch.commands._options import add_strip_paths
from gwatch.common.formats import format_of

_DESCRIPTION = """Put the runs of several archives into one file, in the order given: the ranks of a
distributed job, several launches or kernels. Runs of one host are put on one time axis by the
timers of their GPUs; runs of different hosts keep their own. The output may have any format that
gwatch export writes."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "merge", help="put several traces into one file", description=_DESCRIPTION
    )
    parser.add_argument("traces", nargs="+", metavar="trace", help="trace.json or trace.json.gz")
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="the file to write")
    parser.add_argument("--title", help="of the merged trace (default: the first one's)")
    add_strip_paths(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Merge, write, and say what the common time axis is worth."""
    from gwatch import libpygwatch
    from gwatch.common.format import write_trace
    from gwatch.common.progress import Progress

    format_of(arguments.output)
    with Progress() as progress:
        progress.step(f"reading {len(arguments.traces)} traces")
        trace = libpygwatch.merge_archives(arguments.traces)
        if arguments.title is not None:
            trace.title = arguments.title
        notes = libpygwatch.time_axis_notes(trace)
        progress.step(f"writing {os.path.basename(arguments.output)}")
        write_trace(trace, arguments.output, strip_paths=arguments.strip_paths)
    runs = len(trace.runs)
    print(f"wrote {arguments.output}: {runs} {'run' if runs == 1 else 'runs'}")
    for note in notes:
        print(note)
    return 0
