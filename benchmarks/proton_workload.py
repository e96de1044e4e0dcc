"""What Proton, Triton's own tracer, makes of the Triton examples with the same scopes.

    python benchmarks/proton_workload.py --case matmul --trace --json proton.json

The examples' markers become Proton's scopes; backend "instrumentation", all else as it comes. First
a session of Proton's: what a launch takes on the host. Then, with Proton's hooks off, the kernel
that it made is launched into a buffer of this script's, in a CUDA graph, and timed against the
plain one as recording.py does it with gwatch's: so only the kernel counts. With --trace, Proton
writes its trace last: how many of the scopes are in it, and how large it is. Figures are left
before that, and after.
"""

from __future__ import annotations

import argparse
import mmap
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import gpu_cases
import torch
import triton
import triton.profiler as proton
import triton.profiler.language as proton_language
from figures import ratio_figures
from pairs import capture_launch, compare
from peer_sources import example_source, load_text, with_proton_scopes
from peers import write_figures
from triton.runtime import _allocation

SCOPE = re.compile(rb'"ph": ?"X"')


@dataclass
class Subject:
    """An example's kernel, plain and with Proton's scopes.

    Attributes:
        launch: launches the latter.
        launch_small: the same build, on a small part of the arguments.
        small_events: markers that this one passes.
    """

    plain: gpu_cases.Case
    plain_kernel: Any
    kernel: Any
    launch: Callable[[], Any]
    launch_small: Callable[[], Any]
    small_events: int


def load(file: str, folder: Path) -> ModuleType:
    name = f"{Path(file).stem}_with_proton"
    return load_text(name, with_proton_scopes(example_source(file)), folder)


def matmul(folder: Path) -> Subject:
    case = gpu_cases.matmul_case()
    module, example = load("trace_triton_matmul.py", folder), gpu_cases.matmul_example
    small = [matrix[:512, :512].contiguous() for matrix in case.arguments]
    return Subject(
        case,
        example.matmul_kernel,
        module.matmul_kernel,
        lambda: module.matmul(*case.arguments),
        lambda: module.matmul(*small),
        example.expected_events(512, 512, 512),
    )


def attention(folder: Path) -> Subject:
    case = gpu_cases.attention_case(64, False)
    module, example = load("trace_triton_attention.py", folder), gpu_cases.attention_example
    q, k, v, causal, _ = case.arguments
    small = [tensor[:1, :, :128].contiguous() for tensor in (q, k, v)]
    return Subject(
        case,
        example.attention_forward_kernel,
        module.attention_forward_kernel,
        lambda: module.attention_forward(*case.arguments),
        lambda: module.attention_forward(*small, causal),
        example.expected_events(*small[0].shape, causal),
    )


SUBJECTS = {"matmul": matmul, "attention": attention}


def resources(kernel: Any) -> dict[str, int]:
    (cache, *_) = kernel.device_caches[torch.cuda.current_device()]
    compiled = list(cache.values())[-1]
    return {
        "registers": compiled.n_regs,
        "spills": compiled.n_spills,
        "shared_bytes": compiled.metadata.shared,
    }


def trace_launch(subject: Subject, name: Path) -> tuple[dict[str, Any], str]:
    """Begin a session and launch; what it took, and the mode that Triton's cache asks for."""
    proton.start(str(name), data="trace", backend="instrumentation")
    mode = triton.knobs.compilation.instrumentation_mode
    subject.launch_small()  # compiles and loads
    torch.cuda.synchronize()
    started = time.perf_counter()
    subject.launch()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    proton.deactivate()
    return {"host_ms": seconds * 1e3}, mode


@contextmanager
def own_buffer(mode: str) -> Iterator[list[int]]:
    """Launch what Proton compiled into a buffer of our own; gives the sizes that were asked for."""
    sizes: list[int] = []
    buffers: dict[int, torch.Tensor] = {}

    def allocate(size: int, alignment: int, stream: int | None) -> torch.Tensor:
        sizes.append(size)
        if size not in buffers:
            buffers[size] = torch.zeros(size, dtype=torch.uint8, device="cuda")
        return buffers[size]

    _allocation.set_profile_allocator(allocate)
    triton.knobs.compilation.instrumentation_mode = mode
    try:
        yield sizes
    finally:
        triton.knobs.compilation.instrumentation_mode = ""
        _allocation.set_profile_allocator(_allocation.NullAllocator())


def time_kernel(subject: Subject, mode: str, pairs: int, expected: torch.Tensor) -> dict[str, Any]:
    """The kernel that Proton made against the plain one."""
    case = subject.plain
    plain = capture_launch(case.launch)
    with own_buffer(mode) as sizes:
        subject.launch()
        traced = capture_launch(subject.launch)
        ratio = ratio_figures(compare(plain.replay, traced.replay, pairs))
        case.output.zero_()
        traced.replay()
        torch.cuda.synchronize()
    if not sizes:
        raise RuntimeError("the kernel asked for no buffer: it has no records")
    return {
        "ratio": ratio,
        "control": ratio_figures(compare(plain.replay, plain.replay, pairs)),
        "bit_identical": torch.equal(case.output, expected),
        "buffer_bytes": sizes[-1],
        "plain": resources(subject.plain_kernel),
        "traced": resources(subject.kernel),
    }


def write_trace(subject: Subject, folder: Path) -> dict[str, Any]:
    """Let Proton write its trace; events of the launch in it (two a scope), and its size."""
    started = time.perf_counter()
    proton.finalize()
    seconds = time.perf_counter() - started
    scopes, size = 0, 0
    for path in folder.iterdir():
        size += path.stat().st_size
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            scopes += sum(1 for _ in SCOPE.finditer(text))
    return {
        "finalize_s": seconds,
        "events": 2 * scopes - subject.small_events,
        "trace_bytes": size,
    }


def measure(subject: Subject, folder: Path, options: argparse.Namespace) -> None:
    case = subject.plain
    case.launch()
    torch.cuda.synchronize()
    expected = case.output.clone()
    session, mode = trace_launch(subject, folder / "trace")
    figures = {"case": case.name, "events_expected": case.events, **session}
    figures |= time_kernel(subject, mode, options.pairs, expected)
    write_figures(options.json, figures)
    if options.trace:
        write_figures(options.json, figures | write_trace(subject, folder))


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what Proton costs the Triton examples.")
    parser.add_argument("--json", type=Path, metavar="PATH", required=True)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--case", choices=list(SUBJECTS), default="matmul")
    parser.add_argument("--trace", action="store_true", help="let Proton write its trace")
    options = parser.parse_args()
    proton_language.enable_semantic("triton")
    with tempfile.TemporaryDirectory() as sources, tempfile.TemporaryDirectory() as traces:
        subject = SUBJECTS[options.case](Path(sources))
        measure(subject, Path(traces), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
