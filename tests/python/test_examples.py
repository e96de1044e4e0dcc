"""The examples and the kernels of the GPU tests compile without a GPU, markers in place."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("triton")

import triton
from kernels.offline import load_module
from kernels.sass import find_nvdisasm, opcode_histogram
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from gwatch import libpygwatch

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "cuda" / "trace"
ATTENTION = EXAMPLES / "trace_triton_attention.py"
MATMUL = EXAMPLES / "trace_triton_matmul.py"
GPU_KERNELS = ROOT / "tests" / "gpu" / "gpu_kernels.py"

SMALL_EXAMPLES = {"gluon": {"size": 1024, "warps": 4}, "inductor": {"size": 1024}}
LOOP_SCOPES = ("load_kv", "qk", "softmax", "pv")
SMALL_KERNELS = {
    "steps": (128, {"start step", "end step"}),
    "unmarked": (128, set()),
    "orphans": (64, {"end never_started", "start never_ended"}),
    "halves": (32, {"start lower", "end lower", "start upper", "end upper"}),
    "trap": (128, {"start before the trap", "end before the trap"}),
}


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


def load(path, folder, drop_markers=False):
    text = path.read_text("utf-8")
    if drop_markers:
        lines = text.splitlines(keepends=True)
        text = "".join(line for line in lines if not line.lstrip().startswith("gw_trace."))
        assert "gw_trace.scope_" not in text
    return load_module(f"{path.stem}{'_unmarked' * drop_markers}", text, folder)


def compile_small(module, name, block):
    source = ASTSource(
        getattr(module, f"{name}_kernel"),
        {"out": "*i32", "steps": "i32", "block": "constexpr"},
        {"block": block},
    )
    target = GPUTarget("cuda", 90, 32)
    return triton.compile(source, target=target, options={"num_warps": block // 32})


def markers_of(compiled):
    """How often each marker stands in the PTX: "start qk" -> 2."""
    found = re.findall(r"// gwatch:(\w+) (\S+)\n", compiled.asm["ptx"])
    return Counter(f"{verb} {unquote(scope)}" for verb, scope in found)


def run_example(path, folder, torch_text, *arguments):
    """Run a script with a module `torch` of this text, or, if it is None, with none at all."""
    (folder / "torch.py").write_text(torch_text or "raise ImportError('blocked')")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    return subprocess.run(
        [sys.executable, *arguments, str(path)], env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize(("capability", "head_dim"), [(80, 64), (90, 64), (90, 128), (100, 64)])
def test_attention_compiles_with_every_scope_closed(capability, head_dim, tmp_path):
    module = load(ATTENTION, tmp_path)

    markers = markers_of(module.compile_offline(capability, causal=True, head_dim=head_dim))

    assert {name.split()[1] for name in markers} == {"load_q", "store", *LOOP_SCOPES}
    for name, count in markers.items():
        verb, scope = name.split()
        assert count == markers[f"{'end' if verb == 'start' else 'start'} {scope}"]
    assert all(markers[f"start {scope}"] >= 2 for scope in LOOP_SCOPES)


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_matmul_compiles_with_four_markers(capability, tmp_path):
    markers = markers_of(load(MATMUL, tmp_path).compile_offline(capability))

    copies = 2 if capability == 100 else 1  # Triton peels the loop's first step for sm_100
    assert markers == dict.fromkeys(("start 1", "end 1", "start 2", "end 2"), copies)


@pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")
@pytest.mark.parametrize("path", [ATTENTION, MATMUL], ids=["attention", "matmul"])
def test_markers_leave_the_instruction_mix(path, tmp_path):
    marked = load(path, tmp_path).compile_offline(90)
    unmarked = load(path, tmp_path, drop_markers=True).compile_offline(90)

    mix = opcode_histogram(unmarked.asm["cubin"], tmp_path)

    assert sum(mix.values()) > 200
    assert opcode_histogram(marked.asm["cubin"], tmp_path) == mix


@pytest.mark.parametrize("path", [ATTENTION, MATMUL], ids=["attention", "matmul"])
def test_example_without_a_gpu_says_so(path, tmp_path):
    torch_text = "class cuda:\n    is_available = staticmethod(lambda: False)\n"

    ran = run_example(path, tmp_path, torch_text)

    assert ran.returncode == 2
    assert ran.stderr.strip().endswith("No NVIDIA GPU here. `gwatch demo` shows a recorded trace.")


@pytest.mark.parametrize(
    "dsl", ["gluon", "inductor", "numba", "cupy", "torch_nvrtc", "cuda_core", "tilelang"]
)
def test_small_example_without_a_gpu_says_so(dsl, tmp_path):
    torch_text = "class cuda:\n    is_available = staticmethod(lambda: False)\n"

    ran = run_example(EXAMPLES / f"trace_{dsl}_saxpy.py", tmp_path, torch_text)

    assert ran.returncode == 2
    assert "this example needs" in ran.stderr


def test_small_triton_examples_carry_their_turns(tmp_path):
    from triton.experimental.gluon._runtime import GluonASTSource

    pointers = {"y": "*fp32", "x": "*fp32", "a": "fp32", "turns": "i32"}
    kernels = {dsl: load(EXAMPLES / f"trace_{dsl}_saxpy.py", tmp_path) for dsl in SMALL_EXAMPLES}
    for dsl, constants in SMALL_EXAMPLES.items():
        signature = {**pointers, **dict.fromkeys(constants, "constexpr")}
        make = GluonASTSource if dsl == "gluon" else ASTSource
        source = make(kernels[dsl].saxpy_kernel, signature, constants)
        target = GPUTarget("cuda", 90, 32)
        ptx = triton.compile(source, target=target, options={"num_warps": 4}).asm["ptx"]
        found = libpygwatch.list_markers(ptx, "saxpy_kernel")
        assert {(marker.verb, marker.scope, marker.payload) for marker in found} == {
            ("start", "load", "s32"), ("end", "load", ""),
            ("start", "update", "s32"), ("end", "update", ""),
        }  # fmt: skip


@pytest.mark.parametrize("path", [ATTENTION, MATMUL], ids=["attention", "matmul"])
def test_example_can_be_imported_without_torch(path, tmp_path):
    code = "import runpy, sys; print(sorted(runpy.run_path(sys.argv[1])))"

    ran = run_example(path, tmp_path, None, "-c", code)

    assert ran.returncode == 0, ran.stderr
    assert "compile_offline" in ran.stdout


def test_expected_events_count_loops_and_warps(tmp_path):
    attention, matmul = load(ATTENTION, tmp_path), load(MATMUL, tmp_path)

    assert matmul.expected_events(4096, 4096, 4096) == 2_097_152
    # Two blocks of 128 queries see 4 blocks of 64 keys each, with 4 warps.
    assert attention.expected_events(1, 1, 256, 64, causal=False) == 4 * 2 * (4 + 8 * 4)
    # The first of them sees 2.
    assert attention.expected_events(1, 1, 256, 64, causal=True) == 4 * (2 * 4 + 8 * (2 + 4))
    # Two heads, 8 warps, and the last block of 128 keys is not full.
    assert attention.expected_events(1, 2, 200, 128, causal=True) == 2 * 8 * (2 * 4 + 8 * (1 + 2))


@pytest.mark.parametrize("name", SMALL_KERNELS)
def test_kernels_of_the_gpu_tests_have_their_markers(name, tmp_path):
    block, expected = SMALL_KERNELS[name]

    markers = markers_of(compile_small(load(GPU_KERNELS, tmp_path), name, block))

    assert markers == dict.fromkeys(expected, 1)
