"""How much slower NVIDIA IKET makes the CuTe DSL GEMM of the examples, with the same ranges.

    python benchmarks/iket_gemm.py --json iket_gemm.json
    python benchmarks/iket_gemm.py --ways kernels

The markers of GEMM_SCOPES (peer_sources.py) become IKET's ranges, the kernel is compiled with
``options="iket"``, and IKET patches it at launch. The kernel without markers and the patched one
are timed by turns in one process, as recording.py times gwatch's, behind a longer spin kernel,
since IKET works on the host at each launch. Two ways, for IKET is free to put work of its own into
the stream: launches, and CUDA graphs of one launch. The lower figure counts. A third way, if asked
for, takes the kernels' own times from CUPTI, and says what else ran on the device.

IKET's command runs the workload twice: its tracker counts the events first. If the command gives no
figures, IKET's session inside the process is tried.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import show_ratio
from peers import KEPT_OUTPUT, read_figures, run_child, write_figures

WORKLOAD = Path(__file__).resolve().with_name("iket_workload.py")
LIMIT_SECONDS = 75
BYTES_AN_EVENT = 4  # what IKET stores for an event without a payload
ENOUGH = 0.9  # of the launches have to be recorded, or their times do not count
BUFFER_BYTES = 3 << 30  # of all launches: they stay on the device until the end
SHOWN_LINES = 6
WAYS = ("launches", "graphs", "kernels")

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


def by_command(pairs: int, ways: Sequence[str]) -> Figures:
    """Figures of a run under IKET's command."""
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "figures.json"
        settings = ["--context-buffer-size", str(BUFFER_BYTES), "profile", "--postprocess", "none"]
        workload = [str(path), "--pairs", str(pairs), "--ways", *ways]
        command = iket_command(folder / "out", [*settings, "--keep"], workload)
        finished = run_child(command, LIMIT_SECONDS)
        figures = read_figures(path) or {"reason": finished.reason()}
        captures = sorted(folder.glob("out/iket/pid*/iket.data.json"))
        recorded = [recorded_launches(read_figures(capture) or {}) for capture in captures]
        raw_bytes = sum(file.stat().st_size for file in folder.glob("out/iket/pid*/iket.data.bin"))
    figures |= {"run_by": "its command", "raw_bytes": raw_bytes}
    if "ways" in figures:
        figures["recorded"] = {way: sum(one[way] for one in recorded) for way in WAYS[:2]}
        if not any(figures["recorded"].values()):  # not the form we know: the size must do
            launches = raw_bytes // (figures["events_expected"] * BYTES_AN_EVENT)
            figures["recorded"] = split(launches, figures)
    return judge(figures, finished.output)


def by_session(pairs: int, ways: Sequence[str]) -> Figures:
    """Figures of a process that starts IKET's session itself."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "figures.json"
        command = [sys.executable, str(WORKLOAD), str(path), "--pairs", str(pairs), "--session"]
        finished = run_child([*command, "--ways", *ways], LIMIT_SECONDS)
        figures = read_figures(path) or {"reason": finished.reason()}
    figures["run_by"] = "a session in its process"
    if "ways" in figures:
        figures["recorded"] = split(said_launches(finished.output), figures)
    return judge(figures, finished.output)


def recorded_launches(capture: Figures) -> dict[str, int]:
    """So many launches of each way have records in the list of a raw capture."""
    keys = {"launches": "launches", "graphs": "graphLaunches"}
    return {way: _references(capture.get(key)) for way, key in keys.items()}


def _references(value: Any) -> int:
    """Records are referred to by a launch's `dataRef`, at whatever depth."""
    if isinstance(value, dict):
        return 1 if "dataRef" in value else sum(map(_references, value.values()))
    return sum(map(_references, value)) if isinstance(value, list) else 0


def said_launches(output: str) -> int:
    """So many launches a session says it has trace data of."""
    return max(map(int, re.findall(r"trace data for (\d+) CUDA launches", output)), default=0)


def launches_made(figures: Figures) -> dict[str, int]:
    """Launches of the kernel with ranges, as IKET tells them apart."""
    made = {"launches": 0, "graphs": 0}
    for way, one in figures["ways"].items():
        made["graphs" if way == "graphs" else "launches"] += one["launches"]
    return made


def split(recorded: int, figures: Figures) -> dict[str, int]:
    """Share a number of recorded launches out; graphs come last."""
    launches = min(recorded, launches_made(figures)["launches"])
    return {"launches": launches, "graphs": recorded - launches}


def judge(figures: Figures, output: str) -> Figures:
    """Add what IKET said, and a reason to each way in which it did not record the launches."""
    lines = output.splitlines()
    said = dict.fromkeys(line for line in lines if "IKET " in line or "Trace incomplete" in line)
    figures |= {"said": list(said)[:SHOWN_LINES], "output": output[-KEPT_OUTPUT:]}
    if "ways" not in figures:
        return figures
    made = launches_made(figures)
    for way, one in figures["ways"].items():
        kind = "graphs" if way == "graphs" else "launches"
        recorded = figures["recorded"][kind]
        if recorded < ENOUGH * made[kind]:
            one.setdefault("reason", f"IKET recorded {recorded} of {made[kind]} launches")
    if best_ratio(figures) is None:
        figures["reason"] = "no way to launch gave a figure"
    return figures


def best_ratio(figures: Figures | None) -> float | None:
    """The lower ratio of the two ways; None where IKET was not measured."""
    if figures is None or "reason" in figures:
        return None
    ratios = [way["ratio"] for way in figures["ways"].values() if "reason" not in way]
    return min(ratios, default=None)


def show_way(way: str, figures: Figures) -> str:
    if "ratio" not in figures:
        return f"IKET, {way}: not measured: {figures['reason']}"
    times = f"{figures['first_ms'] * 1e3:.1f} us -> {figures['second_ms'] * 1e3:.1f} us"
    other = figures.get("other_work", {})
    beside = [f"{count} {name}, {us:.1f} us" for name, (count, us) in other.items()]
    reason = [f"does not count: {figures['reason']}"] if "reason" in figures else []
    return "; ".join([f"IKET, {way}: {show_ratio(figures)}", times, *beside, *reason])


def show(figures: Figures) -> str:
    """Lines about IKET, to stand under the row of the GEMM."""
    lines = []
    if "ways" in figures:
        lines = [show_way(way, one) for way, one in figures["ways"].items()]
        recorded = ", ".join(f"{count} {way}" for way, count in figures["recorded"].items())
        lines.append(
            f"IKET ran by {figures['run_by']}; control {show_ratio(figures['control'])};"
            f" {figures['events_expected']} events a launch; recorded {recorded},"
            f" {figures.get('raw_bytes', 0) / 1e6:.0f} MB;"
            f" result {'bit-identical' if figures['bit_identical'] else 'DIFFERENT'}"
        )
    if "reason" in figures:
        lines.append(f"IKET not measured: {figures['reason']}")
    return "\n".join(f"    {line}" for line in [*lines, *figures.get("said", [])])


def find_figures(pairs: int, ways: Sequence[str] = WAYS[:2]) -> Figures:
    """By IKET's command, else by a session."""
    reason = missing()
    if reason:
        return {"reason": reason}
    figures = by_command(pairs, ways)
    if best_ratio(figures) is not None:
        return figures
    print(show(figures), flush=True)
    other = by_session(pairs, ways)
    return figures if best_ratio(other) is None else other


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what IKET costs the CuTe DSL GEMM.")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all figures to a file")
    parser.add_argument("--pairs", type=int, default=120)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS[:2])
    options = parser.parse_args()
    figures = find_figures(options.pairs, options.ways)
    print(show(figures))
    if options.json:
        write_figures(options.json, figures)
    return int("reason" in figures)


if __name__ == "__main__":
    sys.exit(main())
