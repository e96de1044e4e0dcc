"""The PTX of torch.cuda._compile_kernel, over stand-ins for its module and for NVRTC; and where
PyTorch is installed, over its own."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from kernels.nvcc import find_nvrtc

import gwatch
from gwatch import libpygwatch
from gwatch.sources import FoundPtx, NotFound, _nvrtc, sources_for

CUBIN = b"\x7fELF code of steps\0"
PTX = b".version 9.0\n.target sm_90\n.entry steps() { ret; }\n\0"


class FakeNvrtc:
    """Writes into the caller's memory, as NVRTC does."""

    def __init__(self, ptx_result: int = 0) -> None:
        self.ptx_result = ptx_result

    def nvrtcGetCUBIN(self, program: int, cubin: ctypes.Array[ctypes.c_char]) -> int:  # noqa: N802
        ctypes.memmove(cubin, CUBIN, len(CUBIN))
        return 0

    def nvrtcGetPTXSize(self, program: int, size: object) -> int:  # noqa: N802
        size._obj.value = len(PTX)  # type: ignore[attr-defined]
        return self.ptx_result

    def nvrtcGetPTX(self, program: int, text: ctypes.Array[ctypes.c_char]) -> int:  # noqa: N802
        ctypes.memmove(text, PTX, len(PTX))
        return 0

    def nvrtcDestroyProgram(self, program: int) -> str:  # noqa: N802
        return "destroyed"


@pytest.fixture
def torch_utilities(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("torch.cuda._utils")
    module._get_nvrtc_library = FakeNvrtc  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.cuda._utils", module)
    _nvrtc.of_pytorch.clear()
    return module


def compile_as_pytorch(utilities: ModuleType) -> bytes:
    library = utilities._get_nvrtc_library()
    cubin = ctypes.create_string_buffer(len(CUBIN))
    assert library.nvrtcGetCUBIN(1, cubin) == 0
    assert library.nvrtcDestroyProgram(1) == "destroyed"
    return cubin.raw


def find(image: bytes) -> FoundPtx | NotFound:
    (source,) = sources_for("cuda")
    launch = SimpleNamespace(
        kernel="steps", function=1, resolved_function=2, image=image, compute_capability=90
    )
    return source.find(launch)


def test_ptx_beside_the_cubin(torch_utilities: ModuleType) -> None:
    sources_for("cuda")
    sources_for(None)
    image = compile_as_pytorch(torch_utilities)

    found = find(image)

    assert image == CUBIN
    assert isinstance(found, FoundPtx)
    assert (found.ptx, found.cubin, found.dsl) == (PTX.rstrip(b"\0"), CUBIN, "cuda")
    assert len(_nvrtc.of_pytorch) == 1


def test_compiled_before_or_without_ptx(torch_utilities: ModuleType) -> None:
    image = compile_as_pytorch(torch_utilities)
    assert isinstance(find(image), NotFound)

    torch_utilities._get_nvrtc_library = lambda: FakeNvrtc(ptx_result=1)  # type: ignore[attr-defined]
    sources_for("cuda")
    assert compile_as_pytorch(torch_utilities) == CUBIN
    assert isinstance(find(image), NotFound)


def test_other_code_is_not_taken(torch_utilities: ModuleType) -> None:
    sources_for("cuda")
    compile_as_pytorch(torch_utilities)

    assert isinstance(find(b"\x7fELF other code"), NotFound)


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
def test_example_compiled_by_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    nvrtc = find_nvrtc()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed: pip install nvidia-cuda-nvrtc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.cuda import _utils
        from torch.utils import cpp_extension
    monkeypatch.setattr(_utils, "_get_nvrtc_library", lambda: nvrtc)
    monkeypatch.setattr(cpp_extension, "include_paths", lambda *_: [])  # of a toolkit
    _nvrtc.of_pytorch.clear()
    examples = Path(__file__).parents[2] / "examples" / "cuda" / "trace"
    monkeypatch.syspath_prepend(examples)
    code = importlib.import_module("trace_torch_nvrtc_saxpy").CODE
    sources_for("cuda")

    options = ["-lineinfo", "-std=c++17"]
    cubin, name = _utils._nvrtc_compile(code, "saxpy", "90", [gwatch.get_include()], options)

    (source,) = sources_for("cuda")
    found = source.find(
        SimpleNamespace(
            kernel=name, function=1, resolved_function=2, image=cubin, compute_capability=90
        )
    )
    assert isinstance(found, FoundPtx)
    markers = libpygwatch.list_markers(found.ptx, "saxpy")
    assert {(marker.verb, marker.scope, marker.payload) for marker in markers} == {
        ("start", "load", "s32"), ("end", "load", ""),
        ("start", "update", "s32"), ("end", "update", ""),
    }  # fmt: skip
    assert all(marker.line for marker in markers)
