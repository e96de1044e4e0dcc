"""Kernels of the CuTe DSL: right and complete, however they were compiled and loaded."""

import ctypes
import gc
import re

import pytest

pytest.importorskip("cutlass")

EXPECTED_FULL_SIZE = 1_261_568

JITTED = """
import torch, trace_cute_matmul as example
from gwatch.cuda.trace import do_trace

torch.manual_seed(0)
a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
c = torch.zeros_like(a)
capability = example.current_capability()
host, kernel = example.KERNELS[example.kernel_for(capability)]
launch = lambda: host(*example.launch_arguments(a, b, c))
(run,) = do_trace(fn=launch, kernel_name_pattern=kernel, dsl="cute").runs
traced = c.clone()
c.zero_()
launch()
assert torch.equal(traced, c) and c.any()
assert torch.allclose(c.float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)
assert run.counts.events == example.expected_events(512, 512, 512, capability)
assert run.counts.dropped_events == 0
print(run.compile.ptx_source)
"""

FILL = """
import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import gwatch.cuda.trace.cute as gw_trace


@cute.kernel
def fill_kernel(x: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    gw_trace.scope_start("fill")
    x[thread] = cutlass.Float32(VALUE)
    gw_trace.scope_end("fill")


@cute.jit
def fill(x: cute.Tensor, stream: cuda.CUstream):
    fill_kernel(x).launch(grid=[1, 1, 1], block=[128, 1, 1], stream=stream)
"""


ANNOTATED = """
import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass.cute.experimental import iket


@cute.kernel
def annotated_kernel(x: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    iket.range_push("outer")
    for i in cutlass.range(10, unroll=1):
        turn = iket.range_start("turn")
        x[thread] = x[thread] + 1.0
        iket.range_end(turn)
        iket.mark("here")
    iket.range_pop()


@cute.jit
def annotated(x: cute.Tensor, stream: cuda.CUstream):
    annotated_kernel(x).launch(grid=[1, 1, 1], block=[128, 1, 1], stream=stream)
"""

# In a process of its own: only the traced build is launched, which has none of the stores that the
# annotations make.
TRACE_ANNOTATED = """
import tempfile
from pathlib import Path
import torch, trace_cute_matmul as example
from cutlass import cute
from gwatch.cuda.trace import do_trace
from test_gpu_cute import ANNOTATED

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "annotated.py")
    path.write_text(ANNOTATED)
    module = {"__name__": "annotated", "__file__": str(path)}
    exec(compile(ANNOTATED, path, "exec"), module)
    x = torch.zeros(128, device="cuda")
    vector, stream = cute.runtime.from_dlpack(x, assumed_align=16), example.current_stream()
    options = f"iket --keep-ptx --dump-dir={folder}"
    compiled = cute.compile(module["annotated"], vector, stream, options=options)
(run,) = do_trace(lambda: compiled(vector, stream), "annotated_kernel", "cute").runs
torch.cuda.synchronize()
assert (x == 10).all()
assert run.counts.orphan_starts == run.counts.orphan_ends == 0
print(run.counts.events, *sorted(scope.name for scope in run.scopes))
"""


@pytest.fixture(scope="module")
def example():
    import trace_cute_matmul

    return trace_cute_matmul


@pytest.fixture(scope="module")
def is_hopper(example):
    return example.current_capability() == example.HOPPER


@pytest.fixture(scope="module")
def make(example, workloads):
    """Makes a product of these sides, checked against PyTorch."""
    import torch

    def make_gemm(m, n, k, plain=False):
        torch.manual_seed(0)
        a = torch.randn(m, k, device="cuda", dtype=torch.float16)
        b = torch.randn(n, k, device="cuda", dtype=torch.float16)
        c = torch.zeros(m, n, device="cuda", dtype=torch.float16)
        launch = example.prepare(a, b, c, plain)
        capability = example.current_capability()
        _, kernel = example.KERNELS[example.kernel_for(capability, plain)]
        events = example.expected_events(m, n, k, capability, plain)
        work = workloads.Workload(kernel, launch, c, events)
        assert torch.allclose(c.float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)
        return work

    return make_gemm


@pytest.fixture(scope="module")
def gemm(make):
    return make(4096, 4096, 4096)


def trace(workloads, work, **options):
    work.clear()
    result = workloads.do_trace(work.launch, work.pattern, "cute", **options)
    assert work.is_right()
    (run,) = result.runs
    assert run.counts.events == work.events
    assert run.counts.dropped_events == run.counts.dropped_records == 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    assert run.counts.warps_recorded == run.counts.warps_in_grid
    return run


def test_full_size_is_right_and_complete(workloads, gemm, is_hopper):
    run = trace(workloads, gemm)

    assert {site.placement for site in run.sites} == {"proven"}
    assert run.compile.ptx_source.startswith("CuTe DSL 4.")
    if is_hopper:
        assert gemm.events == EXPECTED_FULL_SIZE
        assert list(run.launch.block) == [384, 1, 1]
        assert {scope.name for scope in run.scopes} == {
            "acquire", "issue", "first wait", "first mma", "wait", "mma",
            "drain", "epilogue", "convert", "store",
        }  # fmt: skip
        assert run.compile.traced.registers == run.compile.original.registers


def test_too_little_memory(workloads, gemm):
    warps = trace(workloads, gemm).counts.warps_in_grid

    workloads.trace_with_too_little_memory(gemm, "cute", warps)


def test_ten_runs_give_the_same_counts(workloads, gemm):
    assert len({trace(workloads, gemm).counts.records for _ in range(10)}) == 1


def test_kernel_that_ran_a_thousand_times_before(workloads, gemm):
    for _ in range(1000):
        gemm.launch()

    trace(workloads, gemm)


def test_tiles_that_are_not_full(workloads, make, is_hopper):
    if not is_hopper:
        pytest.skip("the plain kernel takes whole tiles only")
    trace(workloads, make(1000, 520, 264))
    trace(workloads, make(384, 512, 128))
    trace(workloads, make(8, 64, 8))


def test_plain_kernel(workloads, make):
    trace(workloads, make(1024, 512, 2048, plain=True))


def test_stream_of_its_own(workloads, gemm):
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        trace(workloads, gemm)


def test_graph_captured_inside_fn(workloads, gemm):
    import torch

    graph = torch.cuda.CUDAGraph()

    def fn():
        with torch.cuda.graph(graph):
            gemm.launch()
        graph.replay()

    gemm.clear()
    (run,) = workloads.do_trace(fn, gemm.pattern, "cute").runs

    assert gemm.is_right()
    assert run.launch.in_graph
    assert run.counts.events == gemm.events


def test_graph_captured_before(workloads, gemm):
    import torch

    from gwatch.errors import CaptureError

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        gemm.launch()
    gemm.clear()

    with pytest.raises(CaptureError) as caught:
        workloads.do_trace(graph.replay, gemm.pattern, "cute")

    assert gemm.is_right()
    assert "launched CUDA graphs (1 launches)" in str(caught.value)
    gemm.clear()
    graph.replay()
    assert gemm.is_right()
    trace(workloads, gemm)


def test_scopes_know_their_source_lines(workloads, make):
    run = trace(workloads, make(512, 512, 512))

    files = {scope.file.rpartition("/")[2] for scope in run.scopes}
    assert files <= {"cute_hopper_gemm.py", "cute_plain_gemm.py"}
    assert all(scope.line > 0 for scope in run.scopes)


def test_jitted_calls_from_a_cold_and_a_warm_cache(workloads, tmp_path):
    folders = {
        "CUTE_DSL_DUMP_DIR": str(tmp_path / "dump"),
        "CUTE_DSL_CACHE_DIR": str(tmp_path / "cache"),
    }
    (tmp_path / "dump").mkdir()

    kept = workloads.run_script(JITTED, CUTE_DSL_KEEP="ptx", **folders)
    cold = workloads.run_script(JITTED, **folders)
    warm = workloads.run_script(JITTED, **folders)

    assert kept.returncode == 0, kept.stderr
    assert "compiled object of" in kept.stdout
    for ran in (cold, warm):
        assert ran.returncode == 0, ran.stderr
        assert f"file {tmp_path / 'dump'}/" in ran.stdout


def test_exported_and_loaded_object(workloads, example, make, tmp_path, monkeypatch):
    import torch
    from cutlass import cute

    for library in cute.runtime.find_runtime_libraries(enable_tvm_ffi=False):
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
    a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.zeros_like(a)
    capability = example.current_capability()
    host, kernel = example.KERNELS[example.kernel_for(capability)]
    *arguments, stream = example.launch_arguments(a, b, c)
    options = f"--keep-ptx --dump-dir={tmp_path}"
    compiled = cute.compile(host, *arguments, stream, options=options)
    compiled.export_to_c(str(tmp_path), "gemm", function_prefix="gemm")
    del compiled
    gc.collect()
    loaded = cute.runtime.load_module(str(tmp_path / "gemm.o"))["gemm"]
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    work = workloads.Workload(
        kernel,
        lambda: loaded(*arguments, example.current_stream()),
        c,
        example.expected_events(512, 512, 512, capability),
    )
    assert torch.allclose(c.float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)

    run = trace(workloads, work)

    assert f"file {tmp_path}/" in run.compile.ptx_source


def compile_fill(example, folder, value, x, options):
    from cutlass import cute

    path = folder / f"fill_{value}.py"
    path.write_text(FILL.replace("VALUE", str(value)))
    module = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(path.read_text(), path, "exec"), module)
    vector = cute.runtime.from_dlpack(x, assumed_align=16)
    compiled = cute.compile(module["fill"], vector, example.current_stream(), options=options)
    return lambda: compiled(vector, example.current_stream()), compiled


def test_objects_of_one_name_are_told_apart(workloads, example, tmp_path):
    import torch

    x = torch.zeros(128, device="cuda")
    keep = f"--keep-ptx --dump-dir={tmp_path}"
    built = {value: compile_fill(example, tmp_path, value, x, keep) for value in (1.0, 2.0)}
    names = {re.search(r"\.entry\s+(\w+)", one.__ptx__)[1] for _, one in built.values()}
    assert len(names) == 1
    for launch, _ in built.values():
        launch()

    for value in (1.0, 2.0, 1.0):
        (run,) = workloads.do_trace(built[value][0], "fill_kernel", "cute").runs

        torch.cuda.synchronize()
        assert (x == value).all()
        assert run.counts.events == 8


def test_without_ptx_the_error_names_the_variables(workloads, example, tmp_path, monkeypatch):
    import torch

    from gwatch.errors import SourceError

    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    x = torch.zeros(128, device="cuda")
    launch, _ = compile_fill(example, tmp_path, 3.0, x, "")

    with pytest.raises(SourceError) as caught:
        workloads.do_trace(launch, "fill_kernel", "cute")

    torch.cuda.synchronize()
    assert (x == 3.0).all()
    assert "has no PTX" in str(caught.value)
    assert "CUTE_DSL_KEEP=ptx" in str(caught.value)
    assert "before `import cutlass`" in str(caught.value)


def test_annotations_of_the_dsl_are_traced(workloads, is_hopper):
    if not is_hopper:
        pytest.skip("the annotations need clusters, and were read on Hopper")
    ran = workloads.run_script(TRACE_ANNOTATED)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == f"{4 * (2 + 10 * 3)} here outer turn\n"
