"""Makes the pictures of docs/report.md with Chromium: from an archive, else from the demo's trace.

python scripts/make_screenshots.py [trace.json]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from gwatch import libpygwatch
from gwatch.common.format import write_trace

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1360, "height": 700}
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
ZOOMED = "#time=1500:7200&from=44:26"


def make_report(folder: Path, archive: str | None) -> Path:
    """Write the page."""
    path = folder / "demo.html"
    if archive:
        write_trace(libpygwatch.read_archive(archive), path)
    else:
        command = [sys.executable, "-m", "gwatch", "demo", "--report", str(path)]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return path


def hover(page: Page) -> None:
    """Point at a slice."""
    page.mouse.move(700, 400)


def nothing(page: Page) -> None:
    """Leave the page as it opens."""


PICTURES = {
    "timeline-light": ("light", "", nothing),
    "timeline-dark": ("dark", ZOOMED, hover),
    "statistics-light": ("light", "#tab=statistics", nothing),
}


def main() -> None:
    """Take every picture."""
    IMAGES.mkdir(exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        report = make_report(Path(folder), *sys.argv[1:2] or [None]).as_uri()
        browser = started.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for name, (scheme, fragment, prepare) in PICTURES.items():
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto(report + fragment)
            page.wait_for_selector(".run[data-ready='all']")
            prepare(page)
            page.wait_for_timeout(300)
            page.screenshot(path=IMAGES / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
