"""C = A @ B^T in the CuTe DSL for Hopper: persistent, warp-specialised, every phase in a scope.

Of each block's twelve warps one loads tiles by TMA into a ring of stages in shared memory, and two
warpgroups multiply them (WGMMA) and store their sums, again by TMA. The other three warps of the
loading warp's group only give their registers away. In a cluster of two blocks, which work on tiles
one above the other, each loads its tile of A and half of the tile of B, for both of them.
"""

from __future__ import annotations

from collections.abc import Collection

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import pipeline
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warp, warpgroup

import gwatch.cuda.trace.cute as gw_trace

try:
    from cutlass.memory import SmemAllocator
except ImportError:  # before 4.8
    from cutlass.utils import SmemAllocator

BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 64
STAGES = 4
CLUSTER = 1  # blocks that share their tiles of B: 1 or 2
IS_DEPENDENT = False  # whether it may begin before the kernel ahead of it ends
STORE_N = 64  # columns that one TMA store takes
STORE_STAGES = 2
BAND = 16  # rows of tiles that are worked on at a time, so that their B tiles stay in L2

GROUP_WARPS, GROUP_THREADS = 4, 128
CONSUMER_GROUPS = 2
CONSUMER_WARPS = CONSUMER_GROUPS * GROUP_WARPS
CONSUMER_THREADS = CONSUMER_GROUPS * GROUP_THREADS
THREADS = GROUP_THREADS + CONSUMER_THREADS
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232
CONSUMER_BARRIER = 1

STORES = BLOCK_N // STORE_N
STAGE_BYTES = (BLOCK_M + BLOCK_N) * BLOCK_K * 2

half, single = cutlass.Float16, cutlass.Float32


def scopes_a_tile(k: int) -> dict[str, int]:
    """How often each scope is run through for a tile, by all warps of its block together."""
    steps = -(-k // BLOCK_K)
    producer = {"acquire": steps, "issue": steps}
    consumer = {"first wait": 1, "first mma": 1, "wait": steps - 1, "mma": steps - 1, "drain": 1}
    epilogue = {"epilogue": 1, "convert": STORES, "store": STORES}
    return producer | {
        name: CONSUMER_WARPS * count for name, count in (consumer | epilogue).items()
    }


def expected_events(m: int, n: int, k: int, scopes: Collection[str] | None = None) -> int:
    """Markers that a launch passes, of all scopes or of some, counted once a warp."""
    tiles_m = -(-m // BLOCK_M // CLUSTER) * CLUSTER  # a cluster's last may lie outside
    tiles = tiles_m * -(-n // BLOCK_N)
    counts = scopes_a_tile(k)
    return 2 * tiles * sum(counts[name] for name in (counts if scopes is None else scopes))


@cute.jit
def tile_numbers(tiles_m: cutlass.Int32, tiles_n: cutlass.Int32):
    """First, end and step of the numbers of this block's tiles, which are those of its cluster."""
    block, _, _ = cute.arch.block_idx()
    blocks, _, _ = cute.arch.grid_dim()
    return block // CLUSTER, tiles_m // CLUSTER * tiles_n, blocks // CLUSTER


@cute.jit
def tile_at(number: cutlass.Int32, tiles_m: cutlass.Int32, tiles_n: cutlass.Int32):
    """Row and column of this block's tile: down the rows of a band, then on to the next column."""
    band_rows = BAND // CLUSTER  # one for all blocks of a cluster
    band, inside = number // (band_rows * tiles_n), number % (band_rows * tiles_n)
    rows = cutlass.min(tiles_m // CLUSTER - band * band_rows, band_rows)
    row = (band * band_rows + inside % rows) * CLUSTER + cute.arch.block_idx_in_cluster()
    return row, inside // rows


@cute.jit
def produce(loads, load_a, load_b, from_a, from_b, to_a, to_b, tiles_m, tiles_n, steps):
    """Load this block's tiles of A, and its part of the cluster's tiles of B for all its blocks."""
    everyone = cutlass.Int16((1 << CLUSTER) - 1)
    free = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
    first, end, stride = tile_numbers(tiles_m, tiles_n)
    for number in cutlass.range(first, end, stride, unroll=1):
        row, column = tile_at(number, tiles_m, tiles_n)
        for step in cutlass.range(steps, unroll=1):
            gw_trace.scope_start("acquire")
            loads.producer_acquire(free)
            gw_trace.scope_end("acquire")
            gw_trace.scope_start("issue")
            full = loads.producer_get_barrier(free)
            cute.copy(load_a, from_a[None, row, step], to_a[None, free.index], tma_bar_ptr=full)
            cute.copy(
                load_b, from_b[None, column, step], to_b[None, free.index],
                tma_bar_ptr=full, mcast_mask=everyone,
            )  # fmt: skip
            gw_trace.scope_end("issue")
            free.advance()
    if cutlass.const_expr(CLUSTER > 1):  # the other block still releases stages here
        loads.producer_tail(free)


@cute.jit
def multiply(first_mma, mma, sums, operand_a, operand_b, stage):
    """Issue the products of one stage; `first_mma` is for the first of them."""
    warpgroup.fence()
    for block_k in cutlass.range_constexpr(cute.size(operand_a, mode=[2])):
        at = (None, None, block_k, stage)
        operation = first_mma if cutlass.const_expr(block_k == 0) else mma
        cute.gemm(operation, sums, operand_a[at], operand_b[at], sums)
    warpgroup.commit_group()


@cute.jit
def sum_up(loads, first_mma, mma, sums, operand_a, operand_b, full, free, steps):
    """Multiply one tile, one stage's products in flight; `free` is that stage."""
    gw_trace.scope_start("first wait")  # also while the ring fills
    loads.consumer_wait(full)
    gw_trace.scope_end("first wait")
    gw_trace.scope_start("first mma")  # no products before it to wait for
    multiply(first_mma, mma, sums, operand_a, operand_b, full.index)
    gw_trace.scope_end("first mma")
    full.advance()
    for _ in cutlass.range(1, steps, unroll=1):
        gw_trace.scope_start("wait")
        loads.consumer_wait(full)
        gw_trace.scope_end("wait")
        gw_trace.scope_start("mma")
        multiply(mma, mma, sums, operand_a, operand_b, full.index)
        warpgroup.wait_group(1)
        loads.consumer_release(free)
        gw_trace.scope_end("mma")
        full.advance()
        free.advance()
    gw_trace.scope_start("drain")
    warpgroup.wait_group(0)
    loads.consumer_release(free)
    free.advance()
    gw_trace.scope_end("drain")
    return full, free


@cute.jit
def store(sums, store_c, shared_c, from_shared, to_c, thread, is_storing_warp, row, column):
    """Convert and store one tile, STORE_N columns at a time."""
    store_mma = tiled_mma(STORE_N, True)
    to_shared = cute.make_tiled_copy_C(
        cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), half), store_mma
    )
    targets = to_shared.get_slice(thread).partition_D(shared_c)
    part = cute.make_rmem_tensor(store_mma.partition_shape_C((BLOCK_M, STORE_N)), half)
    count = cute.size(part)
    flat_part = cute.make_tensor(part.iterator, cute.make_layout(count))
    parts = cute.make_tensor(sums.iterator, cute.make_layout((count, STORES)))
    consumers = pipeline.NamedBarrier(CONSUMER_BARRIER, CONSUMER_THREADS)
    for number in cutlass.range_constexpr(STORES):
        stage = number % STORE_STAGES
        gw_trace.scope_start("convert")
        flat_part.store(parts[None, number].load().to(half))
        cute.copy(to_shared, to_shared.retile(part), targets[None, None, None, stage])
        cute.arch.fence_proxy("async.shared", space="cta")
        consumers.arrive_and_wait()
        gw_trace.scope_end("convert")
        gw_trace.scope_start("store")
        if is_storing_warp:
            with cute.arch.elect_one():
                place = (None, row, column * STORES + number)
                cute.copy(store_c, from_shared[None, stage], to_c[place])
                cute.arch.cp_async_bulk_commit_group()
                cute.arch.cp_async_bulk_wait_group(STORE_STAGES - 1, read=True)
        consumers.arrive_and_wait()
        gw_trace.scope_end("store")


@cute.kernel
def hopper_gemm_kernel(
    load_a: cute.CopyAtom, a: cute.Tensor, load_b: cute.CopyAtom, b: cute.Tensor,
    store_c: cute.CopyAtom, c: cute.Tensor,
    layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout, layout_c: cute.ComposedLayout,
):  # fmt: skip
    """All tiles of C whose numbers are this block's, modulo the number of blocks."""
    thread, _, _ = cute.arch.thread_idx()
    warp_number = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    memory = SmemAllocator()
    barriers = memory.allocate_array(cutlass.Int64, 2 * STAGES, byte_alignment=8)
    shared_a = memory.allocate_tensor(half, layout_a.outer, 1024, layout_a.inner)
    shared_b = memory.allocate_tensor(half, layout_b.outer, 1024, layout_b.inner)
    shared_c = memory.allocate_tensor(half, layout_c.outer, 1024, layout_c.inner)
    loads = pipeline.PipelineTmaAsync.create(
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, CLUSTER * CONSUMER_WARPS),
        tx_count=STAGE_BYTES,
        barrier_storage=barriers,
        cta_layout_vmnk=cute.make_layout((1, CLUSTER, 1, 1)),
    )
    if cutlass.const_expr(IS_DEPENDENT):
        cute.arch.griddepcontrol_wait()
        cute.arch.griddepcontrol_launch_dependents()
    tiles_a = tiles_of(a, (BLOCK_M, BLOCK_K), (CLUSTER * BLOCK_M, BLOCK_K))
    tiles_b = tiles_of(b, (BLOCK_N, BLOCK_K), (BLOCK_N, BLOCK_K))
    tiles_c = tiles_of(c, (BLOCK_M, STORE_N), (CLUSTER * BLOCK_M, BLOCK_N))
    tiles_m, tiles_n, steps = tiles_a.shape[2], tiles_b.shape[2], tiles_a.shape[3]
    first_mma, mma = tiled_mma(BLOCK_N, False), tiled_mma(BLOCK_N, True)

    if warp_number < GROUP_WARPS:
        cute.arch.setmaxregister_decrease(PRODUCER_REGISTERS)
        if warp_number == 0:
            to_a, from_a = tma_views(load_a, shared_a, tiles_a)
            part = cute.arch.block_idx_in_cluster()
            to_b, from_b = tma_views(load_b, shared_b, tiles_b, part, CLUSTER)
            produce(loads, load_a, load_b, from_a, from_b, to_a, to_b, tiles_m, tiles_n, steps)
    else:
        cute.arch.setmaxregister_increase(CONSUMER_REGISTERS)
        thread -= GROUP_THREADS
        from_shared, to_c = tma_views(store_c, shared_c, tiles_c)
        groups = cute.make_layout(CONSUMER_GROUPS, stride=GROUP_THREADS)
        mine = mma.get_slice(groups(warp_number // GROUP_WARPS - 1))
        operand_a = mma.make_fragment_A(mine.partition_A(shared_a))
        operand_b = mma.make_fragment_B(mine.partition_B(shared_b))
        sums = cute.make_rmem_tensor(mma.partition_shape_C((BLOCK_M, BLOCK_N)), single)
        is_storing_warp = warp_number == GROUP_WARPS
        full = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        free = full.clone()
        first, end, stride = tile_numbers(tiles_m, tiles_n)
        for number in cutlass.range(first, end, stride, unroll=1):
            row, column = tile_at(number, tiles_m, tiles_n)
            full, free = sum_up(
                loads, first_mma, mma, sums, operand_a, operand_b, full, free, steps
            )
            gw_trace.scope_start("epilogue")
            store(
                sums, store_c, shared_c, from_shared, to_c,
                thread, is_storing_warp, row, column,
            )  # fmt: skip
            gw_trace.scope_end("epilogue")
        if is_storing_warp:
            with cute.arch.elect_one():
                cute.arch.cp_async_bulk_wait_group(0, read=True)


def tiles_of(view: cute.Tensor, tile: tuple[int, int], step: tuple[int, int]):
    """Tiles of a matrix extended to multiples of `step`; TMA reads zeros there, stores nothing."""
    shape = tuple(cute.round_up(size, whole) for size, whole in zip(view.shape, step, strict=True))
    extended = cute.make_layout(shape, stride=view.stride)
    return cute.local_tile(cute.make_tensor(view.iterator, extended), tile, (None, None))


def tma_views(atom: cute.CopyAtom, shared: cute.Tensor, tiles: cute.Tensor, part=0, parts=1):
    """Stages in shared memory, and tiles in global memory, as a TMA copy takes a part of each."""
    shared, tiles = cute.group_modes(shared, 0, 2), cute.group_modes(tiles, 0, 2)
    return cpasync.tma_partition(atom, part, cute.make_layout(parts), shared, tiles)


def staged_layout(rows: int, columns: int, stages: int) -> cute.ComposedLayout:
    """Tiles in shared memory, their rows contiguous and swizzled by 128 bytes."""
    atom = warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind.K_SW128, half)
    return cute.tile_to_shape(atom, (rows, columns, stages), order=(0, 1, 2))


def tiled_mma(columns: int, accumulate: bool) -> cute.TiledMma:
    """Products of 64 rows by so many columns in each consumer group, added to sums or in place."""
    k_major, source = OperandMajorMode.K, warpgroup.OperandSource.SMEM
    operation = warpgroup.MmaF16BF16Op(half, single, (64, columns, 16), source, k_major, k_major)
    mma = cute.make_tiled_mma(cute.make_mma_atom(operation), (CONSUMER_GROUPS, 1, 1))
    mma.set(warpgroup.Field.ACCUMULATE, accumulate)
    return mma


@cute.jit
def hopper_gemm(
    a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, blocks: cutlass.Int32, stream: cuda.CUstream
):
    """Launch C = A @ B^T; rows of A (M x K), B (N x K) and C (M x N) are contiguous fp16."""
    layout_a = staged_layout(BLOCK_M, BLOCK_K, STAGES)
    layout_b = staged_layout(BLOCK_N, BLOCK_K, STAGES)
    layout_c = staged_layout(BLOCK_M, STORE_N, STORE_STAGES)
    one = (None, None, 0)
    load, save = cpasync.CopyBulkTensorTileG2SOp(), cpasync.CopyBulkTensorTileS2GOp()
    share = cpasync.CopyBulkTensorTileG2SMulticastOp() if CLUSTER > 1 else load
    make_atom = cpasync.make_tiled_tma_atom
    load_a, view_a = make_atom(load, a, cute.slice_(layout_a, one), (BLOCK_M, BLOCK_K))
    load_b, view_b = make_atom(share, b, cute.slice_(layout_b, one), (BLOCK_N, BLOCK_K), CLUSTER)
    store_c, view_c = make_atom(save, c, cute.slice_(layout_c, one), (BLOCK_M, STORE_N))
    hopper_gemm_kernel(
        load_a, view_a, load_b, view_b, store_c, view_c,
        layout_a, layout_b, layout_c,
    ).launch(
        grid=[cute.round_up(blocks, CLUSTER), 1, 1], block=[THREADS, 1, 1],
        cluster=[CLUSTER, 1, 1] if CLUSTER > 1 else None, min_blocks_per_mp=1, stream=stream,
        use_pdl=IS_DEPENDENT,
    )  # fmt: skip
