"""Triton kernels whose markers carry values."""

import triton
import triton.language as tl

import gwatch.cuda.trace.triton as gw_trace


@triton.jit
def tiles_kernel(out, turns, block: tl.constexpr):
    """Values of every kind: of the tile, of each turn, constants."""
    tile = tl.program_id(0)
    offsets = tile * block + tl.arange(0, block)
    value = offsets
    gw_trace.mark("tile", tile)
    with gw_trace.scope("all", out):
        for turn in tl.range(0, turns):
            with gw_trace.scope("turn", turn):
                value = value * 1664525 + 1013904223
    gw_trace.mark("negative", -tile - 1)
    gw_trace.mark("unsigned", (tile - 1).to(tl.uint32))
    gw_trace.mark("narrow", (-tile).to(tl.int8))
    gw_trace.mark("even", tile % 2 == 0)
    gw_trace.mark("wide", tile.to(tl.int64) * 10000000000 - 5)
    gw_trace.mark("single", tile * 0.5)
    gw_trace.mark("half", (tile * 0.25).to(tl.float16))
    gw_trace.mark("double", tile.to(tl.float64) / 3)
    gw_trace.mark("reduced", tl.sum(tl.arange(0, block), axis=0))
    gw_trace.mark("constant", -7)
    gw_trace.mark("big", 1 << 40)
    gw_trace.mark("fraction", 2.5)
    gw_trace.mark("nothing")
    tl.store(out + offsets, value)


@triton.jit
def unmarked_tiles_kernel(out, turns, block: tl.constexpr):
    """What the other one computes."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    for _ in tl.range(0, turns):
        value = value * 1664525 + 1013904223
    tl.store(out + offsets, value)


@triton.jit
def persistent_kernel(out, tiles, block: tl.constexpr):
    """A block takes one tile after the other: the scope says which, over many turns of a loop."""
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0)):
        gw_trace.scope_start("tile", tile)
        offsets = tile * block + tl.arange(0, block)
        value = offsets * 3 + 1
        gw_trace.scope_switch("tile", "store")
        tl.store(out + offsets, value)
        gw_trace.scope_end("store")


@triton.jit
def across_turns_kernel(out, turns, block: tl.constexpr):
    """Scopes that overlap, that go on in the next turn, and that end in another branch."""
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    value = offsets
    gw_trace.scope_start("next", -1)
    for turn in tl.range(0, turns):
        gw_trace.scope_end("next")
        gw_trace.scope_start("overlap", turn)
        value = value * 1664525 + 1013904223
        gw_trace.scope_start("next", turn)
        value = value * 22695477 + 1
        if turn % 2 == 0:
            gw_trace.scope_end("overlap")
            value += 1
        else:
            value += 2
            gw_trace.scope_end("overlap")
    gw_trace.scope_end("next")
    tl.store(out + offsets, value)


@triton.jit(noinline=True)
def step_in_a_function(value, step):
    """A function of its own in the PTX, with markers and a value that is its parameter."""
    with gw_trace.scope("in function", step):
        value = value * 1664525 + 1013904223
        gw_trace.mark("wide", step.to(tl.int64) << 40)
    return value


@triton.jit
def calling_kernel(out, turns, block: tl.constexpr):
    """Markers with values in a function that is called; Triton's take scalars only."""
    value = tl.program_id(0)
    for turn in tl.range(0, turns):
        value = step_in_a_function(value, turn)
    tl.store(out + tl.program_id(0) * block + tl.arange(0, block), value)


@triton.jit
def pipelined_kernel(a, b, c, turns, size: tl.constexpr, depth: tl.constexpr):
    """A row of tiles times a column of tiles, in a loop that Triton pipelines."""
    rows = tl.program_id(0) * size + tl.arange(0, size)
    columns = tl.arange(0, size)
    steps = tl.arange(0, depth)
    a_tile = a + rows[:, None] * (turns * depth) + steps[None, :]
    b_tile = b + steps[:, None] * size + columns[None, :]
    sums = tl.zeros((size, size), dtype=tl.float32)
    for turn in tl.range(0, turns):
        with gw_trace.scope("load", turn):
            a_values = tl.load(a_tile)
            b_values = tl.load(b_tile)
        with gw_trace.scope("dot", turn):
            sums = tl.dot(a_values, b_values, sums)
        a_tile += depth
        b_tile += depth * size
    tl.store(c + rows[:, None] * size + columns[None, :], sums)
