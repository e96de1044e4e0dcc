"""Flash attention, forward: the loop over K and V has load, QK dot, softmax and PV dot marked."""

# ruff: noqa: N803 - Triton names constants like that

import triton
import triton.language as tl

import gwatch.cuda.trace.triton as gw_trace

SIGNATURE = {
    **{name: "*fp16" for name in ("q", "k", "v", "out")},
    "scale": "fp32",
    "length": "i32",
    **{name: "constexpr" for name in ("HEAD", "BLOCK_M", "BLOCK_N", "CAUSAL")},
}
CONSTANTS = {"HEAD": 64, "BLOCK_M": 128, "BLOCK_N": 64, "CAUSAL": True}
ALIGNED = ("q", "k", "v", "out", "length")
OPTIONS = {"num_warps": 4, "num_stages": 3}


@triton.jit
def softmax_step(scores, row_max, row_sum, sums):
    gw_trace.scope_start("softmax")
    new_max = tl.maximum(row_max, tl.max(scores, 1))
    weights = tl.exp2(scores - new_max[:, None])
    shrink = tl.exp2(row_max - new_max)
    row_sum = row_sum * shrink + tl.sum(weights, 1)
    sums = sums * shrink[:, None]
    gw_trace.scope_end("softmax")
    return weights, new_max, row_sum, sums


@triton.jit
def kernel(
    q, k, v, out, scale, length,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    features = tl.arange(0, HEAD)
    offset = tl.program_id(1).to(tl.int64) * length * HEAD
    gw_trace.scope_start("load_q")
    q_values = tl.load(q + offset + rows[:, None] * HEAD + features[None, :])
    gw_trace.scope_end("load_q")
    row_max = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = tl.minimum((tl.program_id(0) + 1) * BLOCK_M, length) if CAUSAL else length
    for first in tl.range(0, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        gw_trace.scope_start("load_kv")
        k_values = tl.load(k + offset + keys[None, :] * HEAD + features[:, None])
        v_values = tl.load(v + offset + keys[:, None] * HEAD + features[None, :])
        gw_trace.scope_switch("load_kv", "qk")
        scores = tl.dot(q_values, k_values) * scale
        gw_trace.scope_end("qk")
        if CAUSAL:
            scores = tl.where(rows[:, None] >= keys[None, :], scores, float("-inf"))
        weights, row_max, row_sum, sums = softmax_step(scores, row_max, row_sum, sums)
        gw_trace.scope_start("pv")
        sums = tl.dot(weights.to(tl.float16), v_values, sums)
        gw_trace.scope_end("pv")
    gw_trace.mark("store")
    where = out + offset + rows[:, None] * HEAD + features[None, :]
    tl.store(where, (sums / row_sum[:, None]).to(tl.float16))
