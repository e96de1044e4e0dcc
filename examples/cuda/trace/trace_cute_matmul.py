"""Trace a matrix product in the CuTe DSL: what each warp waits for, and what it does.

python trace_cute_matmul.py --report trace.html --report trace.json

On Hopper the kernel is persistent and warp-specialised (TMA, WGMMA); elsewhere it is a plain one.
"""

from __future__ import annotations

import argparse
import functools
import sys
import tempfile
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import cuda.bindings.driver as cuda
import cute_hopper_gemm
import cute_plain_gemm
import cutlass
import cutlass.cute as cute

if TYPE_CHECKING:
    import torch

HOPPER = 90
KERNELS = {
    cute_hopper_gemm: (cute_hopper_gemm.hopper_gemm, "hopper_gemm_kernel"),
    cute_plain_gemm: (cute_plain_gemm.plain_gemm, "plain_gemm_kernel"),
}


def kernel_for(capability: int, plain: bool = False) -> ModuleType:
    """The module of the kernel for a GPU (90: an H200)."""
    return cute_plain_gemm if plain or capability != HOPPER else cute_hopper_gemm


def expected_events(m: int, n: int, k: int, capability: int = HOPPER, plain: bool = False) -> int:
    """Markers that a launch passes, counted once a warp."""
    events: int = kernel_for(capability, plain).expected_events(m, n, k)
    return events


def check_shape(module: ModuleType, m: int, n: int, k: int) -> None:
    """Raise an error for matrices that a kernel cannot multiply."""
    plain = module is cute_plain_gemm
    sides = (module.BLOCK_M, module.BLOCK_N, module.BLOCK_K) if plain else (1, 8, 8)
    if any(size < 1 or size % side for size, side in zip((m, n, k), sides, strict=True)):
        raise ValueError(f"{m} x {n} x {k}: not multiples of {' x '.join(map(str, sides))}")
    if not plain and n < cute_hopper_gemm.STORE_N:
        raise ValueError(f"n={n}: a store takes {cute_hopper_gemm.STORE_N} columns at least")


def compile_gemm(
    module: ModuleType, a: Any, b: Any, c: Any, blocks: int, stream: Any, options: str = ""
) -> Any:
    """Compile C = A @ B^T for tensors of these shapes; the object keeps its PTX."""
    host, _ = KERNELS[module]
    with tempfile.TemporaryDirectory() as folder:  # its files are read into the object
        kept = f"--keep-ptx --keep-cubin --dump-dir={folder} --generate-line-info {options}"
        return cute.compile(host, a, b, c, blocks, stream, options=kept)


def compile_offline(capability: int, m: int, n: int, k: int, plain: bool = False) -> Any:
    """Compile for a GPU that need not be there; gives the DSL's object."""
    module = kernel_for(capability, plain)
    check_shape(module, m, n, k)

    def matrix(rows: int, columns: int) -> Any:
        return cute.runtime.make_fake_compact_tensor(
            cutlass.Float16, (rows, columns), stride_order=(1, 0), assumed_align=16
        )

    target = f"--gpu-arch=sm_{capability}{'a' if capability >= HOPPER else ''}"
    stream = cute.runtime.make_fake_stream()
    matrices = (matrix(m, k), matrix(n, k), matrix(m, n))
    return compile_gemm(module, *matrices, 1, stream, target)


def current_capability() -> int:
    """Of the current GPU: 90 for 9.0."""
    import torch

    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


@functools.lru_cache
def compiled_gemm(module: ModuleType, m: int, n: int, k: int) -> Any:
    """The compiled object for matrices of these sides, made once."""
    import torch

    shapes = ((m, k), (n, k), (m, n))
    matrices = [torch.empty(shape, device="cuda", dtype=torch.float16) for shape in shapes]
    return compile_gemm(module, *launch_arguments(*matrices))


def launch_arguments(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[Any, ...]:
    """What the DSL's functions take: three matrices, the number of blocks, and the stream."""
    import torch

    matrices = [cute.runtime.from_dlpack(matrix, assumed_align=16) for matrix in (a, b, c)]
    blocks = torch.cuda.get_device_properties(a.device).multi_processor_count
    return *matrices, blocks, current_stream()


def current_stream() -> cuda.CUstream:
    """PyTorch's current stream."""
    import torch

    return cuda.CUstream(torch.cuda.current_stream().cuda_stream)


def prepare(
    a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, plain: bool = False
) -> Callable[[], torch.Tensor]:
    """Compile c = a @ b^T for contiguous fp16 matrices; gives the function that launches it."""
    return prepare_kernel(kernel_for(current_capability(), plain), a, b, c)


def prepare_kernel(
    module: ModuleType, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor
) -> Callable[[], torch.Tensor]:
    """The same with the kernel of a certain module, one of KERNELS."""
    (m, k), n = a.shape, b.shape[0]
    check_shape(module, m, n, k)
    compiled = compiled_gemm(module, m, n, k)
    *arguments, _ = launch_arguments(a, b, c)

    def launch() -> torch.Tensor:
        compiled(*arguments, current_stream())
        return c

    return launch


def main() -> int:
    """Trace one launch and check its result."""
    parser = argparse.ArgumentParser(description="Trace a matrix product in the CuTe DSL.")
    parser.add_argument("--report", action="append", default=[], metavar="trace.html|trace.json",
                        help="write a report; may be given several times")  # fmt: skip
    for side in "mnk":
        parser.add_argument(f"--{side}", type=int, default=4096)
    parser.add_argument("--plain", action="store_true", help="the plain kernel, on Hopper too")
    parser.add_argument("--cluster", type=int, choices=(1, 2), default=cute_hopper_gemm.CLUSTER,
                        help="blocks that share tiles on Hopper (%(default)s)")  # fmt: skip
    options = parser.parse_args()
    cute_hopper_gemm.CLUSTER = options.cluster
    import torch

    import gwatch.libpygwatch as pygwatch
    from gwatch.common.format import File
    from gwatch.cuda.trace import do_trace
    from gwatch.cuda.trace.format import Section_IntraKernelTrace

    if not torch.cuda.is_available():
        print("No NVIDIA GPU here. `gwatch demo` shows a recorded trace.", file=sys.stderr)
        return 2
    m, n, k = options.m, options.n, options.k
    capability = current_capability()
    _, kernel = KERNELS[kernel_for(capability, options.plain)]
    torch.manual_seed(0)
    a = torch.randn((m, k), device="cuda", dtype=torch.float16)
    b = torch.randn((n, k), device="cuda", dtype=torch.float16)
    launch = prepare(a, b, torch.empty((m, n), device="cuda", dtype=torch.float16), options.plain)
    untraced = launch().clone()

    pygwatch.init_cupti_hooks()
    result = do_trace(
        fn=launch,
        kernel_name_pattern=kernel,
        dsl="cute",
        instrumentation_tier="ptx",
    )
    print(result.summary())

    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="Matrix product in the CuTe DSL")
    report.add_section(section)
    for path in options.report:
        report.render(path)
        print(f"wrote {path}")

    right = torch.allclose(result.value.float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)
    same = torch.equal(result.value, untraced)
    events = sum(run.counts.events for run in result.runs)
    expected = expected_events(m, n, k, capability, options.plain)
    print(f"events: {events} of {expected}")
    print(f"result against PyTorch: {'right' if right else 'WRONG'}")
    print(f"traced against untraced: {'bit-identical' if same else 'DIFFERENT'}")
    return 0 if right and same else 1


if __name__ == "__main__":
    sys.exit(main())
