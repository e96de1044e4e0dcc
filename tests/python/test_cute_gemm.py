"""The CuTe DSL example without a GPU: compiled, instrumented, assembled; its SASS with and without
markers, and the reports of the script itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cutlass")

import cutlass
import cutlass.cute as cute
from kernels.cute_offline import compile_host, load_module
from kernels.sass import find_nvdisasm, opcode_histogram

from gwatch import assemblers, libpygwatch
from gwatch.cuda import _markers

EXAMPLES = Path(__file__).parents[2] / "examples" / "cuda" / "trace"
SCRIPT = EXAMPLES / "trace_cute_matmul.py"
SHAPE = (512, 1024, 640)
CASES = {
    "hopper": ("cute_hopper_gemm.py", "hopper_gemm", "sm_90a", (384, 1, 1)),
    "hopper-pairs": ("cute_hopper_gemm.py", "hopper_gemm", "sm_90a", (384, 1, 1)),
    "plain-80": ("cute_plain_gemm.py", "plain_gemm", "sm_80", (128, 1, 1)),
    "plain-90": ("cute_plain_gemm.py", "plain_gemm", "sm_90a", (128, 1, 1)),
    "plain-100": ("cute_plain_gemm.py", "plain_gemm", "sm_100a", (128, 1, 1)),
}
CLUSTERS = {"hopper": 1, "hopper-pairs": 2}
SCOPES = {
    "hopper": {
        "acquire", "issue", "first%20wait", "first%20mma", "wait", "mma",
        "drain", "epilogue", "convert", "store",
    },
    "plain": {"wait", "issue", "mma", "store"},
}  # fmt: skip
KEY_OPCODES = {
    "hopper": ["HGMMA", "UTMALDG", "UTMASTG", "USETMAXREG", "SYNCS", "STSM"],
    "plain": ["HMMA", "LDGSTS", "LDSM"],
}


def facts_of(table, name):
    return table[name.partition("-")[0]]


class Gemm:
    """A kernel of the example, compiled for one target."""

    def __init__(self, name, folder, shape=SHAPE, drop_markers=False, options=""):
        file, host, arch, self.block = CASES[name]
        text = (EXAMPLES / file).read_text("utf-8")
        if name in CLUSTERS:
            text, found = re.subn(r"(?m)^CLUSTER = \d", f"CLUSTER = {CLUSTERS[name]}", text)
            assert found == 1
        if drop_markers:
            text = re.sub(r"(?m)^ *gw_trace\..*\n", "", text)
        module = load_module(file.removesuffix(".py"), text, folder)
        m, n, k = shape
        matrices = [_matrix(*sides) for sides in ((m, k), (n, k), (m, n))]
        stream = cute.runtime.make_fake_stream()
        compiled = compile_host(
            getattr(module, host), folder, *matrices, 132, stream, arch=arch, options=options
        )
        self.arch, self.ptx, self.cubin = arch, compiled.__ptx__, compiled.__cubin__
        self.events = module.expected_events(m, n, k)
        (self.kernel,) = re.findall(r"\.entry\s+(\w+)", self.ptx)

    def instrument(self):
        return libpygwatch.instrument(self.ptx, self.kernel, "<example>", self.block)

    def assemble(self, ptx):
        found = assemblers.candidates([])
        if not found:
            pytest.skip("no ptxas here: pip install nvidia-cuda-nvcc")
        return libpygwatch.assemble(ptx, self.kernel, found)


def _matrix(rows, columns):
    return cute.runtime.make_fake_compact_tensor(
        cutlass.Float16, (rows, columns), stride_order=(1, 0), assumed_align=16
    )


@pytest.fixture(scope="module", params=CASES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def gemm(name, tmp_path_factory):
    return Gemm(name, tmp_path_factory.mktemp("gemm"))


@pytest.fixture(scope="module")
def unmarked(name, tmp_path_factory):
    return Gemm(name, tmp_path_factory.mktemp("unmarked"), drop_markers=True)


def test_every_scope_is_marked_and_closed(name, gemm):
    found = re.findall(r"// gwatch:(\w+) (\S+)", gemm.ptx)
    starts = [scope for verb, scope in found if verb == "start"]
    assert set(starts) == facts_of(SCOPES, name)
    assert sorted(starts) == sorted(scope for verb, scope in found if verb == "end")


def test_every_marker_is_proven(gemm):
    markers = gemm.instrument().markers
    assert [m.placement_reason for m in markers if m.placement != "proven"] == []
    assert len(markers) == gemm.ptx.count("// gwatch:")


def test_nothing_of_the_text_is_changed(gemm):
    rest = iter(gemm.instrument().ptx)
    assert all(byte in rest for byte in gemm.ptx.encode())


def test_it_assembles_without_remarks_and_without_spills(gemm):
    plain = gemm.assemble(gemm.ptx)
    traced = gemm.assemble(gemm.instrument().ptx)
    for made in (plain, traced):
        assert made.remarks == []
        assert made.resources.spill_store_bytes == made.resources.spill_load_bytes == 0
        assert f"--gpu-name={gemm.arch}" in made.flags


@pytest.mark.parametrize("name", CLUSTERS)
def test_tracing_the_hopper_kernel_needs_no_more_registers(name, tmp_path):
    gemm = Gemm(name, tmp_path)
    plain, traced = (gemm.assemble(ptx) for ptx in (gemm.ptx, gemm.instrument().ptx))
    assert traced.resources.registers == plain.resources.registers == 168


@pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")
def test_markers_leave_the_instruction_mix(name, gemm, unmarked, tmp_path):
    assert "gwatch" not in unmarked.ptx
    before = opcode_histogram(unmarked.cubin, tmp_path)
    for opcode in facts_of(KEY_OPCODES, name):
        assert any(found.split(".")[0] == opcode for found in before), opcode
    assert opcode_histogram(gemm.cubin, tmp_path) == before

    own, other = unmarked.assemble(unmarked.ptx), gemm.assemble(gemm.ptx)
    assert opcode_histogram(own.cubin, tmp_path) == opcode_histogram(other.cubin, tmp_path)
    assert own.resources.registers == other.resources.registers


def test_switched_off_markers_leave_the_ptx_of_the_unmarked_kernel(
    name, unmarked, tmp_path, monkeypatch
):
    monkeypatch.setattr(_markers, "ENABLED", False)
    assert Gemm(name, tmp_path).ptx == unmarked.ptx


def test_source_lines_of_the_scopes(tmp_path):
    gemm = Gemm("hopper", tmp_path, options="--generate-line-info")
    lines = (tmp_path / "cute_hopper_gemm.py").read_text("utf-8").splitlines()
    for marker in gemm.instrument().markers:
        assert Path(marker.file).name == "cute_hopper_gemm.py"
        assert f'gw_trace.scope_{marker.verb}("{marker.scope}")' in lines[marker.line - 1]


def test_shapes_that_do_not_fill_their_tiles(tmp_path):
    gemm = Gemm("hopper", tmp_path, shape=(1000, 520, 264))
    assert gemm.events == 8 * 3 * (5 * 4 + 8 * (5 * 4 + 20))
    assert {m.placement for m in gemm.instrument().markers} == {"proven"}
    assert gemm.assemble(gemm.instrument().ptx).remarks == []


@pytest.mark.parametrize("name", CLUSTERS)
def test_events_of_the_benchmarked_shape(name, tmp_path):
    assert Gemm(name, tmp_path, shape=(4096, 4096, 4096)).events == 1_261_568


def test_events_of_a_block_whose_tile_is_outside(tmp_path):
    of_a_tile = 2 * 4 + 8 * (2 * 4 + 20)
    alone, pairs = (Gemm(name, tmp_path, shape=(384, 512, 128)) for name in CLUSTERS)
    assert (alone.events, pairs.events) == (3 * 2 * of_a_tile, 4 * 2 * of_a_tile)


def test_blocks_of_a_pair_load_halves_of_b_for_each_other(tmp_path):
    alone, pairs = (Gemm(name, tmp_path).ptx for name in CLUSTERS)
    remote = (".multicast::cluster", "mapa.", "barrier.cluster.", "%cluster_ctarank")
    assert [text for text in remote[:3] if text in alone] == []
    assert [text for text in remote if text not in pairs] == []
    assert pairs.count(remote[0]) == 1
    arrivals = {1: "8", 2: "16"}  # of warps that release a stage
    for cluster, ptx in ((1, alone), (2, pairs)):
        assert arrivals[cluster] in values_of(ptx, r"mbarrier\.init\S+\s+\[\S+\], (%r\d+);")


@pytest.mark.parametrize("name", CLUSTERS)
def test_parts_of_the_only_tile_are_stored_side_by_side(name, tmp_path):
    gemm = Gemm(name, tmp_path, shape=(8, 64, 8))
    columns = values_of(gemm.ptx, r"bulk\.tensor\.2d\.global\S+ \[\S+ \{(%r\d+), ")
    assert columns == ["0", "64", "128", "192"]


def values_of(ptx, pattern):
    """The constants in the registers that a pattern finds."""
    constants = dict(re.findall(r"mov\.b32\s+(%r\d+), (\d+);", ptx))
    return [constants[register] for register in re.findall(pattern, ptx)]


# The script


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import trace_cute_matmul as example
for capability, plain in ((80, False), (90, False), (90, True), (100, False)):
    compiled = example.compile_offline(capability, 256, 256, 128, plain)
    events = example.expected_events(256, 256, 128, capability, plain)
    print(capability, plain, compiled.__ptx__.count("// gwatch:"), events)
for shape in ((128, 100, 64), (128, 128, 63), (0, 128, 64)):
    try:
        example.check_shape(example.cute_hopper_gemm, *shape)
    except ValueError as error:
        print(error)
"""


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
    )


def test_script_compiles_for_every_gpu(tmp_path):
    ran = run("-W", "ignore", "-c", PROGRAM, EXAMPLES)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        f"80 False 8 {4 * 4 * (2 * 6 + 2)}",
        f"90 False 32 {2 * (2 * 4 + 8 * (2 * 4 + 20))}",
        f"90 True 8 {4 * 4 * (2 * 6 + 2)}",
        f"100 False 8 {4 * 4 * (2 * 6 + 2)}",
        "128 x 100 x 64: not multiples of 1 x 8 x 8",
        "128 x 128 x 63: not multiples of 1 x 8 x 8",
        "0 x 128 x 64: not multiples of 1 x 8 x 8",
    ]


def test_script_without_a_gpu_says_so(tmp_path):
    (tmp_path / "torch.py").write_text(
        "class cuda:\n    is_available = staticmethod(lambda: False)\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ran = run("-W", "ignore", SCRIPT, PYTHONPATH=path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "No NVIDIA GPU here. `gwatch demo` shows a recorded trace.\n"
