"""Runs other tracers' benchmarks in processes of their own, where gwatch is not active.

A tracer that is missing, fails or takes too long gives a reason instead of figures.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHOWN_LINES = 4
KEPT_OUTPUT = 6000  # characters, for who has to find out what went wrong


@dataclass
class Finished:
    """How a child process ended.

    Attributes:
        code: its exit status; None: it ran out of time.
        seconds: wall time.
        output: what it wrote to stdout and stderr.
    """

    code: int | None
    seconds: float
    output: str

    def reason(self) -> str:
        """Why it failed: the end of what it said."""
        lines = [line for line in self.output.splitlines() if line.strip()][-SHOWN_LINES:]
        how = "ran out of time" if self.code is None else f"exit {self.code}"
        return f"{how} after {self.seconds:.0f} s: " + " | ".join(lines)


def run_child(
    command: Sequence[str], limit_seconds: float, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a command in a process group of its own, which ends when the time is up."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})},
            start_new_session=True,
        )
        code: int | None = None
        try:
            code = child.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        log.seek(0)
        output = log.read().decode(errors="replace")
    return Finished(code, time.perf_counter() - started, output)


def read_figures(path: Path) -> dict[str, Any] | None:
    """What a child left, if it came so far."""
    try:
        figures = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return figures if isinstance(figures, dict) else None


def write_figures(path: Path, figures: Mapping[str, Any]) -> None:
    """Leave figures at once and whole: the next step may end the process."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(figures) + "\n", "utf-8")
    unfinished.replace(path)


def run_peer(
    script: str, arguments: Sequence[str], limit_seconds: float
) -> tuple[dict[str, Any], Finished]:
    """The figures of one of the scripts beside this one, or ``{"reason": ...}``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        command = [sys.executable, str(HERE / script), *arguments, "--json", str(path)]
        finished = run_child(command, limit_seconds)
        figures = read_figures(path)
    if figures is None:
        figures = {"reason": finished.reason(), "output": finished.output[-KEPT_OUTPUT:]}
    return {**figures, "wall_s": finished.seconds}, finished
