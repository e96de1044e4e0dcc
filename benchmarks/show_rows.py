"""How recording.py prints a row. Needs no GPU."""

from __future__ import annotations

from typing import Any

import iket_gemm
import proton_kernels
from figures import show_ratio
from musts import lost_events, times_cheaper

Row = dict[str, Any]

HEADING = (
    f"{'case':<36}{'untraced':>9}{'traced':>9}  {'ratio [95 % of the median]':<26}"
    f"  {'control [likewise]':<24}  ns an event: on its SM, of its warp\n"
    f"{'':<36}{'us':>9}{'us':>9}"
)

SHOW_PEER = {"IKET": iket_gemm.show, "Proton": proton_kernels.show}


def show(row: Row) -> str:
    """The figures of a case, in several lines."""
    recording = row["recording"]
    lines = [
        f"{row['case']:<36}{recording['first_ms'] * 1e3:9.1f}{recording['second_ms'] * 1e3:9.1f}"
        f"  {show_ratio(recording):<26}  {show_ratio(row['control']):<24}"
        f"{row['sm_ns_an_event']:7.2f}{row['ns_an_event_of_a_warp']:8.1f}",
        _facts(row),
        *(_other(name, row) for name in row["others"]),
        *(SHOW_PEER[name](figures) for name, figures in row["peers"].items()),
    ]
    return "\n".join(lines)


def _facts(row: Row) -> str:
    registers, local_bytes = row["registers"], row["local_bytes"]
    deciles = row["recording"]
    return (
        f"    p10 {deciles['ratio_p10']:.4f} p90 {deciles['ratio_p90']:.4f};"
        f" events {row['events']} of {row['events_expected']}, dropped {row['dropped_events']},"
        f" lost in {len(row['launches'])} launches {lost_events(row)}, records {row['records']};"
        f" registers {registers[0]} -> {registers[1]},"
        f" local bytes {local_bytes[0]} -> {local_bytes[1]},"
        f" spill stores {row['spill_store_bytes']} bytes;"
        f" result {'bit-identical' if row['bit_identical'] else 'DIFFERENT'}"
    )


def _other(name: str, row: Row) -> str:
    times = times_cheaper(row) if name == "usual design" else None
    more = "" if times is None else f", adds {times:.1f} times as much"
    return f"    {name}: {show_ratio(row['others'][name])}{more}"
