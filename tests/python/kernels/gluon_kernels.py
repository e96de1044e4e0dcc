"""Gluon kernels with markers: in a default partition and a warp-specialised one, and in neither."""

from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl

import gwatch.cuda.trace.triton as gw_trace

SIGNATURE = {"source": "*fp32", "target": "*fp32", "turns": "i32", "block": "constexpr"}
CONSTANTS = {"block": 128}


@gluon.jit
def copy_first(source, target, turns, block: ttgl.constexpr, layout: ttgl.constexpr):
    with gw_trace.scope("first", source):
        offsets = ttgl.arange(0, block, layout=layout)
        ttgl.store(target + offsets, ttgl.load(source + offsets))


@gluon.jit
def double_rest(source, target, turns, block: ttgl.constexpr, layout: ttgl.constexpr):
    for turn in range(turns):
        gw_trace.scope_start(7, turn)
        offsets = (turn + 1) * block + ttgl.arange(0, block, layout=layout)
        value = ttgl.load(source + offsets)
        gw_trace.scope_switch(7, 8)
        ttgl.store(target + offsets, value * 2)
        gw_trace.scope_end(8)
        gw_trace.mark("turn", turn * 0.5)


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


@gluon.jit
def plain_kernel(source, target, turns, block: ttgl.constexpr):
    layout: ttgl.constexpr = ttgl.BlockedLayout([1], [32], [4], [0])
    gw_trace.scope_start("all")
    copy_first(source, target, turns, block, layout)
    double_rest(source, target, turns, block, layout)
    gw_trace.scope_end("all")
