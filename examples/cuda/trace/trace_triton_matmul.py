"""Trace a Triton matrix product: what each warp does in every step of the K loop.

python trace_triton_matmul.py --report trace.html --report trace.json
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import gwatch.cuda.trace.triton as gw_trace

if TYPE_CHECKING:
    import torch

LOAD = 1
DOT = 2
SCOPE_NAMES = {LOAD: "load", DOT: "dot"}
BLOCK_M, BLOCK_N, BLOCK_K = 128, 128, 64
NUM_WARPS = 8
NUM_STAGES = 3
MARKERS_A_STEP = 4


@triton.jit
def matmul_kernel(
    a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """One BLOCK_M x BLOCK_N tile of c = a @ b. M, N and K are multiples of the tile's sides."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    steps = tl.arange(0, BLOCK_K)
    a_pointers = a + (rows % M)[:, None] * stride_am + steps[None, :] * stride_ak
    b_pointers = b + steps[:, None] * stride_bk + (columns % N)[None, :] * stride_bn
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in tl.range(0, tl.cdiv(K, BLOCK_K)):
        gw_trace.scope_start(1)
        a_tile = tl.load(a_pointers)
        b_tile = tl.load(b_pointers)
        gw_trace.scope_end(1)
        gw_trace.scope_start(2)
        accumulator = tl.dot(a_tile, b_tile, accumulator)
        gw_trace.scope_end(2)
        a_pointers += BLOCK_K * stride_ak
        b_pointers += BLOCK_K * stride_bk
    c_pointers = c + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c_pointers, accumulator.to(tl.float16))


def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Launch c = a @ b on fp16 matrices whose sides are multiples of the tile's."""
    (m, k), n = a.shape, b.shape[1]
    if m % BLOCK_M or n % BLOCK_N or k % BLOCK_K:
        raise ValueError(f"{m} x {n} x {k}: not multiples of {BLOCK_M} x {BLOCK_N} x {BLOCK_K}")
    matmul_kernel[(m // BLOCK_M * (n // BLOCK_N),)](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(),
        BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K,
        num_warps=NUM_WARPS, num_stages=NUM_STAGES,
    )  # fmt: skip
    return c


def expected_events(m: int, n: int, k: int) -> int:
    """Markers that a launch passes, counted once a warp."""
    return (m // BLOCK_M) * (n // BLOCK_N) * NUM_WARPS * (k // BLOCK_K) * MARKERS_A_STEP


def compile_offline(target_capability: int) -> Any:
    """Compile the kernel for a GPU that need not be there (90: an H200); gives Triton's object."""
    constants = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "BLOCK_K": BLOCK_K}
    # What a launch finds out by itself: the strides of 1; all else is a multiple of 16.
    constants |= {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1}
    names = matmul_kernel.arg_names
    signature = {name: "i32" for name in names} | {name: "*fp16" for name in "abc"}
    signature |= {name: "constexpr" for name in constants}
    alignment = {
        (index,): [["tt.divisibility", 16]]
        for index, name in enumerate(names)
        if name not in constants
    }
    source = ASTSource(matmul_kernel, signature, constants, alignment)
    options = {"num_warps": NUM_WARPS, "num_stages": NUM_STAGES}
    return triton.compile(source, target=GPUTarget("cuda", target_capability, 32), options=options)


def main() -> int:
    """Trace one launch and check its result."""
    parser = argparse.ArgumentParser(description="Trace a matrix product in Triton.")
    parser.add_argument("--report", action="append", default=[], metavar="trace.html|trace.json",
                        help="write a report; may be given several times")  # fmt: skip
    parser.add_argument("--size", type=int, default=4096, help="side of the square matrices")
    options = parser.parse_args()
    import torch

    import gwatch.libpygwatch as pygwatch
    from gwatch.common.format import File
    from gwatch.cuda.trace import do_trace
    from gwatch.cuda.trace.format import Section_IntraKernelTrace

    if not torch.cuda.is_available():
        print("No NVIDIA GPU here. `gwatch demo` shows a recorded trace.", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    shape = (options.size, options.size)
    a, b = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(2))
    untraced = matmul(a, b, torch.empty_like(a))

    pygwatch.init_cupti_hooks()
    result = do_trace(
        fn=lambda: matmul(a, b, torch.empty_like(a)),
        kernel_name_pattern=r"^matmul_kernel$",
        dsl="triton",
        scope_name_map=SCOPE_NAMES,
        instrumentation_tier="ptx",
    )
    print(result.summary())

    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="Matrix product in Triton")
    report.add_section(section)
    for path in options.report:
        report.render(path)
        print(f"wrote {path}")

    right = torch.allclose(result.value.float(), (a @ b).float(), atol=0.2, rtol=1e-2)
    same = torch.equal(result.value, untraced)
    size = options.size
    events = sum(run.counts.events for run in result.runs)
    print(f"events: {events} of {expected_events(size, size, size)}")
    print(f"result against PyTorch: {'right' if right else 'WRONG'}")
    print(f"traced against untraced: {'bit-identical' if same else 'DIFFERENT'}")
    return 0 if right and same else 1


if __name__ == "__main__":
    sys.exit(main())
