"""Fixtures that several test files share: one browser for the session."""

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


@pytest.fixture(scope="session")
def browser():
    """Start Chromium once."""
    if CHROMIUM is None:
        pytest.skip("needs chromium on PATH")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_report(browser, tmp_path):
    """Open an archive's text as a page; afterwards nothing must have gone wrong in it."""
    from report_page import Opener

    opener = Opener(browser, tmp_path)
    yield opener
    opener.close()
