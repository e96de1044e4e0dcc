"""A marked kernel that is not traced is the kernel without markers."""

import re

import pytest

triton = pytest.importorskip("triton")

from kernels import attention, matmul  # noqa: E402
from kernels.offline import compile_kernel, without_markers  # noqa: E402
from kernels.sass import find_nvdisasm, opcode_histogram  # noqa: E402

from gwatch import assemblers, libpygwatch  # noqa: E402

pytestmark = pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")

KERNELS = {"matmul": (matmul, 4), "attention": (attention, 9)}

# Triton 3.6 refuses inline assembly in a loop that it pipelines for tcgen05 ("doesn't know how to
# predicate this op"), whoever wrote it.
REFUSED = {("3.6", "matmul", 100)}

# On sm_80 Triton may order shared-memory loads and address sums differently around a marker, and
# ptxas then picks other forms of a few integer instructions. What costs time stays.
REORDERED = {("attention", 80)}
MOST_REORDERED = 2
KEY_OPCODES = "HMMA|LDGSTS|LDGDEPBAR|DEPBAR|LDSM|LDG|STG|STS|BAR|MUFU|FADD|FMUL|FFMA|FSEL|SHFL|BRA"


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


@pytest.mark.parametrize("capability", [80, 90, 100])
@pytest.mark.parametrize("name", KERNELS)
def test_markers_leave_the_instruction_mix(name, capability, tmp_path):
    if (triton.__version__[:3], name, capability) in REFUSED:
        pytest.skip("this Triton cannot compile inline assembly in this loop")
    module, least_markers = KERNELS[name]
    marked = compile_kernel(module, capability)
    unmarked = compile_kernel(without_markers(module, tmp_path), capability)
    assert marked.asm["ptx"].count("// gwatch:") >= least_markers
    assert "// gwatch:" not in unmarked.asm["ptx"]

    same = _is_nearly_same if (name, capability) in REORDERED else _is_same
    before = opcode_histogram(unmarked.asm["cubin"], tmp_path)
    assert sum(before.values()) > 200
    same(before, opcode_histogram(marked.asm["cubin"], tmp_path))
    same(_assembled_mix(unmarked, tmp_path), _assembled_mix(marked, tmp_path))


def _is_same(before, after):
    assert after == before


def _is_nearly_same(before, after):
    def key(mix):
        return {op: n for op, n in mix.items() if re.fullmatch(KEY_OPCODES, op.split(".")[0])}

    assert len(key(before)) >= 10
    assert key(after) == key(before)
    instructions = [mix.total() - mix["NOP"] for mix in (before, after)]
    assert abs(instructions[1] - instructions[0]) <= MOST_REORDERED


def _assembled_mix(compiled, folder):
    """With the newest assembler of this machine instead of Triton's own."""
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas besides Triton's: pip install nvidia-cuda-nvcc")
    target = f"sm_{compiled.metadata.target.arch}"
    target += "a" if compiled.metadata.target.arch >= 90 else ""
    made = libpygwatch.assemble(compiled.asm["ptx"], compiled.name, found, target)
    return opcode_histogram(made.cubin, folder)
