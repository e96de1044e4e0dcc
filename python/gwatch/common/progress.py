"""A progress bar for work that takes long, on a terminal only."""

from __future__ import annotations

import os
import sys
import threading
import time
from types import TracebackType

from gwatch import libpygwatch
from gwatch.show.text import clean

PATIENCE_SECONDS = 2.0
"""Work that is done by then shows no bar."""
_REDRAW_SECONDS = 0.1
_STEPS = 1000
_KNOWN = "{desc} {percentage:3.0f} % |{bar}| {elapsed}"
_UNKNOWN = "{desc} ... {elapsed}"


class Progress:
    """Shows what a command does and how far the core has come with it, while it is entered.

    Without a terminal on standard output and standard error, in CI and with ``wanted=False``
    nothing is shown.
    """

    def __init__(self, wanted: bool = True) -> None:
        self._shown = wanted and _has_reader()
        self._what = ""
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self._shown:
            libpygwatch.begin_part(0, 1)
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def step(self, what: str, part: int = 0, parts: int = 1) -> None:
        """Say what begins now, as a part (from 0) of several that take about as long each."""
        self._what = clean(what)
        libpygwatch.begin_part(part, parts)

    def _watch(self) -> None:
        began = time.monotonic()
        if self._done.wait(PATIENCE_SECONDS):
            return
        # Imported here: most commands are done by now.
        from tqdm import tqdm

        options = {"file": sys.stderr, "leave": False, "ascii": True, "bar_format": _UNKNOWN}
        with tqdm(total=_STEPS, desc=self._what, **options) as bar:
            bar.start_t -= time.monotonic() - began
            while not self._done.wait(_REDRAW_SECONDS):
                fraction = libpygwatch.progress()
                bar.bar_format = _KNOWN if fraction > 0 else _UNKNOWN
                bar.n = round(_STEPS * fraction)
                bar.set_description_str(self._what, refresh=True)


def _has_reader() -> bool:
    if os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty() and sys.stderr.isatty()
