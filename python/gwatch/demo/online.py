"""The demo with a GPU: traces the attention example."""

from __future__ import annotations

import importlib.util

from gwatch import libpygwatch

SHAPE = (1, 8, 1024, 64)
"""Batch, heads, sequence length, head dimension: one wave of blocks on a large GPU."""


def why_not() -> str | None:
    """Why nothing can be traced here, or None when it can."""
    for package in ("torch", "triton"):
        if importlib.util.find_spec(package) is None:
            return f"the package {package} is not installed"
    import torch

    if not torch.cuda.is_available():
        return "torch finds no CUDA GPU"
    return None


def trace() -> libpygwatch.Trace:
    """Trace one launch of the attention example on this machine."""
    import torch

    import gwatch.demo.attention as attention
    from gwatch.cuda.trace import do_trace

    q, k, v = (torch.randn(SHAPE, device="cuda", dtype=torch.float16) for _ in range(3))
    result = do_trace(
        lambda: attention.attention_forward(q, k, v, causal=True), "attention_forward", "triton"
    )
    launch = result.runs[0].launch
    print(f"Traced {launch.kernel} on this machine's {launch.device}.")
    return result.to_trace("gwatch demo: attention, traced on this machine")
