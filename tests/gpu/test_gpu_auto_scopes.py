"""Automatic scopes on unmarked kernels: right results, waits on every warp, exact counts."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "cuda" / "trace"
KINDS = ("mbarrier", "barrier", "async_copy", "tma", "mma")
HOPPER = 90
SIZE = 1024
RUNS = 5


def load_unmarked(name, folder):
    """An example's module without the lines that are markers."""
    text = (EXAMPLES / f"{name}.py").read_text("utf-8")
    unmarked = re.sub(r"(?m)^ *gw_trace\..*\n", "", text)
    assert unmarked != text
    path = folder / f"unmarked_{name}.py"
    path.write_text(unmarked, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def triton_matmul(workloads, tmp_path_factory):
    import torch

    module = load_unmarked("trace_triton_matmul", tmp_path_factory.mktemp("triton"))
    torch.manual_seed(0)
    a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.zeros_like(a)
    work = workloads.Workload(r"^matmul_kernel$", lambda: module.matmul(a, b, c), c, 0)
    assert torch.allclose(c.float(), (a @ b).float(), atol=0.2, rtol=1e-2)
    return work


@pytest.fixture(scope="module")
def cute_gemm(workloads):
    pytest.importorskip("cutlass")
    import torch
    import trace_cute_matmul as example

    from gwatch.cuda import _markers

    torch.manual_seed(0)
    a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.zeros_like(a)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_markers, "ENABLED", False)
        launch = example.prepare(a, b, c)
    _, kernel = example.KERNELS[example.kernel_for(example.current_capability())]
    work = workloads.Workload(kernel, launch, c, 0)
    assert torch.allclose(c.float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)
    return work


def capability():
    import torch

    major, minor = torch.cuda.get_device_capability()
    return major * 10 + minor


def trace(workloads, work, dsl, kinds=True):
    work.clear()
    (run,) = workloads.do_trace(work.launch, work.pattern, dsl, auto_scopes=kinds).runs
    assert work.is_right()
    assert run.counts.events > 0
    assert run.counts.dropped_events == run.counts.dropped_records == 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    assert run.counts.warps_recorded == run.counts.warps_in_grid == len(run.lanes)
    return run


def labels_of(run):
    return [scope.name.partition(":")[0] for scope in run.scopes]


def slices_by_label(run):
    labels = labels_of(run)
    return Counter(labels[scope] for scope in run.slices.scope)


def lanes_by_label(run):
    """How many warps had a slice of each label."""
    labels, scopes = labels_of(run), run.slices.scope
    found = Counter()
    for lane in run.lanes:
        found.update({labels[scopes[i]] for i in range(lane.first_slice, lane.end_slice)})
    return found


def test_every_warp_of_an_unmarked_triton_matmul_waits(workloads, triton_matmul):
    run = trace(workloads, triton_matmul, "triton")

    assert lanes_by_label(run)["barrier.wait"] == len(run.lanes)
    assert {"wgmma.issue", "mma", "tcgen05.issue"} & set(labels_of(run))
    named = [scope for scope in run.scopes if ":ptx:" not in scope.name]
    assert named
    for scope in named:
        assert scope.name.endswith(f":{Path(scope.file).name}:{scope.line}")


def test_warps_of_a_triton_matmul_pass_the_same_scopes(workloads, triton_matmul):
    if capability() != HOPPER:
        pytest.skip("one warp may issue for all elsewhere")
    run = trace(workloads, triton_matmul, "triton")

    assert {site.placement for site in run.sites} == {"proven"}
    assert len({lane.events for lane in run.lanes}) == 1
    issued = slices_by_label(run)["wgmma.issue"]
    assert issued > 0
    assert issued % (len(run.lanes) * SIZE // 64) == 0, "once or more a step of K"


def test_warps_of_an_unmarked_cute_gemm_wait(workloads, cute_gemm):
    run = trace(workloads, cute_gemm, "cute")

    assert lanes_by_label(run)["barrier.wait"] == len(run.lanes)
    if capability() != HOPPER:
        return
    import cute_hopper_gemm as gemm

    tiles = SIZE // gemm.BLOCK_M * (SIZE // gemm.BLOCK_N)
    steps = tiles * (SIZE // gemm.BLOCK_K)
    blocks = run.launch.grid[0] * run.launch.grid[1] * run.launch.grid[2]
    waiting = 1 + gemm.CONSUMER_WARPS
    slices = slices_by_label(run)
    # A block without a tile waits for none.
    assert lanes_by_label(run)["mbarrier.wait"] == min(tiles, blocks) * waiting
    assert slices["mbarrier.wait"] == steps * waiting
    assert slices["wgmma.issue"] == slices["wgmma.wait"] == steps * gemm.CONSUMER_WARPS
    assert slices["tma.load"] == steps * 2
    assert slices["tma.store"] == tiles * gemm.STORES


@pytest.mark.parametrize("name", ["triton_matmul", "cute_gemm"])
def test_counts_are_the_same_in_each_run(workloads, request, name):
    work, dsl = request.getfixturevalue(name), name.partition("_")[0]
    runs = [trace(workloads, work, dsl) for _ in range(RUNS)]

    assert len({run.counts.events for run in runs}) == 1
    assert len({tuple(sorted(slices_by_label(run).items())) for run in runs}) == 1


def test_kinds_are_chosen(workloads, triton_matmul):
    every = slices_by_label(trace(workloads, triton_matmul, "triton"))
    chosen = slices_by_label(trace(workloads, triton_matmul, "triton", ("barrier",)))

    assert chosen == Counter({"barrier.wait": every["barrier.wait"]})


def test_own_markers_stay(workloads):
    work = workloads.make_matmul(SIZE)
    run = trace(workloads, work, "triton")

    slices, labels = run.slices.scope, labels_of(run)
    own = [index for index, label in enumerate(labels) if label.isdigit()]
    assert 2 * sum(scope in own for scope in slices) == work.events
    assert slices_by_label(run)["barrier.wait"] > 0


def test_kernel_without_any_wait_says_what_was_looked_for(workloads):
    from gwatch.errors import NoMarkersError

    error = workloads.trace_failure(workloads.make_unmarked(), NoMarkersError, auto_scopes=True)
    assert "nor anything for an automatic scope" in error.message
    for kind in KINDS:
        assert f"  {kind}: " in error.detail


def test_unknown_kind_is_refused(workloads, triton_matmul):
    from gwatch.errors import UsageError

    error = workloads.trace_failure(triton_matmul, UsageError, auto_scopes=("waits",))
    assert "The kinds are mbarrier, barrier, async_copy, tma, mma." in error.hint
