"""Scopes that need no marker: waits and phases that gwatch finds in the PTX itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gwatch import libpygwatch
from gwatch.errors import NoMarkersError, UsageError

KINDS = {
    "mbarrier": "loops of mbarrier.try_wait or test_wait, and single try_waits",
    "barrier": "bar.sync, barrier.sync, barrier.cluster.wait, griddepcontrol.wait",
    "async_copy": "cp.async.wait_group and wait_all",
    "tma": "cp.async.bulk and cp.async.bulk.wait_group",
    "mma": "mma, wgmma and tcgen05.mma, wgmma.wait_group, tcgen05.wait",
}
"""What each kind looks for (docs/auto-scopes.md)."""


def read_kinds(wanted: bool | str | Iterable[str] | None) -> tuple[str, ...]:
    """Kinds as a user names them: True is all, False or None is none, a string is one.

    Raises:
        UsageError: an unknown kind; the hint names the known ones.
    """
    if wanted is None or isinstance(wanted, bool):
        return tuple(KINDS) if wanted else ()
    if not isinstance(wanted, (str, Iterable)):
        raise UsageError(f"auto_scopes={wanted!r} is no list of kinds", hint=_known())
    kinds = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of automatic scope", hint=_known())
    return tuple(dict.fromkeys(kinds))


def mark(
    ptx: str | bytes, kernels: Sequence[str], kinds: Sequence[str], name: str = "<ptx>"
) -> libpygwatch.AutoMarked:
    """Put markers around what these kernels, and what they call, have of these kinds."""
    return libpygwatch.mark_automatically(ptx, list(kernels), list(kinds), name)


def say_what_was_sought(error: NoMarkersError, kinds: Sequence[str]) -> None:
    """Add to an error that no marker was found, which automatic scopes were looked for."""
    lines = [f"  {kind}: {KINDS[kind]}" for kind in kinds]
    error.message += ", nor anything for an automatic scope"
    error.detail = "\n".join(["Looked for:", *lines])


def _known() -> str:
    return f"The kinds are {', '.join(KINDS)}."
