"""How long reports take to write and to open, and how large they are, at 1 and 10 million slices.

    python benchmarks/reports.py --generator build/benchmarks/synthetic_trace
    python benchmarks/reports.py --sizes 1 --rows html_open html_pan --json reports.json

One function a row of the table; a new report adds its functions to ROWS. Rows that open a page
need the package playwright and Chromium. Times are wall time: leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gwatch import libpygwatch
from gwatch.common.format import write_trace

DEFAULT_GENERATOR = Path(__file__).parents[1] / "build" / "benchmarks" / "synthetic_trace"
CHROMIUM_ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
OPENINGS = 7
PAN_FRAMES = 150

PAN = """async (frames) => {
  const canvas = document.querySelector("canvas.overlay");
  const intervals = [], paints = [];
  const frame = () => new Promise(requestAnimationFrame);
  let last = await frame();
  for (let step = 0; step < frames; step++) {
    const deltaY = step % 60 < 30 ? 24 : -24;
    canvas.dispatchEvent(new WheelEvent("wheel", {deltaY, shiftKey: true, cancelable: true}));
    const now = await frame();
    intervals.push(now - last);
    last = now;
    paints.push(Number(document.querySelector(".timeline").dataset.paintMs));
  }
  return {intervals, paints};
}"""


@dataclasses.dataclass
class Figure:
    """One measured figure; ``limit`` is what it should not exceed, None for no limit."""

    name: str
    value: float
    unit: str
    limit: float | None


@dataclasses.dataclass
class Subject:
    """A trace to report on, and where its files go."""

    archive: Path
    million_slices: int
    folder: Path
    device_scale: float

    @functools.cached_property
    def trace(self) -> libpygwatch.Trace:
        """The archive, read."""
        return libpygwatch.read_archive(str(self.archive))

    @functools.cached_property
    def html(self) -> Path:
        """The page, written."""
        path = self.folder / f"{self.archive.stem}.html"
        write_trace(self.trace, path)
        return path

    def limit(self, at_1_million: float | None, at_10_million: float | None) -> float | None:
        """Pick the limit of this size."""
        return {1: at_1_million, 10: at_10_million}.get(self.million_slices)


def best_seconds(work: Callable[[], Any], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def percentile_95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]


@contextmanager
def running_browser() -> Iterator[Any]:
    """Start a Chromium and let it come to rest."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("this row needs chromium on PATH")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        browser.new_page().goto("about:blank")
        time.sleep(1)
        yield browser
        browser.close()


@contextmanager
def opened_page(browser: Any, subject: Subject, fragment: str = "") -> Iterator[Any]:
    """Open the HTML report in a renderer of its own, painted."""
    page = browser.new_page(
        viewport={"width": 1600, "height": 900}, device_scale_factor=subject.device_scale
    )
    page.goto(subject.html.as_uri() + fragment)
    page.wait_for_selector(".timeline[data-painted-ms]", timeout=120_000)
    yield page
    page.close()


def html_write(subject: Subject) -> list[Figure]:
    """The page from a trace in memory."""
    path = subject.html
    seconds = best_seconds(lambda: write_trace(subject.trace, path))
    megabytes = path.stat().st_size / 1e6
    return [
        Figure("HTML write", seconds, "s", subject.limit(1.0, 6.0)),
        Figure("HTML size", megabytes, "MB", subject.limit(3.0, 28.0)),
    ]


def html_open(subject: Subject) -> list[Figure]:
    """From navigation to the first picture of all rows and times, in a browser at rest."""
    painted = []
    with running_browser() as browser:
        for _ in range(OPENINGS):
            with opened_page(browser, subject) as page:
                text = page.locator(".timeline").get_attribute("data-painted-ms")
                painted.append(float(text) / 1e3)
    limit = subject.limit(0.4, 1.5)
    return [
        Figure("HTML open to painted, median", statistics.median(painted), "s", limit),
        Figure("HTML open to painted, best", min(painted), "s", None),
    ]


def html_pan(subject: Subject) -> list[Figure]:
    """Frames while half of the time and all rows move sideways: every pixel is new in each."""
    span = subject.trace.runs[0].time.span_ns
    fragment = f"#time={span / 4}:{3 * span / 4}"
    with running_browser() as browser, opened_page(browser, subject, fragment) as page:
        page.wait_for_selector(".run[data-ready='all']", timeout=120_000)
        measured = page.evaluate(PAN, PAN_FRAMES)
    limit = subject.limit(17.0, 20.0)
    return [
        Figure("frame while panning, p95", percentile_95(measured["intervals"]), "ms", limit),
        Figure("of it drawing, p95", percentile_95(measured["paints"]), "ms", None),
    ]


def show_text(subject: Subject) -> list[Figure]:
    """``gwatch show``, the whole process, without a view and with the heaviest one."""
    figures = []
    for view in ("", "--concurrency"):
        command = [sys.executable, "-m", "gwatch", "show", str(subject.archive), *view.split()]
        seconds = best_seconds(
            lambda command=command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        )
        limit = subject.limit(0.8, 5.0)
        figures.append(Figure(f"gwatch show {view}".strip(), seconds, "s", limit))
    return figures


def diff_text(subject: Subject) -> list[Figure]:
    """``gwatch diff`` of a trace with itself, the whole process."""
    path = str(subject.archive)
    command = [sys.executable, "-m", "gwatch", "diff", path, path]
    seconds = best_seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    return [Figure("gwatch diff", seconds, "s", None)]


def json_write(subject: Subject) -> list[Figure]:
    """The archive from a trace in memory."""
    plain, packed = subject.folder / "o.json", subject.folder / "o.json.gz"
    seconds = best_seconds(lambda: write_trace(subject.trace, plain))
    packed_seconds = best_seconds(lambda: write_trace(subject.trace, packed), 1)
    return [
        Figure("JSON write", seconds, "s", subject.limit(1.0, 10.0)),
        Figure("JSON size", plain.stat().st_size / 1e6, "MB", subject.limit(12.0, None)),
        Figure("JSON gz write", packed_seconds, "s", None),
        Figure("JSON gz size", packed.stat().st_size / 1e6, "MB", subject.limit(4.0, None)),
    ]


def perfetto_write(subject: Subject) -> list[Figure]:
    """The trace for Perfetto from a trace in memory; at 10 million slices ten times the limit."""
    plain, packed = subject.folder / "o.pftrace", subject.folder / "o.pftrace.gz"
    seconds = best_seconds(lambda: write_trace(subject.trace, plain))
    packed_seconds = best_seconds(lambda: write_trace(subject.trace, packed), 1)
    return [
        Figure("Perfetto write", seconds, "s", subject.limit(1.5, 15.0)),
        Figure("Perfetto size", plain.stat().st_size / 1e6, "MB", subject.limit(30.0, 300.0)),
        Figure("Perfetto gz write", packed_seconds, "s", None),
        Figure("Perfetto gz size", packed.stat().st_size / 1e6, "MB", subject.limit(5.0, 50.0)),
    ]


def other_writes(subject: Subject) -> list[Figure]:
    """Chrome's JSON and, with pyarrow, Parquet."""
    figures = []
    for name, extension in (("Chrome JSON", ".trace.json"), ("Parquet", ".parquet")):
        path = subject.folder / f"o{extension}"
        seconds = best_seconds(functools.partial(write_trace, subject.trace, path), 2)
        figures.append(Figure(f"{name} write", seconds, "s", None))
        figures.append(Figure(f"{name} size", path.stat().st_size / 1e6, "MB", None))
    return figures


def start_up(subject: Subject) -> list[Figure]:
    """What each command pays before it does anything; the size of the trace plays no part."""

    def seconds(*arguments: str) -> float:
        command = [sys.executable, *arguments]
        return best_seconds(
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), 5
        )

    return [
        Figure("import gwatch", seconds("-c", "import gwatch"), "s", 0.15),
        Figure("gwatch --help", seconds("-m", "gwatch", "--help"), "s", 0.15),
    ]


ROWS: dict[str, Callable[[Subject], list[Figure]]] = {
    "json_write": json_write,
    "perfetto_write": perfetto_write,
    "other_writes": other_writes,
    "start_up": start_up,
    "html_write": html_write,
    "html_open": html_open,
    "html_pan": html_pan,
    "show": show_text,
    "diff": diff_text,
}


def generate(generator: Path, folder: Path, million_slices: int, shape: str) -> Path:
    path = folder / f"{shape}-{million_slices}m.json"
    if not path.exists():
        subprocess.run([generator, path, str(million_slices * 1_000_000), shape], check=True)
    return path


def show(million_slices: int, figure: Figure) -> str:
    limit = "" if figure.limit is None else f"<= {figure.limit:g}"
    verdict = "" if figure.limit is None or figure.value <= figure.limit else "MISSED"
    size = f"{million_slices} M"
    return f"{size:>6}  {figure.name:<34}{figure.value:>9.3f} {figure.unit:<4}{limit:>9}  {verdict}"


def measure(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    results = []
    for size in options.sizes:
        archive = generate(options.generator, folder, size, options.shape)
        subject = Subject(archive, size, folder, options.device_scale)
        for name in options.rows:
            for figure in ROWS[name](subject):
                print(show(size, figure), flush=True)
                results.append({"million_slices": size} | dataclasses.asdict(figure))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generator", type=Path, default=DEFAULT_GENERATOR)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 10], help="million slices")
    parser.add_argument("--shape", choices=["waves", "persistent"], default="waves")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--device-scale", type=float, default=1.0, help="pixels a CSS pixel")
    parser.add_argument("--keep", type=Path, help="folder for the files; else they are removed")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        os.makedirs(folder, exist_ok=True)
        print(f"{options.shape}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        results = measure(options, folder)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), "utf-8")
    missed = [result for result in results if result["limit"] and result["value"] > result["limit"]]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
