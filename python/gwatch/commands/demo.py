"""``gwatch demo``: shows what gwatch does, on this machine's GPU or from a shipped capture."""

from __future__ import annotations

import argparse

from gwatch.common.formats import EXTENSIONS, format_of

DEFAULT_REPORT = "demo-report.html"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "demo",
        help="trace an attention kernel; without a GPU, show a recorded trace of it",
        description="With a CUDA GPU, torch and triton: traces a flash-attention kernel here. "
        "Without: compiles the same kernel for an H200, instruments and assembles it here, and "
        "shows a capture recorded on an H200.",
    )
    parser.add_argument(
        "--report",
        action="append",
        metavar="PATH",
        help=f"write a report ({', '.join(EXTENSIONS)}); may be repeated; "
        f"default: {DEFAULT_REPORT}",
    )
    parser.add_argument(
        "--recorded", action="store_true", help="show the recorded trace even if there is a GPU"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    from gwatch.common.format import write_trace
    from gwatch.demo import offline, online
    from gwatch.show.summary import render_trace

    paths = arguments.report or [DEFAULT_REPORT]
    for path in paths:
        format_of(path)
    reason = "as asked" if arguments.recorded else online.why_not()
    if reason is None:
        trace = online.trace()
    else:
        print(f"No trace is made on this machine: {reason}.")
        offline.build_here()
        trace = offline.recorded_trace()
    print()
    print(render_trace(trace))
    for path in paths:
        write_trace(trace, path)
        print(f"wrote {path}")
    return 0
