"""``gwatch run``: traces kernels of a program that knows nothing of gwatch."""

from __future__ import annotations

import argparse
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gwatch.commands._options import add_auto, auto_kinds
from gwatch.common.formats import EXTENSIONS, format_of
from gwatch.errors import CaptureError, FileError, GwatchError, UsageError

if TYPE_CHECKING:
    from gwatch import libpygwatch
    from gwatch.injection import TracedProcess

DEFAULT_REPORT = "trace.json"

_DESCRIPTION = """Run a program and trace the launches of matching kernels: CUDA C++ kernels that
were built with PTX and have markers (gwatch/cuda/trace.hpp), or, with --auto, any that were built
with PTX. The program's output and exit code are its own; when nothing could be traced, a message on
stderr says why."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    parser = subparsers.add_parser(
        "run", help="run a program and trace its CUDA C++ kernels", description=_DESCRIPTION
    )
    parser.add_argument(
        "--kernel",
        required=True,
        metavar="REGEX",
        help="kernels whose mangled or demangled name this matches somewhere",
    )
    parser.add_argument(
        "-o",
        "--report",
        action="append",
        metavar="PATH",
        help=f"write a report ({', '.join(EXTENSIONS)}); may be repeated; "
        f"default: {DEFAULT_REPORT}",
    )
    parser.add_argument(
        "--max-launches",
        type=int,
        default=1,
        metavar="N",
        help="trace so many matching launches of each process (default: 1)",
    )
    parser.add_argument(
        "--buffer-bytes", type=int, default=0, metavar="N", help="device memory for a launch"
    )
    parser.add_argument("--warps", metavar="LIST", help="record only these warps of each block")
    parser.add_argument(
        "--blocks",
        metavar="RANGE",
        help="record only these blocks, by linear id: 7, or 0-999, or 0-999:10 for each tenth",
    )
    add_auto(parser)
    parser.add_argument(
        "program",
        nargs=argparse.REMAINDER,
        metavar="-- program ...",
        help="the program and its arguments",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the program, write the reports, and return the program's exit code."""
    from gwatch.injection import Orders, Tracer

    command = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    if not command:
        raise UsageError(
            "no program is named", hint="gwatch run --kernel REGEX -- ./program arguments"
        )
    reports = arguments.report or [DEFAULT_REPORT]
    for path in reports:
        format_of(path)
    orders = Orders(
        arguments.kernel,
        _positive(arguments.max_launches),
        arguments.buffer_bytes,
        _mask(arguments),
        _blocks(arguments.blocks),
        auto_kinds(arguments.auto),
    )
    with Tracer(orders) as tracer:
        code = _run_program(command, tracer.environment())
    try:
        _report(tracer.processes, arguments, reports)
    except GwatchError as error:
        print(f"gwatch: {error}", file=sys.stderr)
    return code


def _positive(max_launches: int) -> int:
    if max_launches < 1:
        raise UsageError(f"--max-launches {max_launches}: at least one launch must be traced")
    return max_launches


def _mask(arguments: argparse.Namespace) -> int:
    from gwatch.commands.show import parse_list
    from gwatch.cuda.trace._selection import warp_mask

    return warp_mask(parse_list(arguments.warps, "--warps")) if arguments.warps else 0


def _blocks(text: str | None) -> tuple[int, int, int]:
    """First, stride and count; a count of 0, all, without a text."""
    from gwatch.cuda.trace._selection import block_selection

    if text is None:
        return block_selection(None)
    match = re.fullmatch(r"(\d+)(?:-(\d+)(?::([1-9]\d*))?)?", text, re.ASCII)
    if match is None:
        raise UsageError(
            f"--blocks cannot be '{text}'", hint="Give a block or a range: 7, 0-999, 0-999:10."
        )
    first, last = int(match[1]), int(match[2] or match[1])
    return block_selection(range(first, last + 1, int(match[3] or 1)))


def _run_program(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run it to its end; a signal that ended it counts as 128 and its number, as in a shell."""
    if shutil.which(command[0]) is None:
        raise FileError(f"cannot run {command[0]}: there is no such program")
    process = subprocess.Popen(command, env=environment)
    with _signals_passed_on(process):
        code = process.wait()
    return 128 - code if code < 0 else code


@contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The terminal's interrupt reaches the program by itself; a request to end is passed on."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report(
    processes: Sequence[TracedProcess], arguments: argparse.Namespace, paths: Sequence[str]
) -> None:
    """Write the reports.

    Raises:
        GwatchError: nothing was traced.
    """
    from gwatch.common.format import write_trace
    from gwatch.cuda.trace._result import make_trace

    if not processes:
        raise CaptureError(
            "nothing was traced: the program did not initialize CUDA",
            hint="A program that is linked to CUDA 10.2 or older, or that clears its environment, "
            "does not load tools.",
        )
    runs: list[libpygwatch.Run] = []
    errors: list[GwatchError] = []
    for process in processes:
        try:
            runs += _runs_of(process, arguments)
        except GwatchError as error:
            errors.append(error)
    if not runs:
        raise errors[0]
    for failure in errors:
        print(f"gwatch: {failure}", file=sys.stderr)
    trace = make_trace(f"gwatch run: {runs[0].launch.kernel_demangled}", runs)
    for path in paths:
        write_trace(trace, path)
        print(f"gwatch: wrote {path}: {len(runs)} traced", file=sys.stderr)


def _runs_of(process: TracedProcess, arguments: argparse.Namespace) -> list[libpygwatch.Run]:
    from gwatch.cuda.trace._do_trace import _check, _make_runs

    if process.error:
        raise process.error
    if process.captured is None:
        raise CaptureError(
            f"{process.program} (process {process.process_id}) was killed or left by _exit() "
            "before it gave what was recorded"
        )
    runs, failures = _make_runs(process.captured, process.preparer.builds, {}, True)
    warnings = _check(runs, failures, process.captured, arguments.kernel, arguments.max_launches)
    for warning in warnings:
        print(f"gwatch: {warning}", file=sys.stderr)
    return runs
