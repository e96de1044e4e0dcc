"""gwatch's markers of the CuTe DSL, made of nothing."""

from __future__ import annotations


def scope_start(name: str) -> None:
    del name


def scope_end(name: str) -> None:
    del name
