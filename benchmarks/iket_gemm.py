"""How much slower NVIDIA IKET makes the CuTe DSL GEMM of the examples, with the same ranges.

    python benchmarks/iket_gemm.py --json iket_gemm.json

The example's markers become IKET's ranges, the kernel is compiled with ``options="iket"``, and IKET
patches it at launch. The kernel without markers and the patched one are timed by turns in one
process, as recording.py times gwatch's, behind a longer spin kernel, since IKET works on the host
at each launch. Two ways, for IKET is free to put work of its own into the stream: launches, and
CUDA graphs of one launch. The lower figure counts.

IKET's command runs the workload twice: its tracker counts the events first. If the command gives no
figures, IKET's session inside the process is tried.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from figures import show_ratio
from peers import read_figures, run_child, write_figures

WORKLOAD = Path(__file__).resolve().with_name("iket_workload.py")
LIMIT_SECONDS = 120
BYTES_AN_EVENT = 4  # what IKET stores for an event without a payload
BUFFER_BYTES = 3 << 30  # of all launches: they stay on the device until the end
SHOWN_LINES = 6

Figures = dict[str, Any]


def missing() -> str | None:
    """What this benchmark needs and is not here."""
    for module in ("torch", "cutlass", "iket"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    return None


def iket_command(folder: Path, settings: list[str], workload: list[str]) -> list[str]:
    """IKET's command line; it owns the folder."""
    command = [sys.executable, "-m", "iket.cli.main", "--output-dir", str(folder), "--clobber"]
    command += ["--log-level", "warn", *settings, "--", sys.executable, str(WORKLOAD)]
    return [*command, *workload]


def by_command(pairs: int) -> Figures:
    """Figures of a run under IKET's command."""
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "figures.json"
        settings = ["--context-buffer-size", str(BUFFER_BYTES), "profile", "--postprocess", "none"]
        workload = [str(path), "--pairs", str(pairs)]
        command = iket_command(folder / "out", [*settings, "--keep"], workload)
        finished = run_child(command, LIMIT_SECONDS)
        figures = read_figures(path) or {"reason": finished.reason()}
        raw_bytes = sum(file.stat().st_size for file in folder.glob("out/iket/pid*/iket.data.bin"))
    return judge({**figures, "run_by": "its command", "raw_bytes": raw_bytes}, finished.output)


def by_session(pairs: int) -> Figures:
    """Figures of a process that starts IKET's session itself."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "figures.json"
        command = [sys.executable, str(WORKLOAD), str(path), "--pairs", str(pairs), "--session"]
        finished = run_child(command, LIMIT_SECONDS)
        figures = read_figures(path) or {"reason": finished.reason()}
    figures = judge({**figures, "run_by": "a session in its process"}, finished.output)
    if "ways" in figures and recorded_launches(finished.output) == 0:
        figures["reason"] = "the session says of no launch that it has trace data"
    return figures


def recorded_launches(output: str) -> int:
    """So many launches a session says it has trace data of."""
    return max(map(int, re.findall(r"trace data for (\d+) CUDA launches", output)), default=0)


def judge(figures: Figures, output: str) -> Figures:
    """Add what IKET said, and a reason where it cannot have recorded all events."""
    lines = output.splitlines()
    said = dict.fromkeys(line for line in lines if "IKET " in line or "Trace incomplete" in line)
    figures["said"] = list(said)[:SHOWN_LINES]
    if "ways" not in figures or "raw_bytes" not in figures:
        return figures
    least = figures["events_expected"] * figures["traced_launches"] * BYTES_AN_EVENT
    if figures["raw_bytes"] < least:
        figures["reason"] = (
            f"IKET wrote {figures['raw_bytes']} bytes, and the events of "
            f"{figures['traced_launches']} launches take {least}"
        )
    return figures


def best_ratio(figures: Figures | None) -> float | None:
    """The lower ratio of the two ways; None where IKET was not measured."""
    if figures is None or "reason" in figures:
        return None
    ratios = [way["ratio"] for way in figures["ways"].values() if "ratio" in way]
    return min(ratios, default=None)


def show_way(way: str, figures: Figures) -> str:
    if "reason" in figures:
        return f"IKET, {way}: not measured: {figures['reason']}"
    times = f"{figures['first_ms'] * 1e3:.1f} us -> {figures['second_ms'] * 1e3:.1f} us"
    return f"IKET, {way}: {show_ratio(figures)}, {times}"


def show(figures: Figures) -> str:
    """Lines about IKET, to stand under the row of the GEMM."""
    lines = []
    if "ways" in figures:
        lines = [show_way(way, one) for way, one in figures["ways"].items()]
        lines.append(
            f"IKET ran by {figures['run_by']}; control {show_ratio(figures['control'])}; "
            f"{figures['events_expected']} events a launch; "
            f"{figures.get('raw_bytes', 0) / 1e6:.0f} MB of {figures['traced_launches']} launches; "
            f"result {'bit-identical' if figures['bit_identical'] else 'DIFFERENT'}"
        )
    if "reason" in figures:
        lines.append(f"IKET not measured: {figures['reason']}")
    return "\n".join(f"    {line}" for line in [*lines, *figures.get("said", [])])


def find_figures(pairs: int) -> Figures:
    """By IKET's command, else by a session."""
    reason = missing()
    if reason:
        return {"reason": reason}
    figures = by_command(pairs)
    if best_ratio(figures) is not None:
        return figures
    print(show(figures), flush=True)
    other = by_session(pairs)
    return figures if best_ratio(other) is None else other


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what IKET costs the CuTe DSL GEMM.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to a file")
    parser.add_argument("--pairs", type=int, default=120)
    options = parser.parse_args()
    figures = find_figures(options.pairs)
    print(show(figures))
    if options.json:
        write_figures(options.json, figures)
    return int("reason" in figures)


if __name__ == "__main__":
    sys.exit(main())
