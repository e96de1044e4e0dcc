"""Archives for tests, written as a test wants them: what docs/format.md describes."""

import json
from dataclasses import dataclass, field

ALL_THREADS = 0
"""How the archive writes a mask that holds every thread of the warp."""


@dataclass
class Slice:
    start_ns: int
    end_ns: int
    scope: int
    depth: int = 0
    mask: int = ALL_THREADS
    payload: int | None = None


@dataclass
class Warp:
    block: int
    warp: int
    enter_ns: int
    exit_ns: int
    slices: list[Slice] = field(default_factory=list)
    sm: int = 0


@dataclass
class Instant:
    lane: int
    time_ns: int
    scope: int
    mask: int = ALL_THREADS
    payload: int | None = None


def archive(*runs, title="Intra-kernel trace"):
    """Write the archive of some runs."""
    return json.dumps(
        {
            "format": "gwatch-trace",
            "version": 1,
            "producer": "gwatch test",
            "title": title,
            "created": "2026-11-30T12:00:00Z",
            "runs": list(runs),
        }
    )


def run(
    warps,
    scopes=("load", "dot"),
    *,
    kinds=(),
    marks=(),
    orphan_starts=(),
    orphan_ends=(),
    **facts,
):
    """Write one run; ``facts`` replace parts of its dictionaries, or whole other entries.

    ``kinds`` are those of the scopes' payloads, such as ``("s32", "")``.
    """
    blocks = {warp.block for warp in warps}
    warps_per_block = max((warp.warp for warp in warps), default=0) + 1
    made = {
        "launch": {
            "kernel": "_kernel",
            "kernel_demangled": "_kernel",
            "dsl": "triton",
            "device": "NVIDIA H200",
            "device_index": 0,
            "grid": [max(blocks, default=0) + 1, 1, 1],
            "block": [32 * warps_per_block, 1, 1],
            "cluster": [1, 1, 1],
            "dynamic_shared_bytes": 98304,
            "stream": 0,
            "in_graph": False,
            "sm_count": 132,
        },
        "compile": _compile_facts(),
        "counts": _counts(warps, blocks, orphan_starts, orphan_ends),
        "time": {
            "clock_mhz": 1755.0,
            "resolution_ns": 0.57,
            "alignment_ns": 32.0,
            "span_ns": max((warp.exit_ns for warp in warps), default=0),
            "start_globaltimer_ns": 1764500000000000000,
        },
        "stage_seconds": {"assemble": 0.4, "source": 0.01},
        "warnings": [],
        "scopes": [
            {"name": name, "id": 100 + i, "file": "/home/user/kernel.py", "line": 10 + i}
            for i, name in enumerate(scopes)
        ],
        "sites": [],
    }
    for scope, kind in zip(made["scopes"], kinds, strict=False):
        if kind:
            scope["payload"] = kind
    for name, value in facts.items():
        made[name] = {**made[name], **value} if isinstance(made[name], dict) else value
    return made | _tables(warps) | _instant_tables(marks, orphan_starts, orphan_ends)


def _compile_facts():
    build = {
        "registers": 118,
        "local_bytes": 0,
        "spill_store_bytes": 0,
        "spill_load_bytes": 0,
        "static_shared_bytes": 0,
    }
    return {
        "assembler": "/opt/triton/ptxas",
        "assembler_origin": "triton",
        "assembler_version": "12.8.93",
        "assembler_flags": ["-v"],
        "ptx_version": "8.7",
        "ptx_target": "sm_90a",
        "ptx_source": "the compiled kernel",
        "lowered_from": "",
        "remarks": [],
        "original": build,
        "traced": build | {"registers": 121},
    }


def _counts(warps, blocks, orphan_starts, orphan_ends):
    events = 2 * sum(len(warp.slices) for warp in warps) + len(orphan_starts) + len(orphan_ends)
    return {
        "events": events,
        "records": events + len(warps),
        "dropped_events": 0,
        "dropped_records": 0,
        "orphan_starts": len(orphan_starts),
        "orphan_ends": len(orphan_ends),
        "warps_in_grid": len(warps),
        "warps_recorded": len(warps),
        "blocks_in_grid": len(blocks),
        "blocks_selected": len(blocks),
        "buffer_bytes": 1 << 30,
        "buffer_bytes_needed": 0,
    }


def _tables(warps):
    slices = [slice_ for warp in warps for slice_ in warp.slices]
    deltas = []
    for warp in warps:
        before = warp.enter_ns
        for slice_ in warp.slices:
            deltas.append(slice_.start_ns - before)
            before = slice_.start_ns
    return {
        "lanes": {
            "block": [warp.block for warp in warps],
            "warp": [warp.warp for warp in warps],
            "sm": [warp.sm for warp in warps],
            "cluster_rank": [0] * len(warps),
            "enter_ns": [warp.enter_ns for warp in warps],
            "exit_ns": [warp.exit_ns for warp in warps],
            "events": [2 * len(warp.slices) for warp in warps],
            "slice_count": [len(warp.slices) for warp in warps],
        },
        "slices": {
            "start_delta_ns": deltas,
            "duration_ns": [slice_.end_ns - slice_.start_ns for slice_ in slices],
            "scope": [slice_.scope for slice_ in slices],
            "depth": [slice_.depth for slice_ in slices],
            "mask": [slice_.mask for slice_ in slices],
            **_payloads(slices),
        },
    }


def _payloads(rows):
    """Write the payloads of a table, if it has any."""
    found = [(number, row.payload) for number, row in enumerate(rows) if row.payload is not None]
    if not found:
        return {}
    befores = [0, *(number for number, _ in found)]
    deltas = [number - before for (number, _), before in zip(found, befores, strict=False)]
    return {"payloads": {"row_delta": deltas, "bits": [bits for _, bits in found]}}


def _instant_tables(marks, orphan_starts, orphan_ends):
    tables = {}
    for name, instants in (
        ("marks", marks),
        ("orphan_starts", orphan_starts),
        ("orphan_ends", orphan_ends),
    ):
        tables[name] = {
            column: [getattr(instant, column) for instant in instants]
            for column in ("lane", "time_ns", "scope", "mask")
        } | _payloads(instants)
    return tables


def pipelined_warps(blocks, warps_per_block, iterations=4, slots=132):
    """Make warps that load, compute and wait in turns; blocks run in waves over ``slots`` SMs."""
    warps = []
    for block in range(blocks):
        begin = 7 * (block % slots) + block // slots * (310 * iterations + 90)
        for warp in range(warps_per_block):
            slices = []
            time = begin + 20 + 5 * warp
            for step in range(iterations):
                load = 100 + 7 * ((block * 31 + warp * 17 + step) % 11)
                slices += [Slice(time, time + load, 0), Slice(time + load, time + load + 140, 1)]
                slices.append(Slice(time + load + 20, time + load + 60, 2, 1))
                time += load + 140 + 13 * (warp % 3)
            warps.append(Warp(block, warp, begin + warp, time + 10, slices, block % slots))
    return warps
