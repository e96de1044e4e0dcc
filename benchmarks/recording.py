"""How much slower recording makes a kernel: pairs of an untraced and a traced launch.

    python benchmarks/recording.py --json recording.json
    python benchmarks/recording.py --cases 'GEMM|matmul' --pairs 80 --no-peers

Both launches are CUDA graphs of one kernel node, so that only the kernel is timed. The traced one
is captured inside do_trace; the node that clears the records before each replay is taken out, for
it would be timed, and would empty the cache: only the counters are cleared, before the pause. Each
launch comes after a pause, for otherwise the power limit hides the difference. A spin kernel that
touches no memory stands before the first event, so that the host's time is not counted; between
the two events there is only the graph. The control is a second graph of the untraced kernel: its
ratio shows what noise does.

Where a case tells its PTX, two other builds of the kernel stand beside: the PTX assembled again as
it is, and with the design that hand-made tracers use (usual_design.py). Other tracers run in
processes of their own, with the same ranges: NVIDIA IKET (iket_gemm.py) and Triton's Proton
(proton_kernels.py). A tracer that does not run gives a reason instead of a figure.

The GEMM has two rows: with the scopes that its limit is stated for (GEMM_SCOPES in
peer_sources.py), and with all those of the example, which has no limit.

At the end each limit stands beside what was measured (musts.py); the exit code is 1 if one is not
met. Events are counted in LAUNCHES launches of each kernel.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import re
import sys
import traceback
from collections.abc import Callable
from typing import Any

import iket_gemm
import proton_kernels
import torch
import usual_design
from figures import ratio_figures
from gpu_cases import (
    Case,
    attention_case,
    cute_gemm_case,
    machine_facts,
    matmul_case,
    write_json,
)
from graphs import OtherBuild, capture, check, cleared_address, driver, keep_only_kernel
from micro_cases import many_blocks_case, micro_case
from musts import check as check_musts
from pairs import PAUSE_SECONDS, Launch, compare
from show_rows import HEADING, show

from gwatch import libpygwatch
from gwatch.cuda.trace import do_trace

CONTROL_BYTES = 128  # record::Control, at the begin of a launch's memory
LAUNCHES = 10  # of each kernel, whose events are counted


def capture_traced(case: Case) -> tuple[torch.cuda.CUDAGraph, libpygwatch.Run, Launch]:
    """The graph of the traced kernel alone, and what to call before each replay."""

    def fn() -> torch.cuda.CUDAGraph:
        graph = capture(case)
        graph.replay()
        return graph

    result = do_trace(fn=fn, kernel_name_pattern=case.pattern, dsl=case.dsl, fidelity=False)
    graph = result.value
    memory = ctypes.c_uint64(cleared_address(graph.raw_cuda_graph()))
    keep_only_kernel(graph.raw_cuda_graph())
    graph.instantiate()

    def reset() -> None:
        check(driver().cuMemsetD8_v2(memory, 0, CONTROL_BYTES), "cuMemsetD8")

    return graph, result.runs[0], reset


def count_launches(case: Case) -> list[tuple[int, int]]:
    """Events recorded and dropped in each of LAUNCHES launches."""

    def fn() -> None:
        for _ in range(LAUNCHES):
            case.launch()

    result = do_trace(
        fn=fn,
        kernel_name_pattern=case.pattern,
        dsl=case.dsl,
        max_launches=LAUNCHES,
        fidelity=False,
    )
    counts = [(run.counts.events, run.counts.dropped_events) for run in result.runs]
    return counts + [(0, 0)] * (LAUNCHES - len(counts))  # a launch without a run lost everything


def assemble(ptx: str, run: libpygwatch.Run) -> bytes:
    """By the assembler, and with the flags, that made the traced build."""
    facts = run.compile
    candidate = libpygwatch.Candidate(
        facts.assembler, facts.assembler_origin, facts.assembler_flags
    )
    return libpygwatch.assemble(ptx, run.launch.kernel, [candidate]).cubin


def measure_others(
    case: Case, run: libpygwatch.Run, original: torch.cuda.CUDAGraph, pairs: int
) -> dict[str, dict[str, float]]:
    """Ratios of the kernel assembled again, and with the usual design."""
    if case.ptx is None:
        return {}
    ptx, launch = case.ptx(), run.launch
    again = OtherBuild(assemble(ptx, run), launch.kernel)
    usual = OtherBuild(assemble(usual_design.rewrite(ptx, launch.kernel), run), launch.kernel)
    warps = math.prod(launch.grid) * -(-math.prod(launch.block) // 32)
    buffer = torch.zeros(warps * usual_design.warp_bytes(), dtype=torch.uint8, device="cuda")
    usual.set_pointer(usual_design.SYMBOL, buffer.data_ptr())
    figures = {}
    for name, build in (("assembled again", again), ("usual design", usual)):
        graph = capture(case)
        build.put_into(graph)
        graph.replay()
        figures[name] = ratio_figures(compare(original.replay, graph.replay, pairs))
    return figures


def measure(case: Case, pairs: int) -> dict[str, Any]:
    case.launch()
    torch.cuda.synchronize()
    expected = case.output.clone()
    original, again = capture(case), capture(case)
    traced, run, reset = capture_traced(case)
    control = ratio_figures(compare(original.replay, again.replay, pairs))
    recording = ratio_figures(compare(original.replay, traced.replay, pairs, reset))
    others = measure_others(case, run, original, pairs)
    case.output.zero_()
    traced.replay()
    torch.cuda.synchronize()
    bit_identical = torch.equal(case.output, expected)
    counts = run.counts
    added_ns = (recording["second_ms"] - recording["first_ms"]) * 1e6
    return {
        "case": case.name,
        "pairs": pairs,
        "bit_identical": bit_identical,
        "control": control,
        "recording": recording,
        "others": others,
        # Of the kernel's time, an event of one warp: warps side by side share the cost.
        "ns_an_event_of_a_warp": added_ns * counts.warps_recorded / max(1, counts.events),
        # Added kernel time, times the SMs side by side: what an event costs the SM it happens on.
        "sm_ns_an_event": added_ns * run.launch.sm_count / max(1, counts.events),
        "events_expected": case.events or counts.events,
        "events": counts.events,
        "launches": count_launches(case),
        "records": counts.records,
        "dropped_events": counts.dropped_events,
        "registers": [run.compile.original.registers, run.compile.traced.registers],
        "local_bytes": [run.compile.original.local_bytes, run.compile.traced.local_bytes],
        "spill_store_bytes": run.compile.traced.spill_store_bytes,
        "assembler": f"{run.compile.assembler_origin} {run.compile.assembler_version}",
        "remarks": list(run.compile.remarks),
        "placements": sorted({site.placement for site in run.sites}),
        "warnings": list(run.warnings),
    }


# Made one after the other: each holds its tensors.
CASES: dict[str, Callable[[], Case | None]] = {
    "matmul": matmul_case,
    "attention 64": lambda: attention_case(64, False),
    "attention 64, causal": lambda: attention_case(64, True),
    "attention 128": lambda: attention_case(128, True),
    "GEMM": cute_gemm_case,
    "GEMM, all scopes": lambda: cute_gemm_case(has_all_scopes=True),
    "full_warps 4": lambda: micro_case("full_warps", 4),
    "full_warps 8": lambda: micro_case("full_warps", 8),
    "full_warps 32": lambda: micro_case("full_warps", 32),
    "one_lane 8": lambda: micro_case("one_lane", 8),
    "halves 8": lambda: micro_case("halves", 8),
    "device_function 8": lambda: micro_case("device_function", 8),
    "1 million blocks": many_blocks_case,
}
PAIRS = 40
TIMES_PAIRS = {"GEMM": 3, "GEMM, all scopes": 3}  # its margin is a thousandth

# Other tracers of a case's kernel: what finds their figures with so many pairs.
PEERS: dict[str, dict[str, Callable[[int], dict[str, Any]]]] = {
    "matmul": {"Proton": lambda pairs: proton_kernels.find_figures("matmul", pairs)},
    "attention 64": {
        "Proton": lambda pairs: proton_kernels.find_figures("attention", pairs, False)
    },
    "GEMM": {"IKET": iket_gemm.find_figures},
}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what recording costs a kernel.")
    parser.add_argument("--json", metavar="PATH", help="write all figures to a file")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="of launches; the GEMMs have 3 x")
    parser.add_argument(
        "--cases", default="", metavar="REGEX", help=f"some only, of: {', '.join(CASES)}"
    )
    parser.add_argument("--no-peers", action="store_true", help="leave out other tracers")
    options = parser.parse_args()
    options.chosen = [name for name in CASES if re.search(options.cases, name)]
    if not options.chosen:
        parser.error(f"--cases matches none of: {', '.join(CASES)}")
    return options


def find_peer(find: Callable[[int], dict[str, Any]], pairs: int) -> dict[str, Any]:
    """A peer's figures; what goes wrong there is no failure of ours."""
    try:
        return find(pairs)
    except Exception as error:
        return {"reason": f"{type(error).__name__}: {error}"}


def measure_case(name: str, pairs: int, with_peers: bool) -> dict[str, Any] | None:
    """The row of a case, printed; None where it cannot run here."""
    case = CASES[name]()
    if case is None:
        print(f"{name}: not measured: the kernel, or its DSL, does not run here", flush=True)
        return None
    row = measure(case, pairs)
    peers = PEERS.get(name, {}) if with_peers else {}
    row["peers"] = {peer: find_peer(find, pairs) for peer, find in peers.items()}
    print(show(row), flush=True)
    return row


def main() -> int:
    options = parse_arguments()
    libpygwatch.init_cupti_hooks()
    for name, value in machine_facts().items():
        print(f"{name}: {value}")
    print(f"{options.pairs} pairs, a pause of {PAUSE_SECONDS * 1e3:.0f} ms before each launch\n")
    print(HEADING)
    rows: list[dict[str, Any]] = []
    failed: list[str] = []
    for name in options.chosen:
        pairs = options.pairs * TIMES_PAIRS.get(name, 1)
        try:
            row = measure_case(name, pairs, not options.no_peers)
        except Exception as error:  # the other cases may still be measured
            traceback.print_exc()
            failed.append(f"{name}: {type(error).__name__}: {error}")
            continue
        rows += [row] if row else []
        if options.json:  # after each row, for a later one may end the process
            write_json(options.json, {"pause_s": PAUSE_SECONDS, "rows": rows, "failed": failed})
    musts = check_musts(rows)
    print("\n" + "\n".join([*map(str, musts), *(f"FAILED {what}" for what in failed)]))
    return int(bool(failed) or any(must.met is False for must in musts))


if __name__ == "__main__":
    sys.exit(main())
