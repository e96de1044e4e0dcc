"""What recording must hold on an H200, checked against the rows of recording.py. Needs no GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from figures import show_ratio
from iket_gemm import best_ratio
from peer_sources import GEMM_SCOPES

MATMUL_RATIO = 1.025
ATTENTION_RATIO = 1.05
GEMM_RATIO = 1.006
GEMM_ABOVE_IKET = 0.002
FULL_WARPS_NS = 20.0
TIMES_CHEAPER = 7.0
ONE_LANE_NS = 45.0
HALVES_NS = 60.0
EXTRA_REGISTERS = 3

GEMM = f"CuTe DSL GEMM 4096^3, {len(GEMM_SCOPES)} scopes"  # not that of all the example's scopes
ATTENTION_64, ATTENTION_128 = "attention 4x16x4096x64", "attention 4x16x4096x128"
WORKLOADS = ("matmul", "attention", "CuTe DSL GEMM")  # where a kernel does real work

Row = dict[str, Any]


@dataclass(frozen=True)
class Must:
    """One limit.

    Attributes:
        met: None: not measured in this run.
    """

    what: str
    limit: str
    measured: str
    met: bool | None

    def __str__(self) -> str:
        verdict = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        measured = f" measured {self.measured}" if self.met is not None else ""
        return f"must {self.what:<48} {self.limit:<10}{measured} {verdict}"


def check(rows: Iterable[Row]) -> list[Must]:
    """All limits, in the order of the table they come from."""
    found = list(rows)
    gemm = _rows(found, GEMM)
    full_warps = _rows(found, "full_warps, 8 ")
    return [
        _ratio("CuTe DSL GEMM", gemm, GEMM_RATIO),
        _above_iket(gemm),
        _ratio("Triton matmul", _rows(found, "matmul"), MATMUL_RATIO),
        _ratio("Triton attention, head 64", _rows(found, ATTENTION_64), ATTENTION_RATIO),
        _ratio("Triton attention, head 128, causal", _rows(found, ATTENTION_128), ATTENTION_RATIO),
        _nanoseconds("full warps, 8 an SM", full_warps, FULL_WARPS_NS),
        _cheaper(full_warps),
        _nanoseconds("one elected lane", _rows(found, "one_lane, 8 "), ONE_LANE_NS),
        _nanoseconds("two halves of a warp", _rows(found, "halves, 8 "), HALVES_NS),
        _lost(found),
        _same_results(found),
        _registers(_rows(found, *WORKLOADS)),
        _spills(found),
    ]


def lost_events(row: Row) -> int:
    """Events of all counted launches that are not there, or there in excess."""
    expected: int = row["events_expected"]
    return sum(max(abs(expected - events), dropped) for events, dropped in row["launches"])


def times_cheaper(row: Row) -> float | None:
    """The usual design's cost, as a multiple of gwatch's."""
    usual, ours = row["others"].get("usual design"), row["recording"]
    added = ours["second_ms"] - ours["first_ms"]
    if usual is None:
        return None
    return float("inf") if added <= 0 else (usual["second_ms"] - usual["first_ms"]) / added


def _rows(rows: Iterable[Row], *beginnings: str) -> list[Row]:
    return [row for row in rows if row["case"].startswith(beginnings)]


def _must(what: str, limit: str, measured: Sequence[str], is_met: Callable[[], bool]) -> Must:
    """Not measured where there is nothing to judge."""
    return Must(what, limit, "; ".join(measured), is_met() if measured else None)


def _ratio(what: str, rows: Sequence[Row], limit: float) -> Must:
    figures = [row["recording"] for row in rows]
    measured = [show_ratio(one) + _noise(one, limit) for one in figures]
    return _must(
        what, f"<= {limit}", measured, lambda: all(one["ratio"] <= limit for one in figures)
    )


def _noise(figures: dict[str, float], limit: float) -> str:
    """Said where the interval holds the limit, so that another run may say the opposite."""
    return " (within noise)" if figures["ratio_low"] <= limit <= figures["ratio_high"] else ""


def _above_iket(rows: Sequence[Row]) -> Must:
    above = [
        row["recording"]["ratio"] - iket
        for row in rows
        if (iket := best_ratio(row["peers"].get("IKET"))) is not None
    ]
    return _must(
        "CuTe DSL GEMM, above IKET in the same run",
        f"<= {GEMM_ABOVE_IKET}",
        [f"{one:+.4f}" for one in above],
        lambda: all(one <= GEMM_ABOVE_IKET for one in above),
    )


def _nanoseconds(what: str, rows: Sequence[Row], limit: float) -> Must:
    costs = [row["ns_an_event_of_a_warp"] for row in rows]
    return _must(
        f"{what}, ns an event",
        f"<= {limit:g}",
        [f"{cost:.1f}" for cost in costs],
        lambda: all(cost <= limit for cost in costs),
    )


def _cheaper(rows: Sequence[Row]) -> Must:
    times = [one for row in rows if (one := times_cheaper(row)) is not None]
    return _must(
        "full warps, 8 an SM, times cheaper than usual",
        f">= {TIMES_CHEAPER:g}",
        [f"{one:.1f}" for one in times],
        lambda: all(one >= TIMES_CHEAPER for one in times),
    )


def _lost(rows: Sequence[Row]) -> Must:
    lost = {row["case"]: lost_events(row) for row in rows}
    launches = sum(len(row["launches"]) for row in rows)
    events = sum(events for row in rows for events, _ in row["launches"])
    where = "".join(f", {count} of {case}" for case, count in lost.items() if count)
    return _must(
        "events lost, all cases and launches",
        "0",
        [f"{sum(lost.values())} beside {events} in {launches} launches{where}"] if rows else [],
        lambda: not any(lost.values()),
    )


def _same_results(rows: Sequence[Row]) -> Must:
    different = [row["case"] for row in rows if not row["bit_identical"]]
    return _must(
        "results bit-identical",
        "all",
        [f"{len(rows) - len(different)} of {len(rows)}{', not '.join(['', *different])}"]
        if rows
        else [],
        lambda: not different,
    )


def _registers(rows: Sequence[Row]) -> Must:
    extra = {row["case"]: row["registers"][1] - row["registers"][0] for row in rows}
    return _must(
        "extra registers, matmul, attention and GEMM",
        f"<= {EXTRA_REGISTERS}",
        [f"{count:+d}" for count in extra.values()],
        lambda: all(count <= EXTRA_REGISTERS for count in extra.values()),
    )


def _spills(rows: Sequence[Row]) -> Must:
    plain = [row for row in rows if row["local_bytes"][0] == 0]
    spilled = {row["case"]: row["spill_store_bytes"] for row in plain if row["spill_store_bytes"]}
    where = "".join(f", {count} bytes in {case}" for case, count in spilled.items())
    return _must(
        "spills where the plain kernel has none",
        "none",
        [f"{len(spilled)} of {len(plain)} kernels{where}"] if plain else [],
        lambda: not spilled,
    )
