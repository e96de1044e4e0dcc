"""Clusters, cooperative and programmatic launches, graphs and streams, in CUDA C++ and CuTe DSL."""

from __future__ import annotations

import ctypes
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from gwatch import libpygwatch
from gwatch.errors import CaptureError

HERE = Path(__file__).parent
BLOCKS, THREADS, TURNS = 32, 128, 40
WARPS = THREADS // 32
NON_PORTABLE = 16
"""Blocks of a cluster; more than 8 need leave, and a GPU with processors enough."""


def chained(values, turns=TURNS):
    """What a chain makes of values, in 32 bits."""
    for _ in range(turns):
        values = values * 3 + 1
    return values


def start_values(blocks=BLOCKS):
    import torch

    return torch.arange(blocks * THREADS, device="cuda", dtype=torch.int32)


def current_stream():
    import torch

    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


def check(run, others=0, blocks=BLOCKS):
    """Each warp made all its turns in order, and passed so many other scopes once."""
    assert run.counts.warps_recorded == run.counts.warps_in_grid == blocks * WARPS
    assert run.counts.events == blocks * WARPS * 2 * (TURNS + others)
    assert run.counts.dropped_events == run.counts.dropped_records == 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    of_lane = defaultdict(list)
    for lane, value in values_of(run, "turn"):
        of_lane[lane.block, lane.warp].append(value)
    assert len(of_lane) == blocks * WARPS
    assert all(values == list(range(TURNS)) for values in of_lane.values())


def values_of(run, scope):
    names = [one.name for one in run.scopes]
    return [
        (lane, libpygwatch.slice_payload(run, row))
        for lane in run.lanes
        for row in range(lane.first_slice, lane.end_slice)
        if names[run.slices.scope[row]] == scope
    ]


def synchronize():
    import torch

    torch.cuda.synchronize()


# CUDA C++


@pytest.fixture(scope="module")
def library(build, capability):
    if capability < 90:
        pytest.skip("clusters and programmatic launches need compute capability 9.0")
    flags = ("-shared", "-Xcompiler=-fPIC")
    return ctypes.CDLL(str(build(HERE / "gpu_launches.cu", "launches.so", *flags)))


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


@pytest.mark.parametrize("cluster", [1, 2, 8, NON_PORTABLE])
def test_clusters(workloads, library, cluster):
    out = start_values()
    launched = []

    def launch():
        launched.append(
            library.launch_clustered(
                pointer(out), BLOCKS, THREADS, TURNS, cluster, current_stream()
            )
        )

    (run,) = workloads.do_trace(launch, "clustered", "cuda").runs

    synchronize()
    assert launched == [0]
    by_cluster = chained(start_values()).view(-1, cluster, THREADS)
    assert (out == by_cluster.roll(-1, 1).flatten()).all()
    assert run.launch.cluster[0] == cluster
    check(run, others=1)
    ranks = Counter(value for _, value in values_of(run, "cluster"))
    assert ranks == dict.fromkeys(range(cluster), BLOCKS // cluster * WARPS)
    if cluster > 1:
        assert all(value == lane.cluster_rank for lane, value in values_of(run, "cluster"))


def test_cooperative_launch(workloads, library):
    import torch

    out = start_values()
    scratch = torch.zeros_like(out)
    launched = []

    def launch():
        launched.append(
            library.launch_cooperative(
                pointer(out), pointer(scratch), BLOCKS, THREADS, TURNS, current_stream()
            )
        )

    (run,) = workloads.do_trace(launch, "cooperative", "cuda").runs

    synchronize()
    assert launched == [0]
    assert (out == chained(start_values()).roll(-THREADS)).all()
    check(run, others=1)
    assert all(value == lane.block for lane, value in values_of(run, "grid"))


def test_programmatic_launches(workloads, library):
    out = start_values()

    def launch():
        for _ in range(3):
            assert (
                library.launch_dependent(pointer(out), BLOCKS, THREADS, TURNS, current_stream())
                == 0
            )

    runs = workloads.do_trace(launch, "dependent", "cuda", max_launches=3).runs

    synchronize()
    assert (out == chained(start_values(), 3 * TURNS)).all()
    assert len(runs) == 3
    for run in runs:
        check(run, others=1)


def test_streams(workloads, library):
    import torch

    streams = [torch.cuda.Stream() for _ in range(4)]
    outs = [start_values() for _ in streams]
    synchronize()

    def launch():
        for stream, out in zip(streams, outs, strict=True):
            with torch.cuda.stream(stream):
                library.launch_dependent(pointer(out), BLOCKS, THREADS, TURNS, current_stream())

    runs = workloads.do_trace(launch, "dependent", "cuda", max_launches=4).runs

    synchronize()
    assert all((out == chained(start_values())).all() for out in outs)
    assert len({run.launch.stream for run in runs}) == 4
    for run in runs:
        check(run, others=1)


# CuTe DSL


@pytest.fixture(scope="module")
def chain(tmp_path_factory, capability):
    """Compiles a launch of the CuTe kernel; gives a function that launches it."""
    pytest.importorskip("cutlass")
    if capability < 90:
        pytest.skip("clusters and programmatic launches need compute capability 9.0")
    import gpu_cute_launches
    import trace_cute_matmul as example
    from cutlass import cute

    folder = tmp_path_factory.mktemp("chain")

    def compile_chain(cluster=1, is_dependent=False, is_cooperative=False):
        vector = cute.runtime.from_dlpack(start_values(), assumed_align=16)
        compiled = cute.compile(
            gpu_cute_launches.chain,
            vector,
            TURNS,
            example.current_stream(),
            BLOCKS,
            cluster,
            is_dependent,
            is_cooperative,
            options=f"--keep-ptx --dump-dir={folder} --generate-line-info",
        )

        def launch(out):
            argument = cute.runtime.from_dlpack(out, assumed_align=16)
            compiled(argument, TURNS, example.current_stream())

        return launch

    return compile_chain


@pytest.mark.parametrize("cluster", [2, 8, NON_PORTABLE])
def test_cute_clusters(workloads, chain, cluster):
    launch = chain(cluster=cluster)
    out = start_values()

    (run,) = workloads.do_trace(lambda: launch(out), "chain_kernel", "cute").runs

    synchronize()
    assert (out == chained(start_values())).all()
    assert run.launch.cluster[0] == cluster
    check(run, others=1)
    assert all(value == lane.cluster_rank for lane, value in values_of(run, "cluster"))


def test_cute_programmatic_launches(workloads, chain):
    launch = chain(is_dependent=True)
    out = start_values()

    def fn():
        for _ in range(3):
            launch(out)

    runs = workloads.do_trace(fn, "chain_kernel", "cute", max_launches=3).runs

    synchronize()
    assert (out == chained(start_values(), 3 * TURNS)).all()
    assert len(runs) == 3
    for run in runs:
        check(run, others=1)


def test_cute_cooperative_launch(workloads, chain):
    launch = chain(is_cooperative=True)
    out = start_values()

    (run,) = workloads.do_trace(lambda: launch(out), "chain_kernel", "cute").runs

    synchronize()
    assert (out == chained(start_values())).all()
    check(run)


def test_cute_graph_of_programmatic_launches(workloads, chain):
    import torch

    launch = chain(is_dependent=True)
    out = start_values()
    launch(out)  # loads the kernel, which a stream that is captured would not allow
    synchronize()
    out.copy_(start_values())
    graph = torch.cuda.CUDAGraph()

    def fn():
        with torch.cuda.graph(graph):
            launch(out)
            launch(out)
        graph.replay()

    synchronize()
    runs = workloads.do_trace(fn, "chain_kernel", "cute", max_launches=2).runs

    synchronize()
    assert (out == chained(start_values(), 2 * TURNS)).all()
    assert len(runs) == 2
    for run in runs:
        assert run.launch.in_graph
        check(run, others=1)


# The CuTe DSL example


@pytest.fixture
def gemm_form(tmp_path, capability, monkeypatch):
    """Compiles a form of the example's kernel; gives its launch, c = a @ b^T, and its events."""
    pytest.importorskip("cutlass")
    if capability != 90:
        pytest.skip("the kernel is for compute capability 9.0")
    import gpu_gemm_forms as forms
    import trace_cute_matmul as example
    from cutlass import cute

    def compile_form(form, a, b, c):
        module = forms.load_form(form, tmp_path)
        monkeypatch.setitem(example.KERNELS, module, (module.hopper_gemm, "hopper_gemm_kernel"))
        arguments = example.launch_arguments(a, b, c)
        blocks = arguments[3]
        compiled = example.compile_gemm(module, *arguments)

        def launch(a, b, c):
            matrices = [cute.runtime.from_dlpack(one, assumed_align=16) for one in (a, b, c)]
            compiled(*matrices, blocks, example.current_stream())

        (m, k), n = a.shape, b.shape[0]
        return launch, module.expected_events(m, n, k)

    return compile_form


@pytest.mark.parametrize("rows", [4096, 384])  # several tiles a block; a row of tiles without pair
@pytest.mark.parametrize("form", ["dependent", "pairs", "dependent-pairs", "cooperative"])
def test_forms_of_the_cute_gemm(workloads, gemm_form, form, rows):
    """Each of three products needs the one before, which may not have ended when it begins."""
    import torch

    side = min(rows, 2048)
    torch.manual_seed(0)
    a = torch.randn(rows, side, device="cuda", dtype=torch.float16)
    b = torch.randn(side, side, device="cuda", dtype=torch.float16) / side**0.5
    products = [torch.zeros_like(a) for _ in range(3)]
    launch, events = gemm_form(form, a, b, products[0])

    def fn():
        for source, target in zip([a, *products], products, strict=False):
            launch(source, b, target)

    fn()
    synchronize()
    untraced = [product.clone() for product in products]
    for source, product in zip([a, *untraced], untraced, strict=False):
        assert torch.allclose(product.float(), (source @ b.T).float(), atol=0.02, rtol=1e-2)
    for product in products:
        product.zero_()
    synchronize()

    runs = workloads.do_trace(fn, "hopper_gemm_kernel", "cute", max_launches=3).runs

    synchronize()
    assert all(torch.equal(*pair) for pair in zip(products, untraced, strict=True))
    assert [run.counts.events for run in runs] == [events] * 3
    for run in runs:
        assert run.launch.cluster[0] == (2 if "pairs" in form else 1)
        check_complete(run)


def check_complete(run):
    assert run.counts.warps_recorded == run.counts.warps_in_grid
    assert run.counts.dropped_events == run.counts.dropped_records == 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0


def test_cute_gemm_on_several_streams(workloads, capability):
    pytest.importorskip("cutlass")
    import torch
    import trace_cute_matmul as example

    torch.manual_seed(0)
    a = torch.randn(1024, 512, device="cuda", dtype=torch.float16)
    b = torch.randn(768, 512, device="cuda", dtype=torch.float16)
    products = [torch.zeros(1024, 768, device="cuda", dtype=torch.float16) for _ in range(4)]
    launches = [example.prepare(a, b, product) for product in products]
    untraced = launches[0]().clone()
    products[0].zero_()
    streams = [torch.cuda.Stream() for _ in products]
    synchronize()

    def fn():
        for stream, launch in zip(streams, launches, strict=True):
            with torch.cuda.stream(stream):
                launch()

    _, kernel = example.KERNELS[example.kernel_for(capability)]
    runs = workloads.do_trace(fn, kernel, "cute", max_launches=4).runs

    synchronize()
    assert torch.allclose(untraced.float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)
    assert all(torch.equal(product, untraced) for product in products)
    assert len({run.launch.stream for run in runs}) == 4
    events = example.expected_events(1024, 768, 512, capability)
    assert [run.counts.events for run in runs] == [events] * 4
    for run in runs:
        check_complete(run)


# Graphs that were captured before


def test_graph_captured_before_is_named_and_goes_on(workloads, steps):
    import torch

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        steps.launch()
    steps.clear()

    with pytest.raises(CaptureError) as caught:
        workloads.do_trace(graph.replay, steps.pattern, "triton")

    assert steps.is_right()
    assert "launched CUDA graphs (1 launches)" in str(caught.value)
    assert "capture and replay the graph inside fn" in str(caught.value)
    steps.clear()
    graph.replay()
    assert steps.is_right()
    assert workloads.trace(steps).runs[0].counts.events == steps.events


def test_cute_graph_captured_before(workloads, chain):
    import torch

    launch = chain()
    out = start_values()
    launch(out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch(out)
    synchronize()
    out.copy_(start_values())

    with pytest.raises(CaptureError, match="CUDA graph"):
        workloads.do_trace(graph.replay, "chain_kernel", "cute")

    synchronize()
    assert (out == chained(start_values())).all()
    out.copy_(start_values())
    (run,) = workloads.do_trace(lambda: launch(out), "chain_kernel", "cute").runs
    synchronize()
    assert (out == chained(start_values())).all()
    check(run)
