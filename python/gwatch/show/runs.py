"""Which runs a trace holds: of which process and GPU, and when each began."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.text import Style, clean, field, shorten

_RUNS = 6
_NAME_WIDTH = 40


def run_places(trace: libpygwatch.Trace) -> list[dict[str, Any]]:
    """Collect where and when each run was, as plain data; starts count from a host's first run."""
    offsets = libpygwatch.run_offsets_ns(trace)
    return [
        {
            "kernel": run.launch.kernel_demangled or run.launch.kernel,
            "rank": run.launch.rank,
            "host": run.launch.host,
            "device_index": run.launch.device_index,
            "start_ns": offset_ns if run.time.start_globaltimer_ns else None,
            "span_ns": run.time.span_ns,
        }
        for run, offset_ns in zip(trace.runs, offsets, strict=True)
    ]


def run_lines(trace: libpygwatch.Trace, run_index: int, style: Style) -> list[str]:
    """List the runs around the shown one; nothing where it is the only one."""
    places = run_places(trace)
    if len(places) < 2:
        return []
    first = max(0, min(run_index - _RUNS // 2, len(places) - _RUNS))
    hosts = list(dict.fromkeys(place["host"] for place in places))
    lines: list[str] = []
    for number, place in enumerate(places[first : first + _RUNS], first + 1):
        text = f"{number}: {_described(place, hosts)}"
        lines += field("" if lines else "runs", text, style)
    left_out = len(places) - _RUNS
    more = f"{units.count(left_out, 'more run')}; " if left_out > 0 else ""
    return [*lines, *field("", f"{more}--run picks one", style)]


def _described(place: dict[str, Any], hosts: list[str | None]) -> str:
    parts = [shorten(clean(place["kernel"]), _NAME_WIDTH) or "unnamed"]
    if place["rank"] is not None:
        parts.append(f"rank {place['rank']}")
    parts.append(f"GPU {place['device_index']}")
    if len(hosts) > 1:
        parts.append(f"host {hosts.index(place['host']) + 1}")
    start = place["start_ns"]
    parts.append(f"{units.duration(place['span_ns'])} long")
    parts.append("start unknown" if start is None else f"from {units.duration(start)}")
    return ", ".join(parts)
