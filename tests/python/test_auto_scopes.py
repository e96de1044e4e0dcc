"""Automatic scopes on what compilers make of unmarked kernels: found, proven, assembled."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
import traced_builds
from kernels.nvcc import MATMUL, compile_to, find_tool
from kernels.sass import find_nvdisasm

from gwatch import assemblers, auto_scopes, libpygwatch
from gwatch.cli import main
from gwatch.cuda.trace import _fidelity
from gwatch.errors import NoMarkersError, UsageError
from gwatch.sources import FoundPtx

ALL = auto_scopes.read_kinds(True)
MOST_SPILLS = 64

# Counts by label, read off the PTX by hand: a wait or run is one however often it is passed.
TRITON = {
    ("matmul", 80): {"async_copy.wait": 5, "barrier.wait": 6, "mma": 2},
    ("matmul", 90): {"async_copy.wait": 2, "barrier.wait": 4, "wgmma.issue": 1, "wgmma.wait": 2},
    ("matmul", 100): {
        "async_copy.wait": 3, "barrier.wait": 17, "mbarrier.wait": 2, "tcgen05.issue": 2,
        "tcgen05.wait": 2,
    },
    ("attention", 80): {"async_copy.wait": 2, "barrier.wait": 6, "mma": 2},
    ("attention", 90): {"async_copy.wait": 2, "barrier.wait": 6, "wgmma.issue": 2, "wgmma.wait": 2},
    ("attention", 100): {
        "async_copy.wait": 4, "barrier.wait": 22, "mbarrier.wait": 4, "tcgen05.issue": 5,
        "tcgen05.wait": 9,
    },
}  # fmt: skip
CUTE = {
    "hopper": {
        "barrier.wait": 9, "mbarrier.wait": 3, "tma.load": 2, "tma.store": 4, "tma.wait": 5,
        "wgmma.issue": 2, "wgmma.wait": 2,
    },
    "plain-80": {"async_copy.wait": 1, "barrier.wait": 1, "mma": 1},
    "plain-90": {"async_copy.wait": 1, "barrier.wait": 1, "mma": 1},
    "plain-100": {"async_copy.wait": 1, "barrier.wait": 1, "mma": 1},
}  # fmt: skip

# What stands in the source line that a scope of the GEMMs is named by.
WORDS = {
    "async_copy.wait": r"cp_async_wait_group",
    "barrier.wait": r"sync_threads|arrive_and_wait|PipelineTmaAsync\.create",
    "mbarrier.wait": r"producer_acquire|consumer_wait",
    "mma": r"cute\.gemm",
    "tma.load": r"cute\.copy\(",
    "tma.store": r"cute\.copy\(store_c",
    "tma.wait": r"cp_async_bulk_wait_group",
    "wgmma.issue": r"cute\.gemm",
    "wgmma.wait": r"warpgroup\.wait_group",
}

PIPELINE = r"""
#include <cuda/barrier>
#include <cuda/pipeline>
__global__ void waits(const float* source, float* target, int steps) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ float tile[128];
    if (threadIdx.x == 0) init(&ready, blockDim.x);
    __syncthreads();
    float sum = 0;
    for (int step = 0; step < steps; ++step) {
        cuda::memcpy_async(&tile[threadIdx.x], source + step * 128 + threadIdx.x,
                           cuda::aligned_size_t<4>(4), ready);
        ready.arrive_and_wait();
        sum += tile[127 - threadIdx.x];
        __syncthreads();
    }
    target[threadIdx.x] = sum;
}
"""


SMALL = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k()
{
	bar.sync 0;
	cp.async.wait_all;
	ret;
}
.visible .entry idle()
{
	ret;
}
"""


def labels(marked):
    return dict(Counter(find.scope.partition(":")[0] for find in marked.finds))


def without_insertions(marked):
    """The marked text with every inserted piece cut out again."""
    text, rest, cut = marked.ptx, b"", 0
    grown = 0
    for offset, piece in marked.inserted:
        at = offset + grown
        assert text[at : at + len(piece)] == piece
        rest += text[cut:at]
        cut = at + len(piece)
        grown += len(piece)
    return rest + text[cut:]


def as_bytes(ptx):
    return ptx if isinstance(ptx, bytes) else ptx.encode()


def placements(instrumented):
    return Counter(marker.placement for marker in instrumented.markers)


def check(ptx, block, expected, most_parted=0):
    """Every property that holds for any kernel; gives the marked and the instrumented text."""
    (kernel,) = libpygwatch.ptx_facts(ptx).entries
    marked = auto_scopes.mark(ptx, [kernel], ALL)
    assert labels(marked) == expected
    assert without_insertions(marked) == as_bytes(ptx)

    made = libpygwatch.instrument(marked.ptx, kernel, "<auto>", block)
    assert set(placements(made)) <= {"proven", "parted"}
    assert placements(made)["parted"] == most_parted
    starts = Counter(marker.scope for marker in made.markers if marker.verb == "start")
    ends = Counter(marker.scope for marker in made.markers if marker.verb == "end")
    assert starts == ends == Counter(find.scope for find in marked.finds)
    lines = {scope["name"]: scope for scope in _scopes(made)}
    for find in marked.finds:
        assert (lines[find.scope]["file"], lines[find.scope]["line"]) == (find.file, find.line)

    for kind in ALL:
        alone = auto_scopes.mark(ptx, [kernel], [kind]).finds
        assert [f.scope for f in alone] == [f.scope for f in marked.finds if f.kind == kind]
    check_assembled(ptx, marked.ptx, made.ptx, kernel)
    return marked, made


def _scopes(made):
    return [
        {"name": m.scope, "file": m.file, "line": m.line}
        for m in reversed(made.markers)
        if m.verb == "start"
    ]


def check_assembled(original, marked, instrumented, kernel):
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas here: pip install nvidia-cuda-nvcc")
    plain, bare, traced = (
        libpygwatch.assemble(text, kernel, found) for text in (original, marked, instrumented)
    )
    assert bare.resources.registers == plain.resources.registers, "markers compile to nothing"
    assert bare.resources.spill_store_bytes == plain.resources.spill_store_bytes
    assert traced.remarks == plain.remarks
    grown = traced.resources.spill_store_bytes - plain.resources.spill_store_bytes
    assert grown <= MOST_SPILLS
    assert traced.resources.registers <= max(255, plain.resources.registers)


# Triton


@pytest.fixture(scope="module")
def compile_unmarked(tmp_path_factory):
    pytest.importorskip("triton")
    from kernels import attention, matmul
    from kernels.offline import compile_kernel, without_markers

    folder = tmp_path_factory.mktemp("unmarked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(folder / "cache"))
        patch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
        modules = {
            "matmul": without_markers(matmul, folder),
            "attention": without_markers(attention, folder),
        }
        yield lambda name, capability: compile_kernel(modules[name], capability).asm["ptx"]


@pytest.mark.parametrize(("name", "capability"), TRITON)
def test_triton(compile_unmarked, name, capability):
    expected = TRITON[name, capability]
    threads = 256 if name == "matmul" else 128
    marked, _ = check(
        compile_unmarked(name, capability),
        (threads, 1, 1),
        expected,
        most_parted=2 * expected.get("tcgen05.issue", 0),
    )
    assert {find.file.rpartition("/")[2] for find in marked.finds} == {f"unmarked_{name}.py"}


def test_triton_waits_of_a_reduction_have_the_kernels_line(compile_unmarked):
    """The barriers of tl.max and tl.sum stand in Triton's own standard.py."""
    ptx = compile_unmarked("attention", 80)
    assert "standard.py" in ptx
    assert not [f for f in auto_scopes.mark(ptx, ["kernel"], ALL).finds if "standard" in f.scope]


def test_gluon_partitions(tmp_path, monkeypatch):
    pytest.importorskip("triton.experimental.gluon")
    import triton
    from kernels import gluon_kernels
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon._runtime import GluonASTSource

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    source = GluonASTSource(gluon_kernels.kernel, gluon_kernels.SIGNATURE, gluon_kernels.CONSTANTS)
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
    ptx = compiled.asm["ptx"]

    marked = auto_scopes.mark(ptx, ["kernel"], ALL)
    made = libpygwatch.instrument(marked.ptx, "kernel", "<auto>", (256, 1, 1))

    assert labels(marked) == {"barrier.wait": len(re.findall(r"(?m)^\s*barrier\.sync", ptx))}
    assert set(placements(made)) == {"proven"}
    own = [m for m in made.markers if not m.scope.startswith("barrier.wait:")]
    assert len(own) == ptx.count("// gwatch:"), "the kernel's own markers stay"


# CuTe DSL


@pytest.mark.parametrize("name", CUTE)
def test_cute(name, tmp_path, monkeypatch):
    pytest.importorskip("cutlass")
    from test_cute_gemm import Gemm

    from gwatch.cuda import _markers

    monkeypatch.setattr(_markers, "ENABLED", False)
    gemm = Gemm(name, tmp_path, options="--generate-line-info")
    assert "gwatch:" not in gemm.ptx

    elected = 2 * (2 + 4 + 5) if name == "hopper" else 0
    marked, _ = check(gemm.ptx, gemm.block, CUTE[name], most_parted=elected)

    lines = (tmp_path / gemm_file(name)).read_text("utf-8").splitlines()
    for find in marked.finds:
        label = find.scope.partition(":")[0]
        assert re.search(WORDS[label], lines[find.line - 1]), find.scope


def gemm_file(name):
    from test_cute_gemm import CASES

    return CASES[name][0]


def test_cute_without_line_info_is_named_by_lines_of_the_ptx(tmp_path, monkeypatch):
    pytest.importorskip("cutlass")
    from test_cute_gemm import Gemm

    gemm = Gemm("hopper", tmp_path)
    ptx = re.sub(r"(?m)^\s*\.(loc|file)\b.*\n", "", gemm.ptx)
    lines = ptx.splitlines()
    finds = auto_scopes.mark(ptx, [gemm.kernel], ["mbarrier"]).finds
    assert len(finds) == 3
    for find in finds:
        assert find.scope == f"mbarrier.wait:ptx:{find.ptx_line}"
        assert "mbarrier.try_wait" in lines[find.ptx_line - 1]


# CUDA C++


@pytest.mark.skipif(not find_tool("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
def test_cuda_matmul_beside_its_own_markers(arch, tmp_path):
    ptx = compile_to("ptx", MATMUL, tmp_path, f"-arch={arch}", "-lineinfo", "-std=c++17")
    (kernel,) = libpygwatch.ptx_facts(ptx).entries
    before = libpygwatch.instrument(ptx, kernel, "<own>", (256, 1, 1))

    marked = auto_scopes.mark(ptx, [kernel], ALL)
    made = libpygwatch.instrument(marked.ptx, kernel, "<auto>", (256, 1, 1))

    assert labels(marked) == {"barrier.wait": 2}
    assert without_insertions(marked) == ptx
    assert set(placements(made)) == {"proven"}
    assert len(made.markers) == len(before.markers) + 4
    source = MATMUL.read_text("utf-8").splitlines()
    for find in marked.finds:
        assert "__syncthreads" in source[find.line - 1]
    check_assembled(ptx, marked.ptx, made.ptx, kernel)


def standard_library():
    """The folder of <cuda/barrier>, of the PyPI package nvidia-cuda-cccl or of a toolkit."""
    roots = [Path(folder) for folder in sys.path] + [Path(find_tool("nvcc")).parents[1]]
    for root in roots:
        for path in (*root.glob("nvidia/c*/include/cccl"), root / "include/cccl", root / "include"):
            if (path / "cuda" / "barrier").is_file():
                return path
    pytest.skip("needs <cuda/barrier>: pip install nvidia-cuda-cccl")


@pytest.mark.skipif(not find_tool("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
def test_cuda_barrier_of_the_standard_library(arch, tmp_path):
    """On sm_80 its wait is a loop of many blocks, with a sleep that grows."""
    source = tmp_path / "waits.cu"
    source.write_text(PIPELINE)
    options = (f"-arch={arch}", "-lineinfo", "-std=c++17", "-diag-suppress=20054")
    ptx = compile_to("ptx", source, tmp_path, *options, f"-I{standard_library()}")

    marked, _ = check(ptx, (128, 1, 1), {"barrier.wait": 2, "mbarrier.wait": 1})

    lines = PIPELINE.splitlines()
    for find in marked.finds:
        assert re.search("__syncthreads|arrive_and_wait", lines[find.line - 1]), find.scope


# What really stands between the timer reads


MACHINE_KINDS = {
    "async_copy.wait": "async wait",
    "barrier.wait": "barrier",
    "mbarrier.wait": "mbarrier wait",
    "mma": "mma",
    "tma.load": "bulk copy (TMA)",
    "tma.store": "bulk copy (TMA)",
    "tma.wait": "async wait",
    "wgmma.issue": "wgmma",
    "wgmma.wait": "async wait",
}


def check_machine_code(build, kernel):
    """Each scope's timer reads have its own instructions between them, and none has moved out."""
    scopes = json.loads(build.instrumented.sites.to_json())["scopes"]
    checks = _fidelity.compare(build, kernel).facts.scopes
    assert len(checks) == len(scopes)
    for check_of_scope in checks:
        name = scopes[check_of_scope.scope]["name"]
        counts = {count.kind: (count.ptx, count.sass) for count in check_of_scope.counts}
        in_ptx, in_sass = counts[MACHINE_KINDS[name.partition(":")[0]]]
        assert check_of_scope.movements == [], name
        assert check_of_scope.start_reads == check_of_scope.end_reads > 0, name
        assert in_sass >= in_ptx > 0, name
        if not name.startswith("mbarrier.wait"):  # ptxas tries once before the loop
            assert in_sass == in_ptx, name


needs_nvdisasm = pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")


@needs_nvdisasm
@pytest.mark.parametrize("capability", [80, 90])
def test_triton_machine_code(compile_unmarked, capability):
    build = prepare("kernel", ALL, compile_unmarked("matmul", capability), 256)
    check_machine_code(build, "kernel")


@needs_nvdisasm
def test_cute_machine_code(tmp_path, monkeypatch):
    pytest.importorskip("cutlass")
    from test_cute_gemm import Gemm

    from gwatch.cuda import _markers

    monkeypatch.setattr(_markers, "ENABLED", False)
    gemm = Gemm("hopper", tmp_path, options="--generate-line-info")
    check_machine_code(prepare(gemm.kernel, ALL, gemm.ptx, 384), gemm.kernel)


# Kinds, preparer, command line


def test_kinds_as_users_name_them():
    assert auto_scopes.read_kinds(True) == tuple(auto_scopes.KINDS)
    assert auto_scopes.read_kinds(False) == auto_scopes.read_kinds(None) == ()
    assert auto_scopes.read_kinds("mma") == ("mma",)
    assert auto_scopes.read_kinds(["tma", "mma", "tma"]) == ("tma", "mma")


def test_the_core_knows_the_same_kinds():
    for kind in auto_scopes.KINDS:
        libpygwatch.mark_automatically(SMALL, ["k"], [kind])
    with pytest.raises(UsageError) as caught:
        libpygwatch.mark_automatically(SMALL, ["k"], ["waits"])
    assert caught.value.hint == f"The kinds are {', '.join(auto_scopes.KINDS)}."


@pytest.mark.parametrize("wanted", ["waits", ["mma", "waits"], 7, ["mma", 7]])
def test_unknown_kinds_are_refused_with_the_known(wanted):
    with pytest.raises(UsageError) as caught:
        auto_scopes.read_kinds(wanted)
    assert caught.value.hint == "The kinds are mbarrier, barrier, async_copy, tma, mma."


def prepare(kernel, kinds, ptx=SMALL, threads=128):
    found = FoundPtx(ptx, "a test", (), b"", "triton")
    return traced_builds.prepare(found, kernel, threads, kinds=kinds)[1][0]


def test_a_build_has_the_scopes_and_keeps_the_original_text():
    build = prepare("k", ("barrier",))
    assert build.found.ptx == SMALL
    assert [(m.verb, m.scope) for m in build.instrumented.markers] == [
        ("start", "barrier.wait:ptx:6"),
        ("end", "barrier.wait:ptx:6"),
    ]


def test_nothing_found_says_what_was_looked_for():
    with pytest.raises(NoMarkersError) as caught:
        prepare("idle", ("barrier", "tma"))
    assert str(caught.value).splitlines()[:4] == [
        "no marker in idle or in what it calls, nor anything for an automatic scope",
        "Looked for:",
        f"  barrier: {auto_scopes.KINDS['barrier']}",
        f"  tma: {auto_scopes.KINDS['tma']}",
    ]


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "in.ptx"
    path.write_text(SMALL)
    return path


FINDS = [
    "kind        scope                  function  source   PTX lines",
    "barrier     barrier.wait:ptx:6     k         unknown  6-6",
    "async_copy  async_copy.wait:ptx:7  k         unknown  7-7",
]


def test_command_lists_finds_and_writes_the_text(small, tmp_path, capfd):
    out = tmp_path / "out.ptx"
    assert main(["instrument", str(small), "--auto", "-o", str(out)]) == 0
    assert capfd.readouterr().out.splitlines() == FINDS
    marked = auto_scopes.mark(SMALL, ["k", "idle"], ALL)
    assert out.read_bytes() == libpygwatch.instrument_matching(marked.ptx, "").ptx


def test_command_writes_finds_to_standard_error_beside_the_text(small, capfd):
    assert main(["instrument", str(small), "--auto=barrier"]) == 0
    out, err = capfd.readouterr()
    assert err.splitlines()[1:] == ["barrier  barrier.wait:ptx:6  k         unknown  6-6"]
    assert "// gwatch:start barrier.wait:ptx:6" in out
    assert "async_copy" not in out


def test_command_lists_the_markers_with_their_placement(small, capfd):
    assert main(["instrument", str(small), "--auto", "--list"]) == 0
    rows = [line.split() for line in capfd.readouterr().out.splitlines()[1:]]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("barrier.wait:ptx:6", "start", "proven"),
        ("barrier.wait:ptx:6", "end", "proven"),
        ("async_copy.wait:ptx:7", "start", "proven"),
        ("async_copy.wait:ptx:7", "end", "proven"),
    ]


def test_command_takes_the_file_behind_the_option(small, capfd):
    assert main(["instrument", str(small), "--list", "--auto"]) == 0
    listed = capfd.readouterr().out
    assert main(["instrument", "--list", "--auto", str(small)]) == 0
    assert capfd.readouterr().out == listed
    for nothing in ([], ["--auto"]):
        assert main(["instrument", *nothing]) == 1
        assert "no PTX text is named" in capfd.readouterr().err


@pytest.mark.parametrize("listing", [[], ["--list"]])
def test_command_says_what_was_looked_for(small, capfd, listing):
    assert main(["instrument", str(small), "--auto", "tma", "--kernel", "idle", *listing]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "nor anything for an automatic scope" in err
    assert f"  tma: {auto_scopes.KINDS['tma']}" in err


def test_command_refuses_an_unknown_kind(small, capfd):
    assert main(["instrument", str(small), "--auto", "mma,waits"]) == 1
    assert "The kinds are mbarrier, barrier, async_copy, tma, mma." in capfd.readouterr().err
