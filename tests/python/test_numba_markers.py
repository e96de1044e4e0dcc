"""Markers and source of Numba-CUDA kernels, compiled without a GPU."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from gwatch import assemblers, libpygwatch
from gwatch.sources import FoundPtx, NotFound, sources_for

HERE = str(Path(__file__).parent)
has_numba = importlib.util.find_spec("numba_cuda") is not None
needs_numba = pytest.mark.skipif(not has_numba, reason="numba-cuda is not installed")

if has_numba:
    if importlib.util.find_spec("_numba_cuda_redirector"):
        import _numba_cuda_redirector  # noqa: F401  # a folder in PYTHONPATH runs no .pth file
    from numba import cuda
    from numba.core import types

    import gwatch.cuda.trace.numba as gw_trace

LOAD = 7


def marked(x, n):
    gw_trace.scope_start(100)
    gw_trace.scope_start("load x")
    i = cuda.grid(1)
    value = x[i] + x[i]
    gw_trace.scope_switch("load x", LOAD)
    x[i] = value
    gw_trace.mark("here")
    gw_trace.mark("float", value)
    gw_trace.mark("kinds", n > 5)
    gw_trace.mark("kinds", x.size)
    gw_trace.mark("kinds", types.int8(n))
    gw_trace.mark("kinds", types.uint16(n))
    gw_trace.mark("kinds", types.uint64(n))
    gw_trace.mark("kinds", types.float16(value))
    gw_trace.mark("kinds", types.float64(value))
    gw_trace.mark("kinds", 7)
    gw_trace.mark("kinds", 2.5)
    gw_trace.mark("kinds", None)
    gw_trace.scope_end(LOAD)
    gw_trace.scope_start(5, n)
    gw_trace.scope_end(5)
    gw_trace.scope_end(100)


def unmarked(x, n):
    i = cuda.grid(1)
    value = x[i] + x[i]
    x[i] = value


KINDS = ["u32", "s64", "s32", "u32", "u64", "f32", "f64", "s64", "f64", ""]
EXPECTED = [
    ("start", "100", ""),
    ("start", "load x", ""),
    ("switch", "load x", "7"),
    ("mark", "here", ""),
    ("mark", "float", ""),
    *[("mark", "kinds", "")] * len(KINDS),
    ("end", "7", ""),
    ("start", "5", ""),
    ("end", "5", ""),
    ("end", "100", ""),
]


def compile_ptx(function, capability=(9, 0)):
    signature = (types.float32[::1], types.int32)
    return cuda.compile_ptx(function, signature, cc=capability, lineinfo=True)[0]


@needs_numba
@pytest.mark.parametrize("capability", [(8, 0), (9, 0), (10, 0)])
def test_every_marker(capability):
    ptx = compile_ptx(marked, capability)
    markers = libpygwatch.list_markers(ptx, "marked")

    assert [(marker.verb, marker.scope, marker.next_scope) for marker in markers] == EXPECTED
    assert {marker.file for marker in markers} == {__file__}
    first = marked.__code__.co_firstlineno
    assert [marker.line - first for marker in markers] == [1, 2, 5, *range(7, 23)]
    payloads = [marker.payload for marker in markers]
    assert payloads == ["", "", "", "", "f32", *KINDS, "", "s32", "", ""]

    (kernel,) = {marker.function for marker in markers}
    made = libpygwatch.instrument(ptx, kernel, "numba", (64, 1, 1))
    assert libpygwatch.assemble(made.ptx, kernel, assemblers.candidates([])).cubin
    plain = libpygwatch.instrument(ptx, kernel, "numba", (0, 0, 0), prove=False)
    assert libpygwatch.assemble(plain.ptx, kernel, assemblers.candidates([])).cubin


@needs_numba
def test_untraced_code_is_that_of_the_unmarked(tmp_path):
    from kernels.sass import find_nvdisasm, opcode_histogram

    if not find_nvdisasm():
        pytest.skip("nvdisasm is not installed")
    found = assemblers.candidates([])
    mixes = []
    for function in (marked, unmarked):
        ptx = compile_ptx(function)
        name = re.search(r"\.entry (\w+)", ptx)[1]
        cubin = libpygwatch.assemble(ptx, name, found).cubin
        mixes.append(opcode_histogram(cubin, tmp_path))
    assert mixes[0] == mixes[1]


@needs_numba
def test_scope_must_be_a_constant():
    def kernel(x, n):
        gw_trace.scope_start(n)

    with pytest.raises(Exception, match="must be a constant"):
        compile_ptx(kernel)


@needs_numba
def test_array_is_no_payload():
    def kernel(x, n):
        gw_trace.mark("x", x)

    with pytest.raises(Exception, match="reduce it first"):
        compile_ptx(kernel)


@needs_numba
def test_there_is_no_scope_for_with():
    with pytest.raises(AttributeError, match="compiles no `with` statement"):
        _ = gw_trace.scope
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = gw_trace.other


SWITCHED_OFF = """
import test_numba_markers as t
for function in (t.marked, t.unmarked):
    print(t.re.sub("_Z.*?unmarked|_Z.*?marked|//.*", "", t.compile_ptx(function)), "$")
"""


@needs_numba
def test_switched_off_markers_compute_nothing():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([HERE, *sys.path])}
    environment["GWATCH_MARKERS"] = "0"
    command = [sys.executable, "-W", "ignore", "-c", SWITCHED_OFF]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    assert "gwatch" not in done.stdout
    codes = [re.findall(r"(?m)^\t(?!\.)(\S+)", part) for part in done.stdout.split("$\n")[:2]]
    assert len(codes[0]) > 5
    assert codes[0] == codes[1]


class _Kernel:
    """A stand-in for Numba's compiled kernel."""

    def __init__(self, name, texts):
        self.entry_name = name
        self._codelibrary = SimpleNamespace(get_asm_strs=lambda cc: texts)


def test_source_looks_through_live_kernels(monkeypatch):
    module = ModuleType("numba.cuda.dispatcher")
    module._Kernel = _Kernel
    monkeypatch.setitem(sys.modules, "numba.cuda.dispatcher", module)
    text = ".entry mm() { ret; }"
    kernels = [_Kernel("other", [".entry other() {}"]), _Kernel("mm", ["// linked", text])]
    assert gc.is_tracked(kernels[0])
    (source,) = sources_for("numba")

    found = source.find(SimpleNamespace(kernel="mm", compute_capability=90, image=b"cubin"))
    missing = source.find(SimpleNamespace(kernel="none", compute_capability=90))

    assert isinstance(found, FoundPtx)
    assert (found.ptx, found.dsl, found.cubin) == (text, "numba", b"cubin")
    assert isinstance(missing, NotFound)
