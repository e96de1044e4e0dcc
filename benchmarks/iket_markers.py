"""gwatch's markers of the CuTe DSL, made of IKET's ranges."""

from __future__ import annotations

from cutlass.cute.experimental import iket


def scope_start(name: str) -> None:
    iket.range_push(name)


def scope_end(name: str) -> None:
    del name
    iket.range_pop()
