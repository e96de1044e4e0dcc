"""Triton's markers in Gluon kernels, warp-specialised partitions too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

triton = pytest.importorskip("triton")
pytest.importorskip("triton.experimental.gluon")

from kernels import gluon_kernels  # noqa: E402
from kernels.offline import load_module  # noqa: E402
from kernels.sass import find_nvdisasm, opcode_histogram  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler.errors import CompilationError  # noqa: E402
from triton.experimental.gluon._runtime import GluonASTSource  # noqa: E402

from gwatch import assemblers, libpygwatch  # noqa: E402

EXPECTED = {
    ("start", "all", "", ""),
    ("end", "all", "", ""),
    ("start", "first", "", "bits"),
    ("end", "first", "", ""),
    ("start", "7", "", "s32"),
    ("switch", "7", "8", ""),
    ("end", "8", "", ""),
    ("mark", "turn", "", "f32"),
}

# Without warp specialisation (sm_80) Gluon has no partitions.
KERNELS = [("kernel", 90), ("kernel", 100), ("plain_kernel", 80), ("plain_kernel", 90)]


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


def compile_gluon(module, name, capability):
    kernel = getattr(module, name)
    source = GluonASTSource(kernel, gluon_kernels.SIGNATURE, gluon_kernels.CONSTANTS)
    target = GPUTarget("cuda", capability, 32)
    return triton.compile(source, target=target, options={"num_warps": 4})


@pytest.mark.parametrize(("name", "capability"), KERNELS)
def test_every_partition_is_marked(name, capability):
    ptx = compile_gluon(gluon_kernels, name, capability).asm["ptx"]

    markers = libpygwatch.list_markers(ptx, f"^{name}$")
    made = libpygwatch.instrument(ptx, name, "gluon", (256, 1, 1))

    found = {(marker.verb, marker.scope, marker.next_scope, marker.payload) for marker in markers}
    assert found == EXPECTED
    lines = Path(gluon_kernels.__file__).read_text().splitlines()
    for marker in markers:
        assert marker.file == gluon_kernels.__file__
        # Triton 3.6 gives what ends a `with` the line of its last statement.
        assert marker.verb == "end" or "gw_trace." in lines[marker.line - 1]
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc")
    assert libpygwatch.assemble(made.ptx, name, found).cubin


def unmarked(folder):
    """The same kernels without markers."""
    text = Path(gluon_kernels.__file__).read_text()
    text = re.sub(r"( *)with gw_trace\..*", r"\1if True:", text)
    return load_module("unmarked_gluon", re.sub(r"(?m)^ *gw_trace\..*\n", "", text), folder)


def without_counters(folder):
    """The same kernels without values that are made of a loop's counter."""
    text = Path(gluon_kernels.__file__).read_text()
    text = text.replace("(7, turn)", "(7)").replace(", turn * 0.5", "")
    return load_module("gluon_without_counters", text, folder)


COUNTING = re.compile("IADD3|VIADD|IMAD|LEA|SHF|U?MOV|HFMA2|ISETP|ULDC|LDCU|NOP")


@pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")
@pytest.mark.parametrize(("name", "capability"), KERNELS)
def test_untraced_code_is_that_of_the_unmarked(name, capability, tmp_path):
    modules = (unmarked(tmp_path), without_counters(tmp_path), gluon_kernels)
    built = [compile_gluon(module, name, capability) for module in modules]
    assert ["gwatch" in one.asm["ptx"] for one in built] == [False, True, True]
    mixes = [opcode_histogram(one.asm["cubin"], tmp_path) for one in built]

    assert mixes[0] == mixes[1]
    assert mixes[0].total() > 50
    # LLVM counts a loop by an address rather than by its counter, unless a marker reads that one.
    keys = [{op: n for op, n in mix.items() if not COUNTING.match(op)} for mix in mixes]
    assert keys[0] == keys[2]
    assert keys[0]["LDG.E"] == keys[0]["STG.E"] > 1


SWITCHED_OFF = """
import sys
from pathlib import Path
import test_gluon_markers as t
for module in (t.gluon_kernels, t.unmarked(Path(sys.argv[1]))):
    print(t.compile_gluon(module, sys.argv[2], int(sys.argv[3])).asm["ptx"], "$$")
"""


@pytest.mark.parametrize(("name", "capability"), KERNELS)
def test_switched_off_markers_leave_the_ptx_of_the_unmarked_kernel(name, capability, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SWITCHED_OFF, tmp_path, name, str(capability)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "GWATCH_MARKERS": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr

    assert "gwatch" not in re.sub(r'"[^"]*"', "", done.stdout)
    off, unmarked_ptx = (without_lines(ptx) for ptx in done.stdout.split("$$")[:2])
    assert len(off) > 1000
    assert off == unmarked_ptx


def without_lines(ptx):
    """The code without comments, line tables and the labels that these refer to."""
    code = re.sub(r"(?m)^\s*\.loc.*\n|^\s*//.*\n|//.*", "", ptx.partition(".section")[0])
    return re.sub(r"(?m)^\$L__tmp\d+:\n|^\s*\.file.*\n|^\s+$", "", code).strip()


def test_tensor_with_a_layout_is_no_payload(tmp_path):
    text = Path(gluon_kernels.__file__).read_text()
    text = text.replace('start("all")', 'start("all", ttgl.arange(0, block, layout))')
    with pytest.raises(CompilationError, match="reduce it first"):
        compile_gluon(load_module("wrong_gluon", text, tmp_path), "plain_kernel", 90)
