"""Markers of TileLang: its C++ text compiled to PTX without a GPU, and its kernels as a source."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from kernels.nvcc import compile_to, find_tool
from kernels.sass import find_nvdisasm, opcode_histogram

from gwatch import assemblers, libpygwatch
from gwatch.errors import UsageError
from gwatch.sources import FoundPtx, NotFound, sources_for

has_tilelang = importlib.util.find_spec("tilelang") is not None

EXPECTED = [
    ("start", "100", "", "u32"),
    ("switch", "100", "load x", ""),
    ("mark", "integer", "", "s32"),
    ("mark", "number", "", "f32"),
    ("end", "load x", "", ""),
]
KINDS = [
    ("n", "int32", "s32"),
    ("static_cast<signed char>(n)", "int8", "s32"),
    ("static_cast<unsigned short>(n)", "uint16", "u32"),
    ("1ll * n", "int64", "s64"),
    ("1ull * n", "uint64", "u64"),
    ("3 < n", "bool", "u32"),
    ("x", "float32", "f32"),
    ("static_cast<__half>(x)", "float16", "f32"),
    ("1.0 * x", "float64", "f64"),
    ("&(a[n])", "handle", "bits"),
]
"""C++ text as TileLang prints it, its type there, and how it is recorded."""
NUMBERS = [
    (0, "s32"), (-(2**31), "s32"), (2**31, "u32"), (True, "u32"), (-(2**63), "s64"),
    (2**64 - 1, "u64"), (2.5, "f32"), (float("inf"), "f32"), (1e300, "f64"),
]  # fmt: skip


class Value(SimpleNamespace):
    """A TIR expression, as far as markers look at it: its C++ text and its type."""


@pytest.fixture
def written():
    """What the stand-in was told to evaluate."""
    return []


@pytest.fixture
def markers(monkeypatch, written):
    """The marker module over a stand-in that prints calls as TileLang 0.1.15 does."""
    if not has_tilelang:
        language = SimpleNamespace(
            call_extern=lambda kind, name, *arguments: (
                f"{name}({', '.join(str(getattr(a, 'text', a)) for a in arguments)});"
            ),
            evaluate=written.append,
        )
        module = ModuleType("tilelang")
        module.language = language
        monkeypatch.setitem(sys.modules, "tilelang", module)
    monkeypatch.delitem(sys.modules, "gwatch.cuda.trace.tilelang", raising=False)
    yield importlib.import_module("gwatch.cuda.trace.tilelang")
    sys.modules.pop("gwatch.cuda.trace.tilelang", None)


def kernel_source(statements):
    start, switch, integer, number, end = statements
    return f"""#include <cuda_fp16.h>
    extern "C" __global__ void main_kernel(float* a, int n) {{
        {start}
        float x = a[threadIdx.x];
        {switch}
        {integer}
        {number}
        a[threadIdx.x] = x * 2;
        {end}
    }}"""


@pytest.mark.skipif(has_tilelang, reason="TileLang itself is tested")
@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_text_compiles_to_markers(markers, tmp_path: Path, target: str):
    statements = [
        markers.scope_start(100, Value(text="threadIdx.x", dtype="uint32")),
        markers.scope_switch(100, "load x"),
        markers.mark("integer", Value(text="n", dtype="int32")),
        markers.mark("number", Value(text="x", dtype="float32")),
        markers.scope_end("load x"),
    ]
    path = tmp_path / "kernel.cu"
    path.write_text(kernel_source(statements))
    flags = [f"-arch={target}", "-std=c++20"]
    ptx = compile_to("ptx", path, tmp_path, *flags)

    found = libpygwatch.list_markers(ptx, "main_kernel")
    made = libpygwatch.instrument(ptx, "main_kernel", "tilelang", (32, 1, 1))

    assert [(one.verb, one.scope, one.next_scope, one.payload) for one in found] == EXPECTED
    assert libpygwatch.assemble(made.ptx, "main_kernel", assemblers.candidates([])).cubin
    if find_nvdisasm():
        marked = opcode_histogram(compile_to("cubin", path, tmp_path, *flags), tmp_path)
        path.write_text(kernel_source([""] * 5))
        unmarked = opcode_histogram(compile_to("cubin", path, tmp_path, *flags), tmp_path)
        assert marked == unmarked


@pytest.mark.skipif(has_tilelang, reason="TileLang itself is tested")
@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
def test_switched_off_markers_leave_the_ptx_of_the_unmarked_kernel(
    markers, written, tmp_path, monkeypatch
):
    monkeypatch.setattr("gwatch.cuda._markers.ENABLED", False)
    with markers.scope(1, Value(text="n", dtype="int32")):
        pass
    statements = [
        "".join(written),
        markers.scope_switch(100, "load x"),
        markers.mark("integer", Value(text="n", dtype="int32")),
        markers.mark("number", 2.5),
        markers.scope_end("load x"),
    ]
    path = tmp_path / "kernel.cu"
    texts = []
    for lines in (statements, [""] * 5):
        path.write_text(kernel_source(lines))
        texts.append(compile_to("ptx", path, tmp_path, "-arch=sm_90a", "-std=c++20"))
    assert all(statements)
    assert texts[0] == texts[1]


@pytest.mark.skipif(has_tilelang, reason="TileLang itself is tested")
@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
def test_values_of_every_kind(markers, tmp_path):
    values = [Value(text=text, dtype=dtype) for text, dtype, _ in KINDS]
    numbers = [number for number, _ in NUMBERS]
    marks = [markers.mark(i, value) for i, value in enumerate([*values, *numbers])]
    path = tmp_path / "kernel.cu"
    path.write_text(kernel_source(["", "", "\n".join(marks), "", ""]))
    ptx = compile_to("ptx", path, tmp_path, "-arch=sm_90a", "-std=c++20")

    found = libpygwatch.list_markers(ptx, "main_kernel")
    made = libpygwatch.instrument(ptx, "main_kernel", "tilelang", (32, 1, 1))

    kinds = [kind for *_, kind in [*KINDS, *NUMBERS]]
    assert [(one.scope, one.payload) for one in found] == [
        (str(i), kind) for i, kind in enumerate(kinds)
    ]
    assert libpygwatch.assemble(made.ptx, "main_kernel", assemblers.candidates([])).cubin


@pytest.mark.skipif(has_tilelang, reason="TileLang itself is tested")
def test_scope_is_a_start_and_an_end(markers, written):
    with markers.scope("load x", Value(text="n", dtype="int32")):
        written.append("body")
    with pytest.raises(KeyError), markers.scope(7):
        raise KeyError

    start, body, end, failed_start = written
    assert "// gwatch:start load%%20x" in start
    assert "mov.s32" in start
    assert body == "body"
    assert "// gwatch:end load%%20x" in end
    assert "// gwatch:start 7" in failed_start


def test_value_of_a_wrong_type(markers):
    with pytest.raises(UsageError, match="float8_e4m3"):
        markers.mark(1, Value(text="x", dtype="float8_e4m3"))
    with pytest.raises(UsageError, match="one value a warp"):
        markers.mark(1, Value(text="x", dtype="float32", shape=(4,)))


@pytest.fixture
def lowered():
    """The CUDA C++ that TileLang makes of a marked kernel."""
    if not has_tilelang:
        pytest.skip("tilelang is not installed")
    import tilelang.language as T  # noqa: N812
    from kernels import tilelang_offline

    import gwatch.cuda.trace.tilelang as gw_trace

    @T.prim_func
    def twice(a: T.Tensor((1024,), "float32"), b: T.Tensor((1024,), "float32")):
        with T.Kernel(8, threads=128) as block:
            with gw_trace.scope("whole", block):
                for i in T.Parallel(128):
                    b[block * 128 + i] = a[block * 128 + i] * 2.0
            T.evaluate(gw_trace.scope_start(100, 2.5))
            for turn in T.serial(3):
                with gw_trace.scope("turn", turn):
                    b[turn] = a[turn]
            T.evaluate(gw_trace.scope_switch(100, "tail"))
            T.evaluate(gw_trace.mark(7, block))
            T.evaluate(gw_trace.scope_end("tail"))

    return tilelang_offline.lower(twice)


def test_tilelang_prints_the_markers(lowered):
    comments = re.findall(r"// gwatch:(.*?)\\n\\tmov\.(\w+)", lowered)
    assert comments == [
        ("start whole", "s32"), ("end whole", "u32"), ("start 100", "f32"),
        ("start turn", "s32"), ("end turn", "u32"), ("switch 100 tail", "u32"),
        ("mark 7", "s32"), ("end tail", "u32"),
    ]  # fmt: skip


def test_tilelang_prints_nothing_of_switched_off_markers(monkeypatch, request):
    monkeypatch.setattr("gwatch.cuda._markers.ENABLED", False)
    text = request.getfixturevalue("lowered")
    assert "gwatch" not in text
    assert "asm" not in text


@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_kernel_of_tilelang_is_instrumented_and_assembled(lowered, tmp_path, target):
    from kernels import tilelang_offline

    ptx = tilelang_offline.compile_lowered(lowered, tmp_path, target)

    found = libpygwatch.list_markers(ptx, "twice_kernel")
    made = libpygwatch.instrument(ptx, "twice_kernel", "tilelang", (128, 1, 1))

    assert {(one.verb, one.scope, one.payload) for one in found if one.payload} == {
        ("start", "whole", "s32"), ("start", "100", "f32"), ("start", "turn", "s32"),
        ("mark", "7", "s32"),
    }  # fmt: skip
    assert libpygwatch.assemble(made.ptx, "twice_kernel", assemblers.candidates([])).cubin


COMPILED = """
import importlib.util, sys
from types import SimpleNamespace
import tilelang
from gwatch import libpygwatch
from gwatch.sources import sources_for
spec = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
kernel = tilelang.compile(example.make_kernel(1 << 20), target={"kind": "cuda", "arch": "sm_90"})
(source,) = sources_for("tilelang")
found = source.find(SimpleNamespace(kernel="saxpy_kernel", image=b"cubin"))
markers = libpygwatch.list_markers(found.ptx, "saxpy_kernel")
print("found", *sorted({marker.scope for marker in markers}), all(one.line for one in markers))
"""


@pytest.mark.skipif(not has_tilelang, reason="tilelang is not installed")
@pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")
def test_kernel_that_tilelang_compiled_or_had_in_its_cache(tmp_path):
    example = Path(__file__).parents[2] / "examples/cuda/trace/trace_tilelang_saxpy.py"
    nvcc = Path(find_tool("nvcc"))
    environment = os.environ | {
        "CUDA_HOME": str(nvcc.parents[1]),
        "PATH": os.pathsep.join([str(nvcc.parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TILELANG_CACHE_DIR": str(tmp_path),
    }
    for _ in ("compiled", "cached"):
        command = [sys.executable, "-W", "ignore", "-c", COMPILED, example]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert "found load update True" in ran.stdout


class JITKernel:
    """A stand-in for TileLang's kernel."""

    def __init__(self, name: str, ptx: str) -> None:
        self.name, self.ptx = name, ptx

    def get_kernel_source(self) -> str:
        return f'extern "C" __global__ void {self.name}(float* a)'

    def export_ptx(self, path: str) -> None:
        if self.name == "silent_kernel":
            return
        if not self.ptx:
            raise RuntimeError("nvcc is missing")
        Path(path).write_text(self.ptx)


def test_source_looks_through_live_kernels(monkeypatch):
    module = ModuleType("tilelang.jit.kernel")
    module.JITKernel = JITKernel
    monkeypatch.setitem(sys.modules, "tilelang.jit.kernel", module)
    text = ".entry mm_kernel() { ret; }"
    kernels = [JITKernel("other_kernel", "?"), JITKernel("mm_kernel", text)]
    kernels += [JITKernel("bad", ""), JITKernel("silent_kernel", "")]
    (source,) = sources_for("tilelang")

    def find(kernel):
        return source.find(SimpleNamespace(kernel=kernel, image=b"cubin"))

    found = find("mm_kernel")
    assert isinstance(found, FoundPtx)
    assert (found.ptx, found.dsl, found.cubin) == (text, "tilelang", b"cubin")
    failed = find("bad")
    assert isinstance(failed, NotFound)
    assert "nvcc is missing" in failed.reason
    assert "TileLang's log says why" in find("silent_kernel").reason
    assert isinstance(find("none"), NotFound)
    assert kernels
