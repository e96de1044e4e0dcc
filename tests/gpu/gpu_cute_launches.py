"""A CuTe DSL kernel for launches of every kind: clusters, programmatic dependence, cooperation."""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute

import gwatch.cuda.trace.cute as gw_trace

THREADS = 128


@cute.kernel
def chain_kernel(
    x: cute.Tensor,
    turns: cutlass.Int32,
    cluster: cutlass.Constexpr,
    is_dependent: cutlass.Constexpr,
):
    """Some turns of a chain on each element, behind the kernel before and the whole cluster."""
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    if cutlass.const_expr(is_dependent):
        with gw_trace.scope("grid before"):
            cute.arch.griddepcontrol_wait()
        cute.arch.griddepcontrol_launch_dependents()
    if cutlass.const_expr(cluster > 1):
        with gw_trace.scope("cluster", cute.arch.block_idx_in_cluster()):
            cute.arch.cluster_arrive()
            cute.arch.cluster_wait()
    value = x[block * THREADS + thread]
    for turn in cutlass.range(turns, unroll=1):
        with gw_trace.scope("turn", turn):
            value = value * 3 + 1
    x[block * THREADS + thread] = value


@cute.jit
def chain(
    x: cute.Tensor,
    turns: cutlass.Int32,
    stream: cuda.CUstream,
    blocks: cutlass.Constexpr,
    cluster: cutlass.Constexpr,
    is_dependent: cutlass.Constexpr,
    is_cooperative: cutlass.Constexpr,
):
    """Launch it."""
    chain_kernel(x, turns, cluster, is_dependent).launch(
        grid=[blocks, 1, 1],
        block=[THREADS, 1, 1],
        cluster=[cluster, 1, 1],
        stream=stream,
        use_pdl=is_dependent,
        cooperative=is_cooperative,
    )
