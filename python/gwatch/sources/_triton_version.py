"""Which versions of Triton gwatch was tested with."""

from __future__ import annotations

from gwatch.sources import _versions

TESTED = ("3.6", "3.9")


def warn_if_untested(version: str) -> None:
    """Warns, once a process, when this version of Triton is none that gwatch was tested with."""
    _versions.warn_if_untested("Triton", TESTED, version, stacklevel=3)
