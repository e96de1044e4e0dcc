"""A Triton kernel whose markers are imported by their names, as Inductor can copy it."""

import triton
import triton.language as tl

from gwatch.cuda.trace.triton import scope_end, scope_start


@triton.jit
def named_steps_kernel(out, steps, block: tl.constexpr):
    """A chain of dependent steps, each in a scope."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    for _ in tl.range(0, steps):
        scope_start("step")
        value = value * 1664525 + 1013904223
        scope_end("step")
    tl.store(out + offsets, value)
