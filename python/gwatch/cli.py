"""The command ``gwatch``: finds the verb, runs it, and prints errors, the only place that does."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from gwatch import __version__
from gwatch.errors import GwatchError

VERBS = ("demo", "diff", "export", "include", "instrument", "merge", "run", "show")
"""Modules of gwatch.commands with add_parser(subparsers) and run(arguments) -> exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code: 1 after an error, else the verb's own."""
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except GwatchError as error:
        print(f"gwatch: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of a pipe has gone, as `head` does; nothing is left to be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gwatch",
        description="See when each part of a GPU kernel ran, on every warp and thread.",
    )
    parser.add_argument("--version", action="version", version=f"gwatch {__version__}")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for verb in VERBS:
        module = importlib.import_module(f"gwatch.commands.{verb}")
        module.add_parser(subparsers)
    return parser
