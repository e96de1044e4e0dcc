"""Trace a flash-attention forward pass in Triton: which warp loaded, multiplied and waited when.

    python trace_triton_attention.py --causal --report trace.html --report trace.json

The kernel is an ordinary Triton kernel. Its markers cost nothing unless a launch is traced.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import gwatch.cuda.trace.triton as gw_trace

if TYPE_CHECKING:
    import torch

LOG2_E = 1.4426950408889634
TOLERANCE = 5e-3


@triton.jit
def attend_to_keys(
    accumulator, row_sum, row_max, query, query_rows, keys, values,
    first_key, end_key, seqlen, scale_log2, stride_kn, stride_vn,
    HEAD_DIM: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """One pass of the online softmax over the keys from first_key to end_key."""
    head_columns = tl.arange(0, HEAD_DIM)
    for block_start in tl.range(first_key, end_key, BLOCK_N):
        key_rows = block_start + tl.arange(0, BLOCK_N)

        gw_trace.scope_start("load_kv")
        key_pointers = keys + key_rows[None, :] * stride_kn + head_columns[:, None]
        value_pointers = values + key_rows[:, None] * stride_vn + head_columns[None, :]
        if MASKED:
            key = tl.load(key_pointers, mask=key_rows[None, :] < seqlen, other=0.0)
            value = tl.load(value_pointers, mask=key_rows[:, None] < seqlen, other=0.0)
        else:
            key = tl.load(key_pointers)
            value = tl.load(value_pointers)
        gw_trace.scope_end("load_kv")

        gw_trace.scope_start("qk")
        scores = tl.dot(query, key)
        gw_trace.scope_end("qk")

        gw_trace.scope_start("softmax")
        if MASKED:
            visible = key_rows[None, :] < seqlen
            if CAUSAL:
                visible = visible & (key_rows[None, :] <= query_rows[:, None])
            scores = tl.where(visible, scores, float("-inf"))
        new_max = tl.maximum(row_max, tl.max(scores, 1) * scale_log2)
        weights = tl.exp2(scores * scale_log2 - new_max[:, None])
        shrink = tl.exp2(row_max - new_max)
        row_sum = row_sum * shrink + tl.sum(weights, 1)
        accumulator = accumulator * shrink[:, None]
        row_max = new_max
        probabilities = weights.to(value.dtype)
        gw_trace.scope_end("softmax")

        gw_trace.scope_start("pv")
        accumulator = tl.dot(probabilities, value, accumulator)
        gw_trace.scope_end("pv")
    return accumulator, row_sum, row_max


@triton.jit
def attention_forward_kernel(
    q, k, v, out, scale_log2, heads, seqlen,
    stride_qb, stride_qh, stride_qm,
    stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn,
    stride_ob, stride_oh, stride_om,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """Attention of BLOCK_M query rows of one head. Each tensor's last dimension is contiguous."""
    query_block = tl.program_id(0)
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    q += batch * stride_qb + head * stride_qh
    k += batch * stride_kb + head * stride_kh
    v += batch * stride_vb + head * stride_vh
    out += batch * stride_ob + head * stride_oh
    query_rows = query_block * BLOCK_M + tl.arange(0, BLOCK_M)
    head_columns = tl.arange(0, HEAD_DIM)

    gw_trace.scope_start("load_q")
    query = tl.load(
        q + query_rows[:, None] * stride_qm + head_columns[None, :],
        mask=query_rows[:, None] < seqlen,
        other=0.0,
    )
    gw_trace.scope_end("load_q")

    accumulator = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)
    row_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    row_max = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)

    # Blocks of keys that every row sees come first; the diagonal or a ragged end needs a mask.
    end_key = seqlen
    all_visible = seqlen
    if CAUSAL:
        end_key = tl.minimum((query_block + 1) * BLOCK_M, seqlen)
        all_visible = query_block * BLOCK_M
    first_masked = all_visible // BLOCK_N * BLOCK_N
    accumulator, row_sum, row_max = attend_to_keys(
        accumulator, row_sum, row_max, query, query_rows, k, v,
        0, first_masked, seqlen, scale_log2, stride_kn, stride_vn,
        HEAD_DIM, BLOCK_N, CAUSAL, False,
    )  # fmt: skip
    accumulator, row_sum, row_max = attend_to_keys(
        accumulator, row_sum, row_max, query, query_rows, k, v,
        first_masked, end_key, seqlen, scale_log2, stride_kn, stride_vn,
        HEAD_DIM, BLOCK_N, CAUSAL, True,
    )  # fmt: skip

    gw_trace.scope_start("store")
    tl.store(
        out + query_rows[:, None] * stride_om + head_columns[None, :],
        (accumulator / row_sum[:, None]).to(out.dtype.element_ty),
        mask=query_rows[:, None] < seqlen,
    )
    gw_trace.scope_end("store")


class Tiling(NamedTuple):
    """How a head dimension is tiled; the shared memory fits GPUs from sm_80 on."""

    block_m: int
    block_n: int
    num_warps: int
    num_stages: int


MARKERS_A_BLOCK = 4  # load_q and store
MARKERS_A_STEP = 8  # load_kv, qk, softmax and pv
TILINGS = {64: Tiling(128, 64, 4, 3), 128: Tiling(128, 128, 8, 2)}


def attention_forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool = False,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Launch the kernel on fp16 tensors of shape (batch, heads, seqlen, head_dim)."""
    batch, heads, seqlen, head_dim = q.shape
    if head_dim not in TILINGS:
        raise ValueError(f"head_dim={head_dim}: this kernel is for {sorted(TILINGS)}")
    if any(tensor.stride(-1) != 1 for tensor in (q, k, v)):
        raise ValueError("the last dimension of q, k and v must be contiguous")
    tiling = TILINGS[head_dim]
    if out is None:
        out = q.new_empty(q.shape)
    grid = (triton.cdiv(seqlen, tiling.block_m), batch * heads)
    attention_forward_kernel[grid](
        q, k, v, out, LOG2_E * head_dim**-0.5, heads, seqlen,
        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
        HEAD_DIM=head_dim, BLOCK_M=tiling.block_m, BLOCK_N=tiling.block_n, CAUSAL=causal,
        num_warps=tiling.num_warps, num_stages=tiling.num_stages,
    )  # fmt: skip
    return out


def expected_events(batch: int, heads: int, seqlen: int, head_dim: int, causal: bool) -> int:
    """Markers that a launch passes, counted once a warp."""
    tiling = TILINGS[head_dim]
    events = 0
    for first_row in range(0, seqlen, tiling.block_m):
        end_key = min(first_row + tiling.block_m, seqlen) if causal else seqlen
        events += MARKERS_A_BLOCK + MARKERS_A_STEP * triton.cdiv(end_key, tiling.block_n)
    return events * batch * heads * tiling.num_warps


def compile_offline(target_capability: int, causal: bool = True, head_dim: int = 64) -> Any:
    """Compile the kernel for a GPU that need not be there (90: an H200); gives Triton's object."""
    tiling = TILINGS[head_dim]
    constants = {
        "HEAD_DIM": head_dim,
        "BLOCK_M": tiling.block_m,
        "BLOCK_N": tiling.block_n,
        "CAUSAL": causal,
    }
    names = attention_forward_kernel.arg_names
    signature = {name: "i32" for name in names} | {name: "constexpr" for name in constants}
    signature |= {"scale_log2": "fp32", "q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16"}
    # What a launch finds out by itself: all but these are multiples of 16.
    unaligned = {"scale_log2", "heads", *constants}
    alignment = {
        (index,): [["tt.divisibility", 16]]
        for index, name in enumerate(names)
        if name not in unaligned
    }
    source = ASTSource(attention_forward_kernel, signature, constants, alignment)
    options = {"num_warps": tiling.num_warps, "num_stages": tiling.num_stages}
    return triton.compile(source, target=GPUTarget("cuda", target_capability, 32), options=options)


def reference_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    """PyTorch's attention in fp32."""
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=causal)


def parse_arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Trace a flash-attention forward pass in Triton.")
    parser.add_argument("--report", action="append", default=[], metavar="trace.html|trace.json",
                        help="write a report; may be given several times")  # fmt: skip
    parser.add_argument("--causal", action="store_true", help="a row sees only keys up to its own")
    parser.add_argument("--head-dim", type=int, default=64, choices=sorted(TILINGS))
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--seqlen", type=int, default=2048)
    return parser.parse_args()


def main() -> int:
    """Trace one launch and check its result."""
    options = parse_arguments()
    import torch

    import gwatch.libpygwatch as pygwatch
    from gwatch.common.format import File
    from gwatch.cuda.trace import do_trace
    from gwatch.cuda.trace.format import Section_IntraKernelTrace

    if not torch.cuda.is_available():
        print("No NVIDIA GPU here. `gwatch demo` shows a recorded trace.", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    shape = (options.batch, options.heads, options.seqlen, options.head_dim)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
    untraced = attention_forward(q, k, v, options.causal)

    pygwatch.init_cupti_hooks()
    result = do_trace(
        fn=lambda: attention_forward(q, k, v, options.causal),
        kernel_name_pattern=r".*attention_forward.*",
        dsl="triton",
        scope_name_map={"load_q": "load Q", "load_kv": "load K, V", "qk": "Q x K", "pv": "P x V"},
        instrumentation_tier="ptx",
    )
    print(result.summary())

    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="Flash-attention forward in Triton")
    report.add_section(section)
    for path in options.report:
        report.render(path)
        print(f"wrote {path}")

    reference = reference_attention(q, k, v, options.causal)
    right = torch.allclose(result.value.float(), reference, atol=TOLERANCE, rtol=TOLERANCE)
    same = torch.equal(result.value, untraced)
    events = sum(run.counts.events for run in result.runs)
    print(f"events: {events} of {expected_events(*shape, options.causal)}")
    print(f"result against PyTorch: {'right' if right else 'WRONG'}")
    print(f"traced against untraced: {'bit-identical' if same else 'DIFFERENT'}")
    return 0 if right and same else 1


if __name__ == "__main__":
    sys.exit(main())
