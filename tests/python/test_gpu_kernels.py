"""What the GPU tests launch compiles, is instrumented and assembled without a GPU."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from kernels.nvcc import compile_to, find_tool

from gwatch import assemblers, libpygwatch

GPU = Path(__file__).parents[1] / "gpu"
KERNELS = ("tiles", "persistent", "across_turns", "calling", "pipelined")
LAUNCHES = [(1, False, False), (2, False, False), (16, False, False), (1, True, False)]


@pytest.fixture(autouse=True)
def modules_of_the_gpu_tests(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(GPU)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("gpu_"):
            del sys.modules[name]


def needs(module):
    missing = importlib.util.find_spec(module) is None
    return pytest.mark.skipif(missing, reason=f"{module} is not installed")


def check(ptx: str | bytes, kernel: str, block: tuple[int, int, int]) -> list[libpygwatch.Marker]:
    """Instrument with the launch's block and without, and assemble; gives the markers."""
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc")
    for shape in (block, (0, 0, 0)):
        made = libpygwatch.instrument(ptx, kernel, "gpu", shape)
        assert libpygwatch.assemble(made.ptx, kernel, found).cubin
    return libpygwatch.list_markers(ptx, f"^{kernel}$", "gpu", block)


@needs("triton")
@pytest.mark.parametrize("capability", [80, 90, 100])
@pytest.mark.parametrize("name", KERNELS)
def test_triton_kernels_with_values(name, capability):
    import gpu_payload_kernels as kernels
    import triton

    if (name, capability, triton.__version__[:3]) == ("pipelined", 100, "3.6"):
        pytest.skip("this Triton cannot compile inline assembly in this loop")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = {
        "out": "*i32",
        "tiles" if name == "persistent" else "turns": "i32",
        "block": "constexpr",
    }
    constants = {"block": 128}
    if name == "pipelined":
        pointers = {"a": "*fp16", "b": "*fp16", "c": "*fp32"}
        constants = {"size": 64, "depth": 32}
        signature = {**pointers, "turns": "i32", **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(getattr(kernels, f"{name}_kernel"), signature, constants)
    target = GPUTarget("cuda", capability, 32)
    compiled = triton.compile(source, target=target, options={"num_warps": 4})

    markers = check(compiled.asm["ptx"], f"{name}_kernel", (128, 1, 1))

    in_functions = {"function"} if name == "calling" else set()
    assert {marker.placement for marker in markers} - in_functions <= {"proven"}
    ends = [marker.scope for marker in markers if marker.verb == "end"]
    if name == "across_turns":  # ends in both branches
        assert ends.count("overlap") >= 2


@needs("triton")
@pytest.mark.parametrize("name", ["partitioned_kernel", "plain_kernel"])
def test_gluon_kernels(name):
    pytest.importorskip("triton.experimental.gluon")
    import gpu_gluon_kernels as kernels
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon._runtime import GluonASTSource

    signature = {"source": "*fp32", "target": "*fp32", "turns": "i32", "block": "constexpr"}
    source = GluonASTSource(getattr(kernels, name), signature, {"block": 128})
    target = GPUTarget("cuda", 90, 32)
    compiled = triton.compile(source, target=target, options={"num_warps": 4})

    markers = check(compiled.asm["ptx"], name, (256 if name == "partitioned_kernel" else 128, 1, 1))

    assert {marker.placement for marker in markers} == {"proven"}


@needs("cutlass")
def test_cute_kernel_with_values(tmp_path):
    import gpu_cute_payloads as kernels
    from cutlass import cute
    from kernels import cute_offline

    vector = cute_offline.fake_vector(kernels.BLOCKS * kernels.THREADS)
    stream = cute.runtime.make_fake_stream()
    compiled = cute_offline.compile_host(kernels.payloads, tmp_path, vector, 50, stream)

    markers = check_cute(compiled.__ptx__, kernels.THREADS)

    assert {marker.payload for marker in markers} == {"", "s32", "u32", "s64", "f32", "bits"}


@needs("cutlass")
@pytest.mark.parametrize(("cluster", "is_dependent", "is_cooperative"), LAUNCHES)
def test_cute_launches(cluster, is_dependent, is_cooperative, tmp_path):
    import cutlass
    import gpu_cute_launches as kernels
    from cutlass import cute
    from kernels import cute_offline

    vector = cute.runtime.make_fake_compact_tensor(cutlass.Int32, (4096,), assumed_align=16)
    stream = cute.runtime.make_fake_stream()
    settings = (32, cluster, is_dependent, is_cooperative)
    compiled = cute_offline.compile_host(kernels.chain, tmp_path, vector, 40, stream, *settings)

    markers = check_cute(compiled.__ptx__, kernels.THREADS)

    scopes = ["turn"] + ["cluster"] * (cluster > 1) + ["grid before"] * is_dependent
    assert {marker.scope for marker in markers} == set(scopes)


@needs("cutlass")
@pytest.mark.parametrize("form", ["dependent", "pairs", "dependent-pairs", "cooperative"])
def test_forms_of_the_cute_gemm(form, tmp_path):
    import cutlass
    import gpu_gemm_forms as forms
    from cutlass import cute
    from kernels import cute_offline

    assert form in forms.FORMS
    module = forms.load_form(form, tmp_path)
    matrices = [
        cute.runtime.make_fake_compact_tensor(
            cutlass.Float16, sides, stride_order=(1, 0), assumed_align=16
        )
        for sides in ((384, 512), (512, 512), (384, 512))
    ]
    stream = cute.runtime.make_fake_stream()
    compiled = cute_offline.compile_host(module.hopper_gemm, tmp_path, *matrices, 132, stream)

    markers = check_cute(compiled.__ptx__, module.THREADS)

    assert {marker.placement for marker in markers} == {"proven"}
    is_dependent, is_pair = "dependent" in form, "pairs" in form
    assert compiled.__ptx__.count("griddepcontrol.wait") == is_dependent
    assert compiled.__ptx__.count("griddepcontrol.launch_dependents") == is_dependent
    assert compiled.__ptx__.count(".multicast::cluster") == is_pair
    rows_of_tiles = 4 if is_pair else 3
    assert module.expected_events(384, 512, 512) == rows_of_tiles * 2 * (8 * 4 + 8 * (8 * 4 + 20))


def check_cute(ptx: str, threads: int) -> list[libpygwatch.Marker]:
    (kernel,) = libpygwatch.ptx_facts(ptx).entries
    return check(ptx, kernel, (threads, 1, 1))


@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
@pytest.mark.parametrize(
    ("file", "kernels"),
    [
        ("gpu_payloads", ("payloads", "diverged")),
        ("gpu_launches", ("clustered", "cooperative", "dependent")),
    ],
)
def test_cuda_cpp_kernels(file, kernels, tmp_path):
    include = Path(find_tool("nvcc")).parents[1] / "include"
    flags = ["-arch=sm_90a", "-std=c++17", "-lineinfo"]
    flags += [f"-I{include}", f"-I{include / 'cccl'}"]
    ptx = compile_to("ptx", GPU / f"{file}.cu", tmp_path, *flags)

    for kernel in kernels:
        placements = {marker.placement for marker in check(ptx, kernel, (128, 1, 1))}
        assert ("proven" in placements) == (kernel != "diverged")
