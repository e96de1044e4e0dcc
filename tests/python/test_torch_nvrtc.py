"""The PTX of torch.cuda._compile_kernel, over stand-ins for its module and for NVRTC."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace

import pytest

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
