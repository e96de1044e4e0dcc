"""C = A @ B^T in the CuTe DSL for GPUs since Ampere: one tile a block, its loads one step ahead."""

from __future__ import annotations

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync, warp

import gwatch.cuda.trace.cute as gw_trace

try:
    from cutlass.memory import SmemAllocator
except ImportError:  # before 4.8
    from cutlass.utils import SmemAllocator

BLOCK_M, BLOCK_N, BLOCK_K = 128, 128, 64
STAGES = 2
WARPS_M, WARPS_N = 2, 2
WARPS = WARPS_M * WARPS_N
THREADS = WARPS * 32
VECTOR = 8  # halves in 16 bytes
MARKERS_A_STEP = 6  # "wait", "issue" and "mma"
MARKERS_A_TILE = 2  # "store"

half, single = cutlass.Float16, cutlass.Float32


def expected_events(m: int, n: int, k: int) -> int:
    """Markers that a launch passes, counted once a warp."""
    tiles = (m // BLOCK_M) * (n // BLOCK_N)
    return tiles * WARPS * (k // BLOCK_K * MARKERS_A_STEP + MARKERS_A_TILE)


@cute.jit
def load(copies, from_a, from_b, to_a, to_b, step):
    """Issue the loads of a step's tiles into its stage."""
    stage = step % STAGES
    cute.copy(copies, from_a[None, None, None, step], to_a[None, None, None, stage])
    cute.copy(copies, from_b[None, None, None, step], to_b[None, None, None, stage])
    cute.arch.cp_async_commit_group()


@cute.kernel
def plain_gemm_kernel(
    a: cute.Tensor, b: cute.Tensor, c: cute.Tensor,
    mma: cute.TiledMma, copies: cute.TiledCopy,
    layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout,
):  # fmt: skip
    """One BLOCK_M x BLOCK_N tile of C."""
    thread, _, _ = cute.arch.thread_idx()
    row, column, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    shared_a = memory.allocate_tensor(half, layout_a, 128)
    shared_b = memory.allocate_tensor(half, layout_b, 128)
    tiles_a = cute.local_tile(a, (BLOCK_M, BLOCK_K), (row, None))
    tiles_b = cute.local_tile(b, (BLOCK_N, BLOCK_K), (column, None))
    tile_c = cute.local_tile(c, (BLOCK_M, BLOCK_N), (row, column))
    steps = tiles_a.shape[2]

    my_copies = copies.get_slice(thread)
    from_a, to_a = my_copies.partition_S(tiles_a), my_copies.partition_D(shared_a)
    from_b, to_b = my_copies.partition_S(tiles_b), my_copies.partition_D(shared_b)

    my_mma = mma.get_slice(thread)
    one = (None, None, 0)
    operand_a = mma.make_fragment_A(my_mma.partition_A(shared_a[one]))
    operand_b = mma.make_fragment_B(my_mma.partition_B(shared_b[one]))
    target_c = my_mma.partition_C(tile_c)
    sums = mma.make_fragment_C(target_c)
    sums.fill(0.0)

    matrices = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), half)
    copy_a, copy_b = cute.make_tiled_copy_A(matrices, mma), cute.make_tiled_copy_B(matrices, mma)
    source_a = copy_a.get_slice(thread).partition_S(shared_a)
    source_b = copy_b.get_slice(thread).partition_S(shared_b)

    load(copies, from_a, from_b, to_a, to_b, 0)
    for step in cutlass.range(steps, unroll=1):
        gw_trace.scope_start("wait")
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()  # the stage that is loaded next has been read, too
        gw_trace.scope_end("wait")
        gw_trace.scope_start("issue")
        if step + 1 < steps:
            load(copies, from_a, from_b, to_a, to_b, step + 1)
        gw_trace.scope_end("issue")
        gw_trace.scope_start("mma")
        at = (None, None, None, step % STAGES)
        cute.copy(copy_a, source_a[at], copy_a.retile(operand_a))
        cute.copy(copy_b, source_b[at], copy_b.retile(operand_b))
        cute.gemm(mma, sums, operand_a, operand_b, sums)
        gw_trace.scope_end("mma")

    gw_trace.scope_start("store")
    part = cute.make_fragment_like(sums, half)
    part.store(sums.load().to(half))
    cute.autovec_copy(part, target_c)
    gw_trace.scope_end("store")


def staged_layout(rows: int) -> cute.ComposedLayout:
    """Tiles in shared memory, swizzled so that a matrix's rows lie in different banks."""
    rows_of_128_bytes = cute.make_layout((8, BLOCK_K), stride=(BLOCK_K, 1))
    atom = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, rows_of_128_bytes)
    return cute.tile_to_shape(atom, (rows, BLOCK_K, STAGES), order=(0, 1, 2))


@cute.jit
def plain_gemm(
    a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, blocks: cutlass.Int32, stream: cuda.CUstream
):
    """Launch C = A @ B^T; rows of A (M x K), B (N x K) and C (M x N) are contiguous fp16.

    M, N and K are multiples of the tile's sides; `blocks` is not used.
    """
    operation = warp.MmaF16BF16Op(half, single, (16, 8, 16))
    whole = (WARPS_M * 16, WARPS_N * 16, 16)
    mma = cute.make_tiled_mma(operation, (WARPS_M, WARPS_N, 1), permutation_mnk=whole)
    asynchronous = cute.make_copy_atom(cpasync.CopyG2SOp(), half, num_bits_per_copy=128)
    vectors = BLOCK_K // VECTOR
    threads = cute.make_layout((THREADS // vectors, vectors), stride=(vectors, 1))
    copies = cute.make_tiled_copy_tv(asynchronous, threads, cute.make_layout((1, VECTOR)))
    plain_gemm_kernel(
        a, b, c, mma, copies, staged_layout(BLOCK_M), staged_layout(BLOCK_N)
    ).launch(
        grid=[a.shape[0] // BLOCK_M, b.shape[0] // BLOCK_N, 1],
        block=[THREADS, 1, 1],
        stream=stream,
    )  # fmt: skip
