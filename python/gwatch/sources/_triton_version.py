"""Which versions of Triton gwatch was tested with."""

from __future__ import annotations

import warnings

TESTED = ("3.6", "3.9")

_warned: set[str] = set()


def warn_if_untested(version: str) -> None:
    """Warns, once a process, when this version of Triton is none that gwatch was tested with."""
    series = ".".join(version.split(".")[:2])
    if series in TESTED or version in _warned:
        return
    _warned.add(version)
    warnings.warn(
        f"gwatch was tested with Triton {' and '.join(TESTED)}, not with {version}: "
        "if markers or PTX are not found, use a tested version or report it",
        stacklevel=3,
    )
