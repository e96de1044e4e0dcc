"""The examples in CUDA C++ texts and in TileLang compile without a GPU, markers in place."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from kernels.nvcc import find_nvrtc, find_tool, nvrtc_to_ptx

from gwatch import assemblers, libpygwatch

EXAMPLES = Path(__file__).parents[2] / "examples" / "cuda" / "trace"
TARGETS = ["sm_80", "sm_90", "sm_100"]
SWITCHED = [("start", "load", "s32"), ("switch", "load", ""), ("end", "update", "")]
BLOCKS = [
    ("start", "load", "s32"),
    ("end", "load", ""),
    ("start", "update", "s32"),
    ("end", "update", ""),
]


def load(name):
    name = f"trace_{name}_saxpy"
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(ptx, kernel, expected):
    """The markers, in any order, and the traced kernel assembles."""
    found = libpygwatch.list_markers(ptx, f"^{kernel}$")
    copies = len(found) // len(expected)
    markers = [(marker.verb, marker.scope, marker.payload) for marker in found]
    assert copies > 0
    assert sorted(markers) == sorted(expected * copies)
    made = libpygwatch.instrument(ptx, kernel, "example", (256, 1, 1))
    tools = assemblers.candidates([])
    if not tools:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc")
    assert libpygwatch.assemble(made.ptx, kernel, tools).cubin


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("name", "expected"), [("cupy", SWITCHED), ("cuda_core", SWITCHED), ("torch_nvrtc", BLOCKS)]
)
def test_texts_for_nvrtc(name, expected, target):
    nvrtc = find_nvrtc()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed: pip install nvidia-cuda-nvrtc")
    options = [f"--gpu-architecture={target}", "-lineinfo", "-std=c++17"]

    check(nvrtc_to_ptx(nvrtc, load(name).CODE, *options), "saxpy", expected)


@pytest.mark.skipif(not importlib.util.find_spec("tilelang"), reason="tilelang is not installed")
@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
@pytest.mark.parametrize("n", [1 << 20, 1000])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_tilelang(target, n, tmp_path):
    from kernels import tilelang_offline

    text = tilelang_offline.lower(load("tilelang").make_kernel(n))
    ptx = tilelang_offline.compile_lowered(text, tmp_path, target)

    check(ptx, "saxpy_kernel", SWITCHED)
