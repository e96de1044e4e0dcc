"""What the GPU benchmarks share: the launches they time, and the facts that go with a figure."""

from __future__ import annotations

import importlib.util
import json
import platform
import shlex
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import torch
import triton
from peer_sources import EXAMPLES, GEMM_SCOPES, load_gemm

sys.path.insert(0, str(EXAMPLES))

import trace_triton_attention as attention_example
import trace_triton_matmul as matmul_example

MATMUL_SIZE = 4096
ATTENTION_SHAPE = (4, 16, 4096)  # batch, heads, seqlen


@dataclass
class Case:
    """A launch and what it writes.

    Attributes:
        pattern: matches this kernel's name alone.
        events: markers that a launch passes, counted once a warp.
        dsl: as in ``do_trace(dsl=...)``.
        ptx: the kernel's PTX after a launch, where other designs of recording are to be compared.
        arguments: of the example's function that launches.
    """

    name: str
    pattern: str
    launch: Callable[[], Any]
    output: torch.Tensor
    events: int
    dsl: str = "triton"
    ptx: Callable[[], str] | None = None
    arguments: tuple[Any, ...] = ()


def square_matrices() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two of random numbers, and one for their product."""
    torch.manual_seed(0)
    shape = (MATMUL_SIZE, MATMUL_SIZE)
    a, b = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(2))
    return a, b, torch.empty_like(a)


def matmul_case() -> Case:
    a, b, c = square_matrices()
    name = f"matmul {MATMUL_SIZE}^3"
    events = matmul_example.expected_events(MATMUL_SIZE, MATMUL_SIZE, MATMUL_SIZE)
    return Case(
        name,
        "^matmul_kernel$",
        lambda: matmul_example.matmul(a, b, c),
        c,
        events,
        ptx=lambda: triton_ptx(matmul_example.matmul_kernel),
        arguments=(a, b, c),
    )


def triton_ptx(kernel: Any) -> str:
    """PTX of a Triton function that was compiled once."""
    (cache, *_) = kernel.device_caches[torch.cuda.current_device()]
    (compiled,) = cache.values()
    text: str = compiled.asm["ptx"]
    return text


def attention_case(head_dim: int, causal: bool) -> Case:
    torch.manual_seed(0)
    shape = (*ATTENTION_SHAPE, head_dim)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    name = "attention " + "x".join(map(str, shape)) + (" causal" if causal else "")
    return Case(
        name,
        "^attention_forward_kernel$",
        lambda: attention_example.attention_forward(q, k, v, causal, out),
        out,
        attention_example.expected_events(*shape, causal),
        arguments=(q, k, v, causal, out),
    )


def cute_gemm_case(has_all_scopes: bool = False) -> Case | None:
    """The CuTe DSL example; None where the DSL is not installed, or the GPU is not Hopper.

    Args:
        has_all_scopes: the example as it is; otherwise with GEMM_SCOPES alone.
    """
    if importlib.util.find_spec("cutlass") is None:
        return None
    import cute_hopper_gemm
    import trace_cute_matmul as example

    if example.current_capability() != example.HOPPER:
        return None
    a, b, c = square_matrices()
    _, kernel = example.KERNELS[cute_hopper_gemm]
    with tempfile.TemporaryDirectory() as folder:  # the DSL reads a source when it compiles
        module = cute_hopper_gemm if has_all_scopes else load_gemm(Path(folder))
        example.KERNELS.setdefault(module, (module.hopper_gemm, kernel))
        launch = example.prepare_kernel(module, a, b, c)
    scopes = None if has_all_scopes else GEMM_SCOPES
    return Case(
        f"CuTe DSL GEMM {MATMUL_SIZE}^3, {'all' if has_all_scopes else len(GEMM_SCOPES)} scopes",
        kernel,
        launch,
        c,
        module.expected_events(MATMUL_SIZE, MATMUL_SIZE, MATMUL_SIZE, scopes),
        dsl="cute",
    )


def machine_facts() -> dict[str, str]:
    """Where and when a figure was taken, and how to take it again."""
    return {
        "gpu": torch.cuda.get_device_name(),
        "cuda": str(torch.version.cuda),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "python": platform.python_version(),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(["python", *sys.argv]),
    }


def write_json(path: str, figures: dict[str, Any]) -> None:
    Path(path).write_text(json.dumps(machine_facts() | figures, indent=1) + "\n", "utf-8")
