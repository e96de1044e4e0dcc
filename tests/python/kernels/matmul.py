"""C = A B in fp16, pipelined by Triton, with four markers in the loop over K."""

# ruff: noqa: N803 - Triton names constants like that

import triton
import triton.language as tl

import gwatch.cuda.trace.triton as gw_trace

SIGNATURE = {
    **{name: "*fp16" for name in ("a", "b", "c")},
    **{name: "i32" for name in ("m", "n", "k", "stride_am", "stride_bk", "stride_cm")},
    **{name: "constexpr" for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K")},
}
CONSTANTS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}
ALIGNED = ("a", "b", "c", "m", "n", "k", "stride_am", "stride_bk", "stride_cm")
OPTIONS = {"num_warps": 8, "num_stages": 3}


@triton.jit
def kernel(
    a, b, c, m, n, k, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    tiles_n = tl.cdiv(n, BLOCK_N)
    rows = (tile // tiles_n) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = (tile % tiles_n) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_tile = a + (rows % m)[:, None] * stride_am + depth[None, :]
    b_tile = b + depth[:, None] * stride_bk + (columns % n)[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in tl.range(0, tl.cdiv(k, BLOCK_K)):
        gw_trace.scope_start(1)
        a_values = tl.load(a_tile)
        b_values = tl.load(b_tile)
        gw_trace.scope_end(1)
        gw_trace.scope_start("dot")
        sums = tl.dot(a_values, b_values, sums)
        gw_trace.scope_end("dot")
        a_tile += BLOCK_K
        b_tile += BLOCK_K * stride_bk
    where = c + rows[:, None] * stride_cm + columns[None, :]
    tl.store(where, sums.to(tl.float16), mask=(rows < m)[:, None] & (columns < n)[None, :])
