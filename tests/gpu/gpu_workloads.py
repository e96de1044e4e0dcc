"""Launches with a known result and a known number of events."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gpu_kernels
import pytest
import torch
import trace_triton_attention as attention_example
import trace_triton_matmul as matmul_example

from gwatch.cuda.trace import TraceResult, do_trace
from gwatch.errors import GwatchError

THREADS_OF_WARP = 32
SCRIPT_SECONDS = 120


@dataclass
class Workload:
    """One launch that writes `output`.

    Attributes:
        pattern: matches this kernel alone.
        launch: launches it once on the current stream and does not wait.
        events: markers that one launch passes, counted once a warp.
        expected: what the untraced kernel wrote.
    """

    pattern: str
    launch: Callable[[], Any]
    output: torch.Tensor
    events: int
    expected: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.launch()
        torch.cuda.synchronize()
        self.expected = self.output.clone()
        assert self.expected.any(), "a kernel that writes nothing proves nothing"

    def clear(self) -> None:
        self.output.zero_()
        torch.cuda.synchronize()

    def is_right(self) -> bool:
        """The output is bit-identical to the untraced one."""
        torch.cuda.synchronize()
        return torch.equal(self.output, self.expected)


def make_matmul(size: int) -> Workload:
    torch.manual_seed(0)
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.zeros_like(a)
    work = Workload(
        r"^matmul_kernel$",
        lambda: matmul_example.matmul(a, b, c),
        c,
        matmul_example.expected_events(size, size, size),
    )
    assert torch.allclose(c.float(), (a @ b).float(), atol=0.2, rtol=1e-2)
    return work


def make_attention(
    causal: bool, head_dim: int, batch: int = 2, heads: int = 8, seqlen: int = 1024
) -> Workload:
    torch.manual_seed(0)
    shape = (batch, heads, seqlen, head_dim)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
    out = torch.zeros_like(q)
    work = Workload(
        r"^attention_forward_kernel$",
        lambda: attention_example.attention_forward(q, k, v, causal, out),
        out,
        attention_example.expected_events(batch, heads, seqlen, head_dim, causal),
    )
    tolerance = attention_example.TOLERANCE
    reference = attention_example.reference_attention(q, k, v, causal)
    assert torch.allclose(out.float(), reference, atol=tolerance, rtol=tolerance)
    return work


def make_small(kernel: Any, events_a_step: int, blocks: int, steps: int, warps: int) -> Workload:
    threads = warps * THREADS_OF_WARP
    out = torch.zeros(blocks * threads, device="cuda", dtype=torch.int32)
    return Workload(
        f"^{kernel.__name__}$",
        lambda: kernel[(blocks,)](out, steps, block=threads, num_warps=warps),
        out,
        blocks * warps * steps * events_a_step,
    )


def make_steps(blocks: int, steps: int, warps: int) -> Workload:
    return make_small(gpu_kernels.steps_kernel, 2, blocks, steps, warps)


def make_uneven(blocks: int, steps: int, warps: int) -> Workload:
    work = make_small(gpu_kernels.uneven_kernel, 0, blocks, steps, warps)
    work.events = 2 * warps * (steps + 10 * (blocks - 1))
    return work


def make_unmarked() -> Workload:
    return make_small(gpu_kernels.unmarked_kernel, 0, blocks=64, steps=100, warps=4)


def make_orphans(blocks: int, steps: int, warps: int) -> Workload:
    return make_small(gpu_kernels.orphans_kernel, 2, blocks, steps, warps)


def make_halves(blocks: int, steps: int) -> Workload:
    return make_small(gpu_kernels.halves_kernel, 4, blocks, steps, 1)


def trace(work: Workload, **options: Any) -> TraceResult[Any]:
    """Trace one launch and check its result."""
    work.clear()
    result = do_trace(fn=work.launch, kernel_name_pattern=work.pattern, dsl="triton", **options)
    assert work.is_right()
    return result


def trace_with_too_little_memory(work: Workload, dsl: str, warps: int) -> None:
    """Whatever the buffer, the kernel is right, and what is not recorded is counted. The smallest
    one has regions of 512 bytes for each of the warps, and drops something; the last one nothing.
    """
    drops = []
    for size in (1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64):
        work.clear()
        buffer_bytes = int(size * warps * 512 * 4 / 3) + 4096
        options = {"buffer_bytes": buffer_bytes, "fidelity": False}
        (run,) = do_trace(work.launch, work.pattern, dsl, **options).runs
        assert work.is_right()
        assert run.counts.warps_recorded == run.counts.warps_in_grid
        assert run.counts.events + run.counts.dropped_events == work.events
        drops.append(run.counts.dropped_events)
        if not drops[-1] and size > 2:
            break
    assert drops[0] > 0
    assert drops[-1] == 0


def trace_failure(work: Workload, error_type: type[GwatchError], **options: Any) -> GwatchError:
    """What do_trace raises; the untraced kernel has written the right result all the same."""
    work.clear()
    arguments = {"fn": work.launch, "kernel_name_pattern": work.pattern, "dsl": "triton"}
    with pytest.raises(error_type) as caught:
        do_trace(**(arguments | options))
    assert work.is_right()
    assert caught.value.message
    assert caught.value.hint, "an error says what to do"
    return caught.value


def run_script(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that can import what this one can."""
    paths = os.pathsep.join(filter(None, sys.path))
    environment = os.environ | {"PYTHONPATH": paths} | environment
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SCRIPT_SECONDS,
        check=False,
    )
