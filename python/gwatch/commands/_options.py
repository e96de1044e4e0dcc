"""Options that several verbs have."""

from __future__ import annotations

import argparse


def add_color(parser: argparse.ArgumentParser) -> None:
    """Whether the text has colours."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (default: in a terminal, unless NO_COLOR is set)",
    )


def add_strip_paths(parser: argparse.ArgumentParser) -> None:
    """Whether the written file names folders and hosts."""
    parser.add_argument(
        "--strip-paths",
        action="store_true",
        help="leave only the last part of paths, and numbers in place of host names",
    )
