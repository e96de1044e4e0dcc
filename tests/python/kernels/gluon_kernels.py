"""A Gluon kernel with markers in its default partition and in a warp-specialised one."""

from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

import gwatch.cuda.trace.triton as gw_trace

SIGNATURE = {"source": "*fp32", "target": "*fp32", "turns": "i32", "block": "constexpr"}
CONSTANTS = {"block": 128}


@gluon.jit
def copy_first(source, target, turns, block: ttgl.constexpr, layout: ttgl.constexpr):
    gw_trace.scope_start("first")
    offsets = ttgl.arange(0, block, layout=layout)
    ttgl.store(target + offsets, ttgl.load(source + offsets))
    gw_trace.scope_end("first")


@gluon.jit
def double_rest(source, target, turns, block: ttgl.constexpr, layout: ttgl.constexpr):
    for turn in range(turns):
        gw_trace.scope_start(7)
        offsets = (turn + 1) * block + ttgl.arange(0, block, layout=layout)
        value = ttgl.load(source + offsets)
        gw_trace.scope_switch(7, 8)
        ttgl.store(target + offsets, value * 2)
        gw_trace.scope_end(8)
        gw_trace.mark("turn")


@gluon.jit
def kernel(source, target, turns, block: ttgl.constexpr):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [32], [4], [0])
    gw_trace.scope_start("all")
    ttgl.warp_specialize(
        [
            (copy_first, (source, target, turns, block, layout)),
            (double_rest, (source, target, turns, block, layout)),
        ],
        [4],
        [24],
    )
    gw_trace.scope_end("all")
