"""CUDA C++, NVRTC and Numba kernels: in this process, and in programs under ``gwatch run``."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import pytest

import gwatch
from gwatch import libpygwatch
from gwatch.errors import SourceError

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "cuda" / "trace" / "trace_cuda_matmul.cu"
BLOCKS, THREADS, STEPS = 8, 64, 100
EVENTS = 2 * STEPS * BLOCKS * THREADS // 32
"""Markers that one launch of a steps kernel passes, once a warp."""

STEPS_CODE = """
#include <gwatch/cuda/trace.hpp>
extern "C" __global__ void nvrtc_steps(unsigned* out, int count) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = id;
    for (int i = 0; i < count; ++i) {
        GWATCH_CUDA_KERNEL_SCOPE_START(7);
        value = value * 1664525u + 1013904223u;
        GWATCH_CUDA_KERNEL_SCOPE_END(7);
    }
    out[id] = value;
}
template <int Factor> __global__ void nvrtc_scaled(unsigned* out, int count) {
    GWATCH_CUDA_KERNEL_SCOPE(Factor);
    out[blockIdx.x * blockDim.x + threadIdx.x] = Factor * count;
}
"""


def expected_steps():
    import torch

    value = torch.arange(BLOCKS * THREADS, dtype=torch.int64)
    for _ in range(STEPS):
        value = (value * 1664525 + 1013904223) & 0xFFFFFFFF
    return value


@pytest.fixture(scope="module")
def program(build) -> Path:
    return build(HERE / "gpu_program.cu", "program")


class Library:
    """The steps kernel of a shared library, launched on memory of PyTorch."""

    def __init__(self, path: Path) -> None:
        import torch

        self.library = ctypes.CDLL(str(path))
        self.output = torch.zeros(BLOCKS * THREADS, dtype=torch.int32, device="cuda")

    def launch(self) -> None:
        pointer = ctypes.c_void_p(self.output.data_ptr())
        assert self.library.launch(pointer, BLOCKS, THREADS, STEPS) == 0

    def is_right(self) -> bool:
        import torch

        torch.cuda.synchronize()
        return is_right(self.output)


def is_right(output) -> bool:
    return bool((output.cpu().long() & 0xFFFFFFFF).eq(expected_steps()).all())


def trace(fn, pattern: str, dsl: str | None):
    from gwatch.cuda.trace import do_trace

    (run,) = do_trace(fn=fn, kernel_name_pattern=pattern, dsl=dsl).runs
    assert run.counts.events > 0
    return run


def gwatch_run(report: Path, kernel: str, *command: str | Path, code: int = 0, options=()):
    gwatch_command = [sys.executable, "-m", "gwatch", "run", "--kernel", kernel, *options]
    ran = subprocess.run(
        [*gwatch_command, "-o", str(report), "--", *(str(part) for part in command)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran


def test_example_under_gwatch_run(build, tmp_path):
    example = build(EXAMPLE, "matmul")
    report = tmp_path / "trace.json"

    ran = gwatch_run(report, "matmul", example, "--m", "512", "--n", "512", "--k", "512")

    assert "the product is right" in ran.stdout
    (run,) = libpygwatch.read_archive(str(report)).runs
    counts = {run.scopes[one.scope].name: one.count for one in libpygwatch.scope_statistics(run)}
    warps = 64 * 8
    assert counts == {"100": warps * 32, "101": warps * 32, "store": warps}
    assert run.scopes[0].file.endswith("trace_cuda_matmul.cu")
    assert run.counts.dropped_records == 0


def test_unmarked_example_under_gwatch_run_with_automatic_scopes(build, tmp_path):
    example = build(EXAMPLE, "unmarked_matmul", "-DGWATCH_MARKERS=0")
    report = tmp_path / "trace.json"
    sizes = ("--m", "512", "--n", "512", "--k", "512")

    ran = gwatch_run(report, "matmul", example, *sizes, options=["--auto"])

    assert "the product is right" in ran.stdout
    (run,) = libpygwatch.read_archive(str(report)).runs
    kinds = {scope.name.partition(":")[0] for scope in run.scopes}
    assert "barrier.wait" in kinds
    assert all("trace_cuda_matmul.cu" in scope.name for scope in run.scopes)
    assert run.counts.events > 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    assert run.counts.dropped_records == 0


@pytest.mark.parametrize("how", [[], ["reset"]])
def test_program_under_gwatch_run(program, tmp_path, how):
    report = tmp_path / "trace.json.gz"

    ran = gwatch_run(report, "steps", program, *how, code=7)

    assert ran.stdout == "right\n"
    assert "1 more matching launches ran untraced" in ran.stderr
    (run,) = libpygwatch.read_archive(str(report)).runs
    assert run.counts.events == EVENTS
    assert run.launch.dsl == "cuda"


def test_program_without_ptx(build, tmp_path):
    ran = gwatch_run(
        tmp_path / "trace.json",
        "steps",
        build(HERE / "gpu_program.cu", "without_ptx", ptx=False),
        code=7,
    )

    assert ran.stdout == "right\n"
    assert "built without PTX" in ran.stderr
    assert "code=compute_" in ran.stderr


def test_python_program_under_gwatch_run(build, tmp_path):
    library = build(HERE / "gpu_program.cu", "run.so", "-shared", "-Xcompiler=-fPIC")
    script = tmp_path / "script.py"
    script.write_text(
        "import ctypes, torch\n"
        "out = torch.zeros(512, dtype=torch.int32, device='cuda')\n"
        f"library = ctypes.CDLL({str(library)!r})\n"
        f"library.launch(ctypes.c_void_p(out.data_ptr()), {BLOCKS}, {THREADS}, {STEPS})\n"
        "print(out.ne(0).any().item())\n"
    )
    report = tmp_path / "trace.json"

    ran = gwatch_run(report, "steps", sys.executable, script)

    assert ran.stdout == "True\n"
    assert libpygwatch.read_archive(str(report)).runs[0].counts.events == EVENTS
    assert json.loads(report.read_text())["runs"]


@pytest.mark.parametrize("launches_before", [0, 1000])
def test_library_in_this_process(build, launches_before):
    name = f"before{launches_before}.so"
    library = Library(build(HERE / "gpu_program.cu", name, "-shared", "-Xcompiler=-fPIC"))
    for _ in range(launches_before):
        library.launch()
    library.output.zero_()

    run = trace(library.launch, "steps", "cuda")

    assert library.is_right()
    assert run.counts.events == EVENTS
    assert [scope.name for scope in run.scopes] == ["step"]
    assert run.compile.original.registers > 0


WARM = """
import ctypes, torch
out = torch.zeros({size}, dtype=torch.int32, device="cuda")
library = ctypes.CDLL({library!r})
def launch():
    library.launch(ctypes.c_void_p(out.data_ptr()), {blocks}, {threads}, {steps})
for _ in range(1000):
    launch()
from gwatch.cuda.trace import do_trace
(run,) = do_trace(fn=launch, kernel_name_pattern="steps").runs
print(run.counts.events, run.compile.ptx_source)
"""


def test_library_that_ran_before_gwatch_was_there(build):
    library = build(HERE / "gpu_program.cu", "warm.so", "-shared", "-Xcompiler=-fPIC")
    script = WARM.format(
        size=BLOCKS * THREADS, library=str(library), blocks=BLOCKS, threads=THREADS, steps=STEPS
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"{EVENTS} fat binary in {library} ")


def test_library_without_ptx(build):
    from gwatch.cuda.trace import do_trace

    # Other tests load libraries that have a kernel of the same name with PTX.
    flags = ("-shared", "-Xcompiler=-fPIC", "-Dsteps=lonely_steps")
    library = Library(build(HERE / "gpu_program.cu", "no_ptx.so", *flags, ptx=False))

    with pytest.raises(SourceError) as raised:
        do_trace(fn=library.launch, kernel_name_pattern="lonely_steps", dsl="cuda")
    assert "built without PTX" in str(raised.value)
    assert library.is_right()


TWO_LIBRARIES = """
import ctypes, torch
from gwatch.cuda.trace import do_trace
from gwatch.errors import SourceError
out = torch.zeros({size}, dtype=torch.int32, device="cuda")
with_ptx, without = [ctypes.CDLL(path) for path in {libraries!r}]
def launch():
    without.launch(ctypes.c_void_p(out.data_ptr()), {blocks}, {threads}, {steps})
try:
    do_trace(fn=launch, kernel_name_pattern="steps", dsl="cuda")
except SourceError as error:
    print(error)
"""


def test_ptx_of_another_library_is_not_taken(build):
    flags = ("-shared", "-Xcompiler=-fPIC")
    libraries = [
        str(build(HERE / "gpu_program.cu", name, *flags, ptx=ptx))
        for name, ptx in (("with_ptx.so", True), ("without_ptx.so", False))
    ]
    script = TWO_LIBRARIES.format(
        size=BLOCKS * THREADS, libraries=libraries, blocks=BLOCKS, threads=THREADS, steps=STEPS
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=100
    )

    assert ran.returncode == 0, ran.stderr
    assert "built without PTX" in ran.stdout or "several loaded files" in ran.stdout


@pytest.mark.parametrize("is_compiled_before", [False, True])
def test_cupy_raw_kernel(is_compiled_before):
    cupy = pytest.importorskip("cupy")
    code = STEPS_CODE + f"// {is_compiled_before}"
    options = (f"-I{gwatch.get_include()}", "-lineinfo", "-std=c++17")
    kernel = cupy.RawKernel(code, "nvrtc_steps", options=options)
    output = cupy.zeros(BLOCKS * THREADS, dtype=cupy.uint32)

    def launch():
        kernel((BLOCKS,), (THREADS,), (output, cupy.int32(STEPS)))

    if is_compiled_before:
        launch()
        output[:] = 0
    run = trace(launch, "nvrtc_steps", None)

    import torch

    assert is_right(torch.as_tensor(output.get().astype("int64")))
    assert run.counts.events == EVENTS
    assert run.launch.dsl in ("cupy", "cuda")


def test_cupy_raw_module_with_a_template():
    cupy = pytest.importorskip("cupy")
    options = (f"-I{gwatch.get_include()}", "-std=c++17")
    module = cupy.RawModule(code=STEPS_CODE, options=options, name_expressions=["nvrtc_scaled<3>"])
    kernel = module.get_function("nvrtc_scaled<3>")
    output = cupy.zeros(THREADS, dtype=cupy.uint32)
    kernel((1,), (THREADS,), (output, cupy.int32(5)))

    run = trace(lambda: kernel((1,), (THREADS,), (output, cupy.int32(7))), "nvrtc_scaled", "cupy")

    assert (output.get() == 21).all()
    assert [scope.name for scope in run.scopes] == ["3"]


def test_cuda_core_program_as_ptx(capability):
    core = pytest.importorskip("cuda.core")
    if not hasattr(core, "Program"):
        core = pytest.importorskip("cuda.core.experimental")
    import torch

    device = core.Device()
    device.set_current()
    stream = device.create_stream()
    options = core.ProgramOptions(
        std="c++17", arch=f"sm_{capability}", include_path=gwatch.get_include()
    )
    compiled = core.Program(STEPS_CODE, code_type="c++", options=options).compile("ptx")
    kernel = compiled.get_kernel("nvrtc_steps")
    output = torch.zeros(BLOCKS * THREADS, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    config = core.LaunchConfig(grid=BLOCKS, block=THREADS)

    def launch():
        core.launch(stream, config, kernel, output.data_ptr(), ctypes.c_int(STEPS))
        stream.sync()

    run = trace(launch, "nvrtc_steps", "cuda")

    assert is_right(output)
    assert run.counts.events == EVENTS


def test_torch_compile_kernel():
    """PyTorch loads a cubin and drops the PTX, which is noted while a trace has begun."""
    import torch

    if not hasattr(torch.cuda, "_compile_kernel"):
        pytest.skip("this PyTorch has no torch.cuda._compile_kernel")
    output = torch.zeros(BLOCKS * THREADS, dtype=torch.int32, device="cuda")

    def compile_and_launch():
        kernel = torch.cuda._compile_kernel(
            STEPS_CODE.partition("template")[0],
            "nvrtc_steps",
            cuda_include_dirs=[gwatch.get_include()],
        )
        kernel((BLOCKS, 1, 1), (THREADS, 1, 1), (output, STEPS))
        torch.cuda.synchronize()

    run = trace(compile_and_launch, "nvrtc_steps", "cuda")

    assert is_right(output)
    assert run.counts.events == EVENTS


@pytest.mark.parametrize("is_compiled_before", [False, True])
def test_numba(is_compiled_before, numba_cuda):
    import torch

    import gwatch.cuda.trace.numba as gw_trace

    cuda = numba_cuda

    @cuda.jit(lineinfo=True)
    def numba_steps(out, count):
        i = cuda.grid(1)
        value = out[i]
        for _ in range(count):
            gw_trace.scope_start("step")
            value = value * 3 + 1
            gw_trace.scope_end("step")
        out[i] = value

    output = torch.zeros(BLOCKS * THREADS, dtype=torch.int32, device="cuda")

    def launch():
        numba_steps[BLOCKS, THREADS](cuda.as_cuda_array(output), STEPS)

    if is_compiled_before:
        launch()
        torch.cuda.synchronize()
        output.zero_()
        torch.cuda.synchronize()
    run = trace(launch, "numba_steps", "numba")

    assert run.counts.events == EVENTS
    assert run.scopes[0].file.endswith("test_gpu_cuda_cpp.py")
    torch.cuda.synchronize()
    assert output.unique().numel() == 1
    assert output[0].item() != 0


def test_marked_triton_kernel_in_a_compiled_function():
    """Inductor makes a kernel of its own of a Triton kernel that a compiled function calls."""
    import torch
    from gpu_named_markers import named_steps_kernel

    output = torch.zeros(512, dtype=torch.int32, device="cuda")

    @torch.compile(fullgraph=True)
    def compiled(out):
        named_steps_kernel[(4,)](out, 10, block=128, num_warps=4)
        return out + 1

    compiled(output)
    torch.cuda.synchronize()

    run = trace(lambda: compiled(output), "named_steps_kernel", "triton")

    assert run.counts.events == 2 * 10 * 4 * 4
