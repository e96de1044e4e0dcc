"""Says when a DSL is of a version that gwatch was not tested with."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

_warned: set[tuple[str, str]] = set()


def warn_if_untested(dsl: str, tested: Sequence[str], version: str, stacklevel: int) -> None:
    """Warns, once a process.

    Args:
        dsl: its name, for people.
        tested: the series that were tested, "3.9".
        version: the one that is there, "3.9.0".
        stacklevel: as for ``warnings.warn``, seen from the caller.
    """
    series = ".".join(version.split(".")[:2])
    if series in tested or (dsl, version) in _warned:
        return
    _warned.add((dsl, version))
    warnings.warn(
        f"gwatch was tested with {dsl} {' and '.join(tested)}, not with {version}: "
        "if markers or PTX are not found, use a tested version or report it",
        stacklevel=stacklevel + 1,
    )
