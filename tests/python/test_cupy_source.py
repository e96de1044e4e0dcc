"""The source for CuPy, over a stand-in with the parts of CuPy that it uses."""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace

import pytest

from gwatch.sources import FoundPtx, NotFound, cupy, sources_for


def ptx_of(code: str) -> bytes:
    """The text that the stand-in's NVRTC makes: a kernel named by the first word."""
    return f".version 9.0\n.target sm_90\n.entry {code.split()[0]}() {{ ret; }}\n\0".encode()


class Program:
    compiled = 0

    def __init__(self, code: str, method: str = "cubin") -> None:
        self.code, self.method, self.ptr = code, method, code

    def compile(self, options: tuple[str, ...] = (), log_stream: object = None) -> object:
        Program.compiled += 1
        # Comments do not change the code; CuPy cuts off the last byte, a zero.
        return b"\x7fELF " + self.code.split("//")[0].strip().encode(), None


class RawKernel:
    def __init__(self, code: str, name: str) -> None:
        self.code, self.name, self.backend, self.options = code, name, "nvrtc", ("-O3",)
        self.enable_cooperative_groups = False


class RawModule:
    def __init__(self, code: str, **named: object) -> None:
        self.code, self.backend, self.named = code, "nvrtc", named
        self.options = named["options"]
        self.enable_cooperative_groups = False

    def compile(self) -> None:
        assert os.environ["CUPY_CACHE_IN_MEMORY"] == "1"
        sys.modules["cupy.cuda.compiler"]._NVRTCProgram(self.code).compile(self.options)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Program.compile
    monkeypatch.setattr(Program, "compile", original)
    monkeypatch.delenv("CUPY_CACHE_IN_MEMORY", raising=False)
    cupy._noted.clear()
    nvrtc = SimpleNamespace(getPTX=ptx_of)
    modules = {
        "cupy": {"RawModule": RawModule},
        "cupy.cuda.compiler": {"_NVRTCProgram": Program, "nvrtc": nvrtc},
        "cupy._core.raw": {"RawKernel": RawKernel, "RawModule": RawModule},
    }
    for name, contents in modules.items():
        module = ModuleType(name)
        module.__dict__.update(contents)
        monkeypatch.setitem(sys.modules, name, module)


def launch(kernel: str, image: bytes = b"") -> SimpleNamespace:
    return SimpleNamespace(
        kernel=kernel, function=1, resolved_function=2, image=image, compute_capability=90
    )


def test_what_is_compiled_after_the_hook() -> None:
    (source,) = sources_for("cupy")
    Program("mm of one kind").compile()
    Program("mm of another kind").compile()

    found = source.find(launch("mm", b"\x7fELF mm of one kind\0"))

    assert isinstance(found, FoundPtx)
    assert found.ptx == ptx_of("mm").rstrip(b"\0")
    assert (found.dsl, found.cubin) == ("cupy", b"\x7fELF mm of one kind\0")
    assert Program.compile.__name__ == "compile"


def test_hooks_are_installed_once() -> None:
    sources_for("cupy")
    hooked = Program.compile
    sources_for("cupy")
    assert Program.compile is hooked


def test_kernel_that_was_compiled_before() -> None:
    kernel = RawKernel("mm compiled before", "mm")
    other = RawKernel("other", "other")
    (source,) = sources_for("cupy")
    before = Program.compiled

    found = source.find(launch("mm", b"\x7fELF mm compiled before"))

    assert isinstance(found, FoundPtx)
    assert Program.compiled == before + 1
    assert "CUPY_CACHE_IN_MEMORY" not in os.environ
    assert kernel.code
    assert other.code


def test_code_that_differs_is_not_taken() -> None:
    kernel = RawKernel("mm in this text", "mm")
    (source,) = sources_for("cupy")

    found = source.find(launch("mm", b"\x7fELF mm in that text"))

    assert isinstance(found, NotFound)
    assert kernel.code


def test_texts_and_failures_are_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = sources_for("cupy")
    Program("mm", method="ptx").compile()
    assert not cupy._noted
    monkeypatch.setattr(sys.modules["cupy.cuda.compiler"], "nvrtc", None)
    assert Program("mm").compile()
    assert isinstance(source.find(launch("mm")), NotFound)


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = sources_for("cupy")
    monkeypatch.delitem(sys.modules, "cupy.cuda.compiler")
    found = source.find(launch("mm"))
    assert isinstance(found, NotFound)
    assert "not imported" in found.reason
