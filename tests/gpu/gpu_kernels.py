"""Small Triton kernels, each with one trait that a trace must cope with."""

import triton
import triton.language as tl

import gwatch.cuda.trace.triton as gw_trace

# A branch that sends the two halves of a warp to different markers.
HALVES = tl.constexpr("""
{
    .reg .pred is_upper;
    .reg .b32 product;
    setp.ge.u32 is_upper, $1, 16;
    mov.b32 product, $2;
    @is_upper bra UPPER;
    // gwatch:start lower
    mov.u32 $0, 0;
    mad.lo.u32 product, product, 1664525, 1013904223;
    // gwatch:end lower
    mov.u32 $0, 0;
    bra DONE;
UPPER:
    // gwatch:start upper
    mov.u32 $0, 0;
    mad.lo.u32 product, product, 22695477, 1;
    // gwatch:end upper
    mov.u32 $0, 0;
DONE:
    mov.b32 $0, product;
}
""")


@triton.jit
def steps_kernel(out, steps, block: tl.constexpr):
    """A chain of dependent steps, each in a scope."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    for _ in tl.range(0, steps):
        gw_trace.scope_start("step")
        value = value * 1664525 + 1013904223
        gw_trace.scope_end("step")
    tl.store(out + offsets, value)


@triton.jit
def uneven_kernel(out, steps, block: tl.constexpr):
    """The first block takes all steps, the others ten of them."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    own_steps = steps
    if tl.program_id(0) > 0:
        own_steps = 10
    for _ in tl.range(0, own_steps):
        gw_trace.scope_start("step")
        value = value * 1664525 + 1013904223
        gw_trace.scope_end("step")
    tl.store(out + offsets, value)


@triton.jit
def unmarked_kernel(out, steps, block: tl.constexpr):
    """The same without markers."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    for _ in tl.range(0, steps):
        value = value * 1664525 + 1013904223
    tl.store(out + offsets, value)


@triton.jit
def orphans_kernel(out, steps, block: tl.constexpr):
    """An end without a start, then a start without an end, in each step."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    for _ in tl.range(0, steps):
        gw_trace.scope_end("never_started")
        value = value * 1664525 + 1013904223
        gw_trace.scope_start("never_ended")
        value = value * 22695477 + 1
    tl.store(out + offsets, value)


@triton.jit
def halves_kernel(out, steps, block: tl.constexpr):
    """The halves of each warp pass markers of their own. block is 32, with one warp."""
    lanes = tl.arange(0, block)
    offsets = tl.program_id(0) * block + lanes
    value = offsets
    for _ in tl.range(0, steps):
        value = tl.inline_asm_elementwise(
            HALVES, "=&r,r,r", [lanes, value], dtype=tl.int32, is_pure=False, pack=1
        )
    tl.store(out + offsets, value)


@triton.jit
def trap_kernel(out, steps, block: tl.constexpr):
    """Traps in the middle of a scope."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    gw_trace.scope_start("before the trap")
    value = tl.inline_asm_elementwise(
        "trap; mov.b32 $0, $1;", "=r,r", [offsets], dtype=tl.int32, is_pure=False, pack=1
    )
    gw_trace.scope_end("before the trap")
    tl.store(out + offsets, value + steps)
