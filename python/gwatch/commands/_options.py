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


def add_auto(parser: argparse.ArgumentParser) -> None:
    """Which automatic scopes to put in; see auto_kinds()."""
    parser.add_argument(
        "--auto",
        nargs="?",
        const="all",
        metavar="KINDS",
        help="mark waits and phases, too: some of mbarrier,barrier,async_copy,tma,mma (default: "
        "all)",
    )


def auto_kinds(text: str | None) -> tuple[str, ...]:
    """The kinds that --auto names.

    Raises:
        UsageError: an unknown kind.
    """
    if text is None:
        return ()
    from gwatch.auto_scopes import read_kinds

    return read_kinds(True if text == "all" else text.split(","))


def add_strip_paths(parser: argparse.ArgumentParser) -> None:
    """Whether the written file names folders and hosts."""
    parser.add_argument(
        "--strip-paths",
        action="store_true",
        help="leave only the last part of paths, and numbers in place of host names",
    )
