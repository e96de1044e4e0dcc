"""From a prompt to a trace of the CuTe DSL GEMM, by gwatch and by NVIDIA IKET: time and files.

    python benchmarks/whole_trace.py --json whole_trace.json

Three processes do the same launch: untraced; under IKET's command, which runs it twice and makes
files for Perfetto, JSON and a page; and the example, which makes the same kinds of files by gwatch.
IKET's have fewer events: those of GEMM_SCOPES (peer_sources.py), beside all those of the example.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from iket_gemm import WORKLOAD, iket_command, missing
from peer_sources import EXAMPLES
from peers import Finished, read_figures, run_child, write_figures

LIMIT_SECONDS = 120
KINDS = ("pftrace", "json", "html")

Figures = dict[str, Any]


def sizes_of(folder: Path) -> dict[str, int]:
    """Bytes of the files that are made for a reader, by name; numbers in names left out."""
    kept = re.compile(r"\.(pftrace|json|html)(\.gz)?$")
    files = sorted(path for path in folder.glob("*") if path.is_file() and kept.search(path.name))
    return {
        re.sub(r"\d+", "N", path.name): path.stat().st_size
        for path in files
        if "stats" not in path.name
    }


def outcome(finished: Finished, folder: Path) -> Figures:
    figures: Figures = {"seconds": finished.seconds}
    if finished.code != 0:
        return figures | {"reason": finished.reason()}
    return figures | {"files": sizes_of(folder)}


def untraced(folder: Path) -> Figures:
    command = [sys.executable, str(WORKLOAD), str(folder / "figures.json"), "--one"]
    return outcome(run_child(command, LIMIT_SECONDS), folder)


def by_iket(folder: Path) -> Figures:
    settings = ["profile", "--postprocess", "all", "--enable-stats"]
    workload = [str(folder / "figures.json"), "--one"]
    out = folder / "out"
    finished = run_child(iket_command(out, settings, workload), LIMIT_SECONDS)
    stats = read_figures(out / "run-iket.stats.json") or {"phases": {}}
    return outcome(finished, out) | {"phases_s": phase_seconds(stats)}


def phase_seconds(stats: Figures) -> dict[str, float]:
    """Seconds of each phase that IKET says it went through."""
    durations = {name: phase.get("durationNs") for name, phase in stats["phases"].items()}
    return {name: duration / 1e9 for name, duration in durations.items() if duration}


def by_gwatch(folder: Path) -> Figures:
    command = [sys.executable, str(EXAMPLES / "trace_cute_matmul.py")]
    for kind in KINDS:
        command += ["--report", str(folder / f"trace.{kind}")]
    return outcome(run_child(command, LIMIT_SECONDS), folder)


WAYS = {"untraced": untraced, "IKET": by_iket, "gwatch": by_gwatch}


def show(way: str, figures: Figures) -> str:
    """A line for the time, one for the phases, one for the files."""
    lines = [f"{way:<10}{figures['seconds']:7.1f} s"]
    if "reason" in figures:
        lines[0] += f"  failed: {figures['reason']}"
    phases = figures.get("phases_s", {})
    if phases:
        lines.append("; ".join(f"{name} {seconds:.1f} s" for name, seconds in phases.items()))
    sizes = figures.get("files", {})
    if sizes:
        lines.append("; ".join(f"{name} {size / 1e6:.1f} MB" for name, size in sizes.items()))
    return "\n          ".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Time a whole trace by gwatch and by IKET.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to a file")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    options = parser.parse_args()
    reason = missing()
    if reason:
        print(f"not measured: {reason}")
        return 2
    rows: dict[str, Figures] = {}
    for way in options.ways:
        with tempfile.TemporaryDirectory() as folder:
            rows[way] = WAYS[way](Path(folder))
        print(show(way, rows[way]), flush=True)
        if options.json:
            write_figures(options.json, rows)
    return int(any("reason" in figures for figures in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
