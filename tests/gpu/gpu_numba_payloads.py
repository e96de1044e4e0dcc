"""A Numba-CUDA kernel whose markers carry values."""

from numba import cuda

import gwatch.cuda.trace.numba as gw_trace

MARKS = {
    "block": lambda block: block,
    "wide": lambda block: 10000000000 * block - 5,
    "single": lambda block: block * 0.5,
    "even": lambda block: int(block % 2 == 0),
    "fraction": lambda block: 2.5,
    "nothing": lambda block: None,
}
"""What each mark of a block carries."""


@cuda.jit(lineinfo=True)
def numba_payloads(out, turns):
    """Values of every kind: of the block, of each turn, constants."""
    i = cuda.grid(1)
    value = out[i]
    gw_trace.mark("block", cuda.blockIdx.x)
    gw_trace.mark("wide", 10000000000 * cuda.blockIdx.x - 5)
    gw_trace.mark("single", cuda.blockIdx.x * 0.5)
    gw_trace.mark("even", cuda.blockIdx.x % 2 == 0)
    gw_trace.mark("fraction", 2.5)
    gw_trace.mark("nothing")
    for turn in range(turns):
        gw_trace.scope_start("turn", turn)
        value = value * 3 + 1
        gw_trace.scope_end("turn")
    out[i] = value
