"""A Gluon kernel with a default partition and one of warps of their own, both with markers."""

from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

import gwatch.cuda.trace.triton as gw_trace


@gluon.jit
def copy_first(source, target, base, turns, block: ttgl.constexpr, layout: ttgl.constexpr):
    """The default partition copies the first stretch."""
    with gw_trace.scope("first", base):
        offsets = base + ttgl.arange(0, block, layout=layout)
        ttgl.store(target + offsets, ttgl.load(source + offsets))


@gluon.jit
def double_rest(source, target, base, turns, block: ttgl.constexpr, layout: ttgl.constexpr):
    """The other warps double the others, one in each turn."""
    for turn in range(turns):
        gw_trace.scope_start("load", turn)
        offsets = base + (turn + 1) * block + ttgl.arange(0, block, layout=layout)
        value = ttgl.load(source + offsets)
        gw_trace.scope_switch("load", "store")
        ttgl.store(target + offsets, value * 2)
        gw_trace.scope_end("store")


@gluon.jit
def partitioned_kernel(source, target, turns, block: ttgl.constexpr):
    """Both at once."""
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [32], [4], [0])
    base = ttgl.program_id(0) * (turns + 1) * block
    gw_trace.scope_start("all")
    ttgl.warp_specialize(
        [
            (copy_first, (source, target, base, turns, block, layout)),
            (double_rest, (source, target, base, turns, block, layout)),
        ],
        [4],
        [24],
    )
    gw_trace.scope_end("all")


@gluon.jit
def plain_kernel(source, target, turns, block: ttgl.constexpr):
    """Without partitions."""
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [32], [4], [0])
    base = ttgl.program_id(0) * (turns + 1) * block
    copy_first(source, target, base, turns, block, layout)
    double_rest(source, target, base, turns, block, layout)
