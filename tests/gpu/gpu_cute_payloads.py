"""A CuTe DSL kernel whose markers carry values."""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute

import gwatch.cuda.trace.cute as gw_trace

BLOCKS, THREADS = 8, 64


@cute.kernel
def payloads_kernel(x: cute.Tensor, turns: cutlass.Int32):
    """Values of every kind: of the block, of each turn, constants."""
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    gw_trace.mark("block", block)
    gw_trace.mark("negative", -block - 1)
    gw_trace.mark("unsigned", cutlass.Uint32(block - 1))
    gw_trace.mark("even", block % 2 == 0)
    gw_trace.mark("wide", cutlass.Int64(block) * 10000000000 - 5)
    gw_trace.mark("single", cutlass.Float32(block) * 0.5)
    gw_trace.mark("half", (cutlass.Float32(block) * 0.25).to(cutlass.Float16))
    gw_trace.mark("address", x.iterator)
    gw_trace.mark("constant", -7)
    gw_trace.mark("nothing")
    value = cutlass.Float32(0.0)
    for turn in cutlass.range(turns, unroll=1):
        with gw_trace.scope("turn", turn):
            value = value + cutlass.Float32(turn)
    x[block * THREADS + thread] = value


@cute.jit
def payloads(x: cute.Tensor, turns: cutlass.Int32, stream: cuda.CUstream):
    """Launch it."""
    payloads_kernel(x, turns).launch(grid=[BLOCKS, 1, 1], block=[THREADS, 1, 1], stream=stream)
