"""``gwatch include``: where the header with the markers for CUDA C++ is."""

from __future__ import annotations

import argparse

import gwatch


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "include",
        help="print the include folder of the CUDA C++ markers",
        description='Print the folder for a compiler\'s -I: nvcc -I "$(gwatch include)" ... finds '
        "gwatch/cuda/trace.hpp there.",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the folder."""
    print(gwatch.get_include())
    return 0
